package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// askTimeout bounds each question to a running stack. A stack that takes longer
	// cannot be scored either.
	askTimeout = 10 * time.Second
	// maxAnswer bounds how much of an answer is read, in bytes.
	maxAnswer = 1 << 20
)

// Live is what a running stack says of itself.
type Live struct {
	// JWKS is the set of public keys that Auth signs with, as JSON; empty when it signs
	// with the JWT secret.
	JWKS string
	// Versions maps each part ("postgres", "rest", "auth") to its version.
	Versions map[string]string
	// Confirms is true when a sign-up makes Auth send somebody a message.
	Confirms bool
	// Recorded are the versions of the migrations that the database says were applied.
	Recorded []string
}

// AnswerError is a part of a stack that does not answer, or not as such a part does.
type AnswerError struct {
	// Part is "auth", "rest" or "the database".
	Part string
	// Err is what came instead, without keys and passwords.
	Err  error
	hint string
}

// Error names the part.
func (e *AnswerError) Error() string { return fmt.Sprintf("%s: %s", e.Part, e.Err) }

// Unwrap is what came instead.
func (e *AnswerError) Unwrap() error { return e.Err }

// Hint says what to look at.
func (e *AnswerError) Hint() string { return e.hint }

// Connect asks every part of the stack at a complete place a question that only such
// a part answers, and tries every key that is known. It changes nothing. Errors are
// *AnswerError or ctx's.
func Connect(ctx context.Context, place Place) (*Live, error) {
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: askTimeout}).DialContext}
	defer transport.CloseIdleConnections()
	c := &client{place: place, http: &http.Client{
		Transport: transport, Timeout: askTimeout,
		// Where a redirect leads is not the place that was looked at.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	live := &Live{Versions: map[string]string{}}
	for _, look := range []func(context.Context, *Live) error{
		c.health, c.settings, c.keySet, c.rest, c.keys, c.database,
	} {
		if err := look(ctx, live); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, err
		}
	}
	// Who started the stack knows better what it is than what it imitates.
	maps.Copy(live.Versions, place.Versions)
	return live, nil
}

// client asks the stack at one place.
type client struct {
	place Place
	http  *http.Client
}

// answer is what matters of an HTTP answer.
type answer struct {
	status int
	server string
	body   []byte
}

// get asks for a path with a key, as the client libraries send it, and a bearer when
// that is another one.
func (c *client) get(ctx context.Context, path, key, bearer string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.place.APIURL+path, nil)
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("apikey", key)
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return answer{response.StatusCode, response.Header.Get("Server"), body}, err
}

// field is a text at the top of a JSON answer.
func (a answer) field(name string) string {
	var object map[string]any
	if json.Unmarshal(a.body, &object) != nil {
		return ""
	}
	text, _ := object[name].(string)
	return text
}

// words are what an error quotes of an answer.
func (a answer) words() string {
	const limit = 200
	text := strings.Join(strings.Fields(string(a.body)), " ")
	return fmt.Sprintf("%d %s", a.status, text[:min(len(text), limit)])
}

// unexpected is the error for an answer, or none, to a question about a path.
func (c *client) unexpected(part, path string, got answer, err error) error {
	hint := "is the stack running, and is this its API URL? compare with `supabase status`"
	switch {
	case err != nil:
	case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden:
		err = fmt.Errorf("GET %s refuses the publishable key: %s", path, got.words())
		hint = "give the key that `supabase status` shows: --publishable-key KEY"
	default:
		err = fmt.Errorf("GET %s answered %s", path, got.words())
	}
	return &AnswerError{part, err, hint}
}

// health asks Auth whether it is well, and which version it is.
func (c *client) health(ctx context.Context, live *Live) error {
	const path = "/auth/v1/health"
	got, err := c.get(ctx, path, c.place.Keys.Publishable, c.place.Keys.Publishable)
	if err != nil || got.status != http.StatusOK || got.field("name") != "GoTrue" {
		return c.unexpected("auth", path, got, err)
	}
	live.Versions["auth"] = orUnknown(got.field("version"))
	return nil
}

// settings asks Auth what happens at a sign-up.
func (c *client) settings(ctx context.Context, live *Live) error {
	const path = "/auth/v1/settings"
	got, err := c.get(ctx, path, c.place.Keys.Publishable, c.place.Keys.Publishable)
	var settings struct {
		Autoconfirm bool `json:"mailer_autoconfirm"`
	}
	if err == nil && got.status == http.StatusOK {
		err = json.Unmarshal(got.body, &settings)
	}
	if err != nil || got.status != http.StatusOK {
		return c.unexpected("auth", path, got, err)
	}
	live.Confirms = !settings.Autoconfirm
	return nil
}

// keySet asks Auth which public keys it signs with. Older servers have no such path.
func (c *client) keySet(ctx context.Context, live *Live) error {
	const path = "/auth/v1/.well-known/jwks.json"
	got, err := c.get(ctx, path, c.place.Keys.Publishable, c.place.Keys.Publishable)
	if err != nil {
		return c.unexpected("auth", path, got, err)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if got.status == http.StatusOK && json.Unmarshal(got.body, &set) == nil && len(set.Keys) > 0 {
		live.JWKS = string(got.body)
	}
	return nil
}

// rest asks for a table that is not there: only PostgREST says so in its way, and only
// to who has a right key. The root would make it describe every table.
func (c *client) rest(ctx context.Context, live *Live) error {
	const path = "/rest/v1/supascore_looks_for_rest"
	got, err := c.get(ctx, path, c.place.Keys.Publishable, c.place.Keys.Publishable)
	code := got.field("code")
	missing := strings.HasPrefix(code, "PGRST2") || code == "42P01" // of versions before 12.2
	if err != nil || got.status != http.StatusNotFound || !missing {
		return c.unexpected("rest", path, got, err)
	}
	live.Versions["rest"] = orUnknown(strings.TrimPrefix(got.server, "postgrest/"))
	if !strings.HasPrefix(got.server, "postgrest/") {
		live.Versions["rest"] = "unknown" // a gateway that puts its own name there
	}
	return nil
}

func orUnknown(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}

// keys tries the secret key and the JWT secret, where they are known, on a list that
// only administrators get.
func (c *client) keys(ctx context.Context, _ *Live) error {
	if secret := c.place.Keys.Secret; secret != "" {
		if err := c.administrate(ctx, "the secret key", "--secret-key", secret, secret); err != nil {
			return err
		}
	}
	if c.place.Keys.JWTSecret == "" {
		return nil
	}
	token, err := serviceToken(c.place.Keys.JWTSecret)
	if err != nil {
		return &AnswerError{"auth", fmt.Errorf("sign with the JWT secret: %w", err), ""}
	}
	return c.administrate(ctx, "a token that the JWT secret signs", "--jwt-secret", c.place.Keys.Publishable, token)
}

func (c *client) administrate(ctx context.Context, what, flag, key, bearer string) error {
	const path = "/auth/v1/admin/users"
	got, err := c.get(ctx, path+"?page=1&per_page=1", key, bearer)
	switch {
	case err != nil:
		return c.unexpected("auth", path, got, err)
	case got.status == http.StatusOK:
		return nil
	}
	return &AnswerError{
		"auth", fmt.Errorf("GET %s refuses %s: %s", path, what, got.words()),
		"give the one that `supabase status` shows, or none: " + flag,
	}
}

var errNoUsers = errors.New("it has no table auth.users, so it is not the database of a Supabase stack")
