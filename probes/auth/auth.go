// Package auth signs people up and in on a running stack, through gotrue-go as a
// user's program would. Whatever Auth answers is an observation; what the answer
// means is not decided here.
package auth

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/supabase-community/gotrue-go"
	"github.com/supabase-community/gotrue-go/types"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/internal/bare"
)

// Client speaks to one stack's Auth. It is safe for concurrent use: every request
// has a library client of its own, so that sessions never meet.
type Client struct {
	url       string
	apiKey    string
	transport http.RoundTripper
}

// New returns a client for Auth at url (without a final slash) with the key that
// clients send.
func New(url, apiKey string, transport http.RoundTripper) *Client {
	return &Client{url: url, apiKey: apiKey, transport: transport}
}

// Session is what a sign-up or sign-in brought.
type Session struct {
	// UserID is the user's id; empty when the answer names none.
	UserID string
	// AccessToken is empty when there is no session, such as when an address has to
	// be confirmed first.
	AccessToken string
}

// SignUp signs a person up.
func (c *Client) SignUp(ctx context.Context, email, password string) (Session, *probes.AuthAttempt) {
	return c.attempt(ctx, func(client gotrue.Client) (Session, error) {
		response, err := client.Signup(types.SignupRequest{Email: email, Password: password})
		if err != nil {
			return Session{}, err
		}
		return session(response.User.ID, response.AccessToken), nil
	})
}

// SignIn signs a person in with a fresh client.
func (c *Client) SignIn(ctx context.Context, email, password string) (Session, *probes.AuthAttempt) {
	return c.attempt(ctx, func(client gotrue.Client) (Session, error) {
		response, err := client.SignInWithEmailPassword(email, password)
		if err != nil {
			return Session{}, err
		}
		return session(response.User.ID, response.AccessToken), nil
	})
}

func session(id uuid.UUID, token string) Session {
	if id == uuid.Nil {
		return Session{AccessToken: token}
	}
	return Session{UserID: id.String(), AccessToken: token}
}

func (c *Client) attempt(ctx context.Context, do func(gotrue.Client) (Session, error)) (Session, *probes.AuthAttempt) {
	recorder := bare.NewRecorder(ctx, c.transport)
	client := gotrue.New("local", c.apiKey).WithCustomGoTrueURL(c.url).WithClient(http.Client{Transport: recorder})
	got, err := do(client)
	attempt := &probes.AuthAttempt{
		Answer: recorder.Answer, Session: got.AccessToken != "", Trouble: recorder.Trouble(),
	}
	// The library fails on every error answer, which is an observation; failing on
	// a good one means that it could not read it.
	if err != nil && attempt.Trouble == "" && recorder.Answer.OK() {
		attempt.Trouble = "the client library cannot read the answer: " + err.Error()
	}
	return got, attempt
}

// Alive returns why Auth does not answer its health check; empty when it does.
func (c *Client) Alive(ctx context.Context) string {
	return bare.Ping(ctx, c.transport, c.url+"/health", c.apiKey)
}
