package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// flow is how a link in a mail ends: with tokens, or with a code that only the client that asked for
// the mail can exchange.
type flow int

const (
	flowImplicit flow = iota
	flowPKCE
)

// hash is what is stored for a token hash in this flow.
func (f flow) hash(tokenHash string) string {
	if f == flowPKCE {
		return store.PKCEPrefix + tokenHash
	}
	return tokenHash
}

// flowOf is the flow that a stored hash belongs to.
func flowOf(tokenHash string) flow {
	if strings.HasPrefix(tokenHash, store.PKCEPrefix) {
		return flowPKCE
	}
	return flowImplicit
}

var challengePattern = regexp.MustCompile(`^[a-zA-Z._~0-9-]+$`)

// checkPKCE checks the parameters of a flow by RFC 7636, section 4.2. Both may be empty.
func checkPKCE(method, challenge string) error {
	switch {
	case (challenge == "") != (method == ""):
		return apierr.BadRequest(apierr.ValidationFailed, "PKCE flow requires code_challenge_method and code_challenge")
	case challenge == "":
		return nil
	case len(challenge) < 43 || len(challenge) > 128:
		return apierr.BadRequest(apierr.ValidationFailed, "code challenge has to be between 43 and 128 characters")
	case !challengePattern.MatchString(challenge):
		return apierr.BadRequest(apierr.ValidationFailed,
			"code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes")
	}
	return nil
}

// flowStart is the part of a request that says which flow its link belongs to.
type flowStart struct {
	// provider and method are stored with the flow; method is that of the session to come.
	provider, method string
	// challengeMethod and challenge are those of the request, empty for the implicit flow.
	challengeMethod, challenge string
	userID                     uuid.UUID
}

// startFlow stores a PKCE flow when the request has a challenge, and says which flow it is. A method
// other than s256 and plain fails without a message for the client, as in the real server (recording
// cat_hook_authentication_method_pkce).
func (s *Server) startFlow(ctx context.Context, tx *store.Conn, start flowStart) (flow, error) {
	if start.challenge == "" {
		return flowImplicit, nil
	}
	method := strings.ToLower(start.challengeMethod)
	if method != "s256" && method != "plain" {
		return flowPKCE, fmt.Errorf("unsupported code_challenge method %q", start.challengeMethod)
	}
	return flowPKCE, tx.CreateFlow(ctx, store.NewFlow{
		UserID: start.userID, Provider: start.provider, Method: start.method,
		ChallengeMethod: method, Challenge: start.challenge,
	})
}

// issueCode gives out the auth code of the flow that the user started last with a method.
func issueCode(ctx context.Context, tx *store.Conn, userID uuid.UUID, method string) (string, error) {
	state, err := tx.LatestFlow(ctx, userID, method)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", noFlow("No valid flow state found for user.")
	case err != nil:
		return "", err
	case state.AuthCode == nil || state.CodeChallenge == nil || *state.CodeChallenge == "":
		return "", noFlow("Flow state does not have an auth code (not a PKCE flow).")
	}
	return *state.AuthCode, tx.IssueCode(ctx, state)
}

// noFlow is an error that becomes part of a message for the user, in the words of the real server.
type noFlow string

// Error returns the message with the status that the real server puts before it.
func (e noFlow) Error() string { return "422: " + string(e) }

// pkceGrant answers POST /token?grant_type=pkce: a code and its verifier for a session.
func (s *Server) pkceGrant(ctx context.Context, c *call) error {
	params := &api.PKCEGrantParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.AuthCode == "" || params.CodeVerifier == "" {
		return apierr.BadRequest(apierr.ValidationFailed,
			"invalid request: both auth code and code verifier should be non-empty")
	}
	state, err := s.exchangeable(ctx, params.AuthCode)
	if err != nil {
		return err
	}
	user, err := s.store.UserByID(ctx, *state.UserID)
	if err != nil {
		return err
	}
	if err := verifyChallenge(state, params.CodeVerifier); err != nil {
		return err
	}
	var answer *tokenResponse
	err = s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		// Of two exchanges of one code at the same time the first to get here wins.
		if err := tx.TakeFlow(ctx, state.ID); err != nil {
			return errNoFlow(err)
		}
		event := store.Event{Action: store.Login, Traits: map[string]any{"provider_type": state.ProviderType}}
		if err := tx.Audit(ctx, user, event); err != nil {
			return err
		}
		answer, err = s.startSession(ctx, c, tx, user, state.AuthenticationMethod)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, answer)
}

// exchangeable finds the flow of an auth code that can still be exchanged.
func (s *Server) exchangeable(ctx context.Context, code string) (*store.FlowState, error) {
	state, err := s.store.FlowByCode(ctx, code)
	if err != nil {
		return nil, errNoFlow(err)
	}
	if state.UserID == nil {
		return nil, errNoFlow(store.ErrNotFound)
	}
	// The time that a magic link takes until it is followed does not count.
	var since time.Time
	if state.CreatedAt != nil {
		since = *state.CreatedAt
	}
	if state.AuthCodeIssuedAt != nil && state.AuthenticationMethod == methodMagicLink {
		since = *state.AuthCodeIssuedAt
	}
	if s.cfg.Now().After(since.Add(s.cfg.External.FlowStateExpiry)) {
		return nil, apierr.Unprocessable(apierr.FlowStateExpired, "invalid flow state, flow state has expired")
	}
	return state, nil
}

func errNoFlow(err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return apierr.NotFound(apierr.FlowStateNotFound, "invalid flow state, no valid flow state found")
}

// verifyChallenge tells whether a verifier belongs to a flow's challenge.
func verifyChallenge(state *store.FlowState, verifier string) error {
	refused := func(text string) error { return apierr.BadRequest(apierr.BadCodeVerifier, "%s", text) }
	if state.CodeChallenge == nil || state.CodeChallengeMethod == nil {
		return refused("PKCE verification not applicable for implicit flow")
	}
	expected := verifier
	if *state.CodeChallengeMethod == "s256" {
		sum := sha256.Sum256([]byte(verifier))
		expected = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if subtle.ConstantTimeCompare([]byte(*state.CodeChallenge), []byte(expected)) != 1 {
		return refused("code challenge does not match previously saved code verifier")
	}
	return nil
}
