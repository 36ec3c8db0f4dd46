package rls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"github.com/supascore/supascore/tasks"
)

// SignInConfig says where users sign in.
type SignInConfig struct {
	// URL is Auth's root without a final slash.
	URL string
	// Key is the key that clients send, ServiceKey the one of the project's servers.
	Key, ServiceKey string
	// Transport carries the requests.
	Transport http.RoundTripper
}

// password is what every user signs in with.
const password = "correct horse battery staple"

// Sessions are the access tokens of users who have signed in.
type Sessions struct {
	tokens map[string]Token
}

// Token is the token of a user; empty, with the reason, when the user could not sign in.
func (s *Sessions) Token(user tasks.User) Token { return s.tokens[sessionKey(user)] }

func sessionKey(user tasks.User) string {
	raw, err := json.Marshal(user.Claims)
	if err != nil || len(user.Claims) == 0 {
		raw = nil // claims came from YAML, so they always have a JSON form
	}
	return user.Role + " " + user.Sub + " " + string(raw)
}

// SignIn signs the plan's users up in Auth with their fixed ids, or gives those that
// the seed made a password, and signs them in; those with aal2 prove a second factor,
// an authenticator app. Users whose claims Auth would not issue are left out, with the
// reason. The error is the connection's.
func SignIn(ctx context.Context, cfg SignInConfig, plan *Plan) (*Sessions, error) {
	s := &Sessions{tokens: map[string]Token{}}
	people := map[string]string{} // id to the session key of who signed up with it
	for i := range plan.tests {
		user := plan.tests[i].test.As
		key := sessionKey(user)
		if _, done := s.tokens[key]; done || user.Sub == "" {
			continue
		}
		person := user
		person.Claims = maps.Clone(user.Claims)
		delete(person.Claims, "aal")
		token := Token{Signed: notIssued(user)}
		if other := people[user.Sub]; token.Signed == "" && other != "" && other != sessionKey(person) {
			token.Signed = "another user of the tests has the same id and other claims"
		}
		if token.Signed == "" {
			people[user.Sub] = sessionKey(person)
			var err error
			if token, err = cfg.signIn(ctx, user); err != nil {
				return nil, err
			}
		}
		s.tokens[key] = token
	}
	return s, nil
}

// notIssued says why Auth would not issue a token with the user's claims; empty when
// it would.
func notIssued(user tasks.User) string {
	if user.Role != tasks.RoleAuthenticated {
		return "Auth signs nobody in as " + user.Role
	}
	if user.Claims["is_anonymous"] == true {
		return "Auth gives anonymous users ids of its own choice"
	}
	known := []string{"app_metadata", "user_metadata", "email", "aud"}
	for _, name := range slices.Sorted(maps.Keys(user.Claims)) {
		value := user.Claims[name]
		if slices.Contains(known, name) || name == "aal" && (value == "aal1" || value == "aal2") || name == "is_anonymous" && value == false {
			continue
		}
		return "signing in does not give the claim " + name
	}
	return ""
}

// signIn makes a user and signs them in. Why Auth did not is in the token.
func (cfg SignInConfig) signIn(ctx context.Context, user tasks.User) (Token, error) {
	email, _ := user.Claims["email"].(string)
	if email == "" {
		email = user.Sub + "@users.example.org"
	}
	details := map[string]any{"email": email, "password": password, "email_confirm": true}
	for _, name := range []string{"app_metadata", "user_metadata"} {
		if value, given := user.Claims[name]; given {
			details[name] = value
		}
	}
	a, err := cfg.send(ctx, call{http.MethodPut, "/admin/users/" + user.Sub, cfg.ServiceKey, details})
	if err == nil && a.status == http.StatusNotFound {
		details["id"] = user.Sub
		a, err = cfg.send(ctx, call{http.MethodPost, "/admin/users", cfg.ServiceKey, details})
	}
	if err != nil {
		return Token{}, err
	}
	if a.status != http.StatusOK {
		return Token{Signed: "the user cannot be made: " + a.said()}, nil
	}
	a, err = cfg.send(ctx, call{http.MethodPost, "/token?grant_type=password", cfg.Key, map[string]any{"email": email, "password": password}})
	if err != nil {
		return Token{}, err
	}
	token := a.session()
	if token == "" {
		return Token{Signed: "the user cannot sign in: " + a.said()}, nil
	}
	if user.Claims["aal"] == "aal2" {
		return cfg.secondFactor(ctx, token)
	}
	return Token{Text: token}, nil
}

// secondFactor enrols an authenticator app and proves it, which makes a session one of
// level aal2.
func (cfg SignInConfig) secondFactor(ctx context.Context, token string) (Token, error) {
	refused := func(a *answer) (Token, error) {
		return Token{Signed: "the user cannot prove a second factor: " + a.said()}, nil
	}
	var factor struct {
		ID   string
		TOTP struct{ Secret string }
	}
	// A user who signs in twice has two.
	a, err := cfg.send(ctx, call{http.MethodPost, "/factors", token, map[string]any{"factor_type": "totp", "friendly_name": uuid.NewString()}})
	switch {
	case err != nil:
		return Token{}, err
	case a.status != http.StatusOK || json.Unmarshal(a.body, &factor) != nil:
		return refused(a)
	}
	var challenge struct{ ID string }
	a, err = cfg.send(ctx, call{http.MethodPost, "/factors/" + factor.ID + "/challenge", token, map[string]any{}})
	switch {
	case err != nil:
		return Token{}, err
	case a.status != http.StatusOK || json.Unmarshal(a.body, &challenge) != nil:
		return refused(a)
	}
	code, err := totp.GenerateCode(factor.TOTP.Secret, time.Now())
	if err != nil {
		return Token{}, fmt.Errorf("make the code of a second factor: %w", err)
	}
	a, err = cfg.send(ctx, call{http.MethodPost, "/factors/" + factor.ID + "/verify", token, map[string]any{"challenge_id": challenge.ID, "code": code}})
	if err != nil {
		return Token{}, err
	}
	if raised := a.session(); raised != "" {
		return Token{Text: raised}, nil
	}
	return refused(a)
}

// session is the access token of an answer that signs somebody in; empty for others.
func (a *answer) session() string {
	var session struct {
		AccessToken string `json:"access_token"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body, &session) != nil {
		return ""
	}
	return session.AccessToken
}

// said is an answer in short.
func (a *answer) said() string {
	return fmt.Sprintf("%d %s", a.status, a.body[:min(len(a.body), 200)])
}

// call is a request to Auth with a JSON body, whose bearer is a key or a user.
type call struct {
	method, path, bearer string
	body                 map[string]any
}

// send sends a request to Auth.
func (cfg SignInConfig) send(ctx context.Context, c call) (*answer, error) {
	raw, err := json.Marshal(c.body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, cfg.URL+c.path, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Apikey", cfg.Key)
	req.Header.Set("Authorization", "Bearer "+c.bearer)
	req.Header.Set("Content-Type", "application/json")
	resp, err := cfg.Transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", c.method, c.path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: text}, nil
}
