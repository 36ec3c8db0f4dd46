package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// verifyLink answers GET /verify, the link of a mail: a redirect with tokens, with a code to
// exchange, or with what is wrong.
func (s *Server) verifyLink(ctx context.Context, c *call) error {
	query := c.r.URL.Query()
	q := &verifyRequest{kind: query.Get("type"), hash: query.Get("token"), redirectTo: s.referrer(c.r)}
	switch {
	case q.kind == "":
		return apierr.BadRequest(apierr.ValidationFailed, "Verify requires a verification type")
	case q.hash == "":
		return apierr.BadRequest(apierr.ValidationFailed, "Verify requires a token or a token hash")
	}
	// From here on a browser waits for the answer, so all but what the address itself lacks is a
	// redirect. Whether the client wants a code is in the token: the link has no other trace of it.
	f := flowOf(q.hash)
	method, err := linkMethod(q.kind)
	if f == flowPKCE && err != nil {
		return err
	}
	target, err := s.followLink(ctx, c, q, f, method)
	var refused *apierr.Error
	if errors.As(err, &refused) {
		target, err = errorRedirect(q.redirectTo, refused, f)
	}
	if err != nil {
		return err
	}
	http.Redirect(c.w, c.r, target, http.StatusSeeOther)
	return nil
}

// linkMethod is the authentication method of a session that a PKCE link begins. Unlike that of the
// implicit flow it tells which mail it was (recording cat_hook_authentication_method_pkce).
func linkMethod(kind string) (string, error) {
	switch {
	case strings.HasSuffix(kind, "signup"):
		return methodEmailSignup, nil
	case kind == mailRecovery, kind == mailInvite, kind == mailMagicLink, kind == mailEmailChange:
		return kind, nil
	}
	return "", fmt.Errorf("unsupported authentication method %q", kind)
}

// followLink verifies a link's token and returns where it leads.
func (s *Server) followLink(ctx context.Context, c *call, q *verifyRequest, f flow, method string) (target string, err error) {
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		u, err := s.findByHash(ctx, tx, q)
		if err != nil {
			return err
		}
		before := reachableBy(u)
		if u, err = s.confirm(ctx, tx, u, q); err != nil {
			return err
		}
		if u == nil {
			target, err = messageRedirect(q.redirectTo, oneOfTwo, f)
			return err
		}
		s.notifyChanges(ctx, letter{c, tx, u}, before)
		if f == flowPKCE {
			target, err = codeRedirect(ctx, tx, u, q.redirectTo, method)
			return err
		}
		answer, err := s.startSession(ctx, c, tx, u, methodOTP)
		if err != nil {
			return err
		}
		target = answer.redirect(q.redirectTo, q.kind)
		return nil
	})
	return target, err
}

// redirect is an address with the tokens in its fragment. The empty member sb marks redirects of this
// API for clients.
func (t *tokenResponse) redirect(address, kind string) string {
	values := url.Values{
		"access_token": {t.AccessToken}, "token_type": {t.TokenType},
		"expires_in": {strconv.Itoa(t.ExpiresIn)}, "expires_at": {strconv.FormatInt(t.ExpiresAt, 10)},
		"refresh_token": {t.RefreshToken}, "type": {kind}, "sb": {""},
	}
	return address + "#" + values.Encode()
}

// codeRedirect is an address with the auth code in its query, where the site's server sees it. The
// code is of use only to the client that knows the verifier.
func codeRedirect(ctx context.Context, tx *store.Conn, u *store.User, address, method string) (string, error) {
	code, err := issueCode(ctx, tx, u.ID, method)
	if err != nil {
		return "", apierr.BadRequest(apierr.FlowStateNotFound, "No associated flow state found. %s", err).Because(err)
	}
	target, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("redirect address: %w", err)
	}
	// The address may have a query of its own, which stays.
	query := target.Query()
	query.Set("code", code)
	target.RawQuery = query.Encode()
	return target.String(), nil
}

// messageRedirect is an address with a message in its fragment and, in the PKCE flow, in its query.
func messageRedirect(address, message string, f flow) (string, error) {
	return withFragment(address, url.Values{"message": {message}}, f)
}

// errorRedirect is an address with an error. Names of errors are those of OAuth 2.0, for statuses
// that have one.
func errorRedirect(address string, refused *apierr.Error, f flow) (string, error) {
	values := url.Values{"error_code": {string(refused.Code)}, "error_description": {refused.Message}}
	if name := oauthErrorName(refused.Status); name != "" {
		values.Set("error", name)
	}
	return withFragment(address, values, f)
}

// oauthErrorName is the error of RFC 6749, section 4.1.2.1, for a status; most statuses have none.
func oauthErrorName(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request"
	case http.StatusUnauthorized:
		return "unauthorized_client"
	case http.StatusForbidden:
		return "access_denied"
	case http.StatusInternalServerError:
		return "server_error"
	case http.StatusServiceUnavailable:
		return "temporarily_unavailable"
	}
	return ""
}

// withFragment puts values into the fragment of an address and, in the PKCE flow, into its query,
// where a server can read them.
func withFragment(address string, values url.Values, f flow) (string, error) {
	target, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("redirect address: %w", err)
	}
	if f == flowPKCE {
		query := target.Query()
		for name := range values {
			query.Set(name, values.Get(name))
		}
		target.RawQuery = query.Encode()
	}
	values.Set("sb", "")
	target.Fragment = values.Encode()
	return target.String(), nil
}
