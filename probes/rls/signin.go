package rls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

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
	tokens map[string]string
	// Signed says of users whose token has to be signed with their claims why they
	// could not sign in, by alias, else by id; sorted by name when shown.
	Signed map[string]string
}

// Token is the token of a user; empty when the user has not signed in.
func (s *Sessions) Token(user tasks.User) string { return s.tokens[sessionKey(user)] }

func sessionKey(user tasks.User) string {
	raw, err := json.Marshal(user.Claims)
	if err != nil {
		raw = nil // claims came from YAML, so they always have a JSON form
	}
	return user.Role + " " + user.Sub + " " + string(raw)
}

// SignIn signs the plan's users up in Auth with their fixed ids, or gives those that
// the seed made a password, and signs them in. Users whose claims Auth would not issue
// are left out, with the reason. The error is the connection's.
func SignIn(ctx context.Context, cfg SignInConfig, plan *Plan) (*Sessions, error) {
	s := &Sessions{tokens: map[string]string{}, Signed: map[string]string{}}
	seen := map[string]string{} // id to the claims that its user signed up with
	for i := range plan.tests {
		user := plan.tests[i].test.As
		key := sessionKey(user)
		if _, done := s.tokens[key]; done || user.Sub == "" {
			continue
		}
		name := user.Alias
		if name == "" {
			name = user.Sub
		}
		if reason := notIssued(user); reason != "" {
			s.Signed[name] = reason
			continue
		}
		if other, taken := seen[user.Sub]; taken && other != key {
			s.Signed[name] = "another user of the tests has the same id and other claims"
			continue
		}
		seen[user.Sub] = key
		token, reason, err := signIn(ctx, cfg, user)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			s.Signed[name] = reason
			continue
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
	known := []string{"app_metadata", "user_metadata", "email", "aud"}
	for name, value := range user.Claims {
		if slices.Contains(known, name) || name == "aal" && value == "aal1" || name == "is_anonymous" && value == false {
			continue
		}
		return "signing in with a password does not give the claim " + name
	}
	return ""
}

// signIn makes a user and signs them in. The reason says why Auth did not.
func signIn(ctx context.Context, cfg SignInConfig, user tasks.User) (token, reason string, err error) {
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
	a, err := cfg.post(ctx, call{http.MethodPut, "/admin/users/" + user.Sub, cfg.ServiceKey, details})
	if err == nil && a.status == http.StatusNotFound {
		details["id"] = user.Sub
		a, err = cfg.post(ctx, call{http.MethodPost, "/admin/users", cfg.ServiceKey, details})
	}
	if err != nil {
		return "", "", err
	}
	if a.status != http.StatusOK {
		return "", "the user cannot be made: " + a.said(), nil
	}
	a, err = cfg.post(ctx, call{http.MethodPost, "/token?grant_type=password", cfg.Key, map[string]any{"email": email, "password": password}})
	if err != nil {
		return "", "", err
	}
	var session struct {
		AccessToken string `json:"access_token"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body, &session) != nil || session.AccessToken == "" {
		return "", "the user cannot sign in: " + a.said(), nil
	}
	return session.AccessToken, "", nil
}

// said is an answer in short.
func (a *answer) said() string {
	return fmt.Sprintf("%d %s", a.status, a.body[:min(len(a.body), 200)])
}

// call is a request to Auth with a JSON body.
type call struct {
	method, path, key string
	body              map[string]any
}

// post sends a request to Auth.
func (cfg SignInConfig) post(ctx context.Context, c call) (*answer, error) {
	raw, err := json.Marshal(c.body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, cfg.URL+c.path, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Apikey", c.key)
	req.Header.Set("Authorization", "Bearer "+c.key)
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
