package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// refreshPatience is how long a refresh tries again while another one holds its session.
const refreshPatience = 5 * time.Second

// errSessionBusy ends the transaction of a refresh whose token or session another one holds.
var errSessionBusy = errors.New("the session is being refreshed by another request")

// refreshGrant answers POST /token?grant_type=refresh_token. Refreshes of one session come one after
// the other. Whoever finds the session locked gives its connection back and tries again later, so
// that many refreshes of one session do not hold the pool.
func (s *Server) refreshGrant(ctx context.Context, c *call) error {
	params := &api.RefreshTokenGrantParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if !isRefreshToken(params.RefreshToken) {
		return apierr.BadRequest(apierr.ValidationFailed, "Refresh token is not valid")
	}
	// Validity is judged by the time the request came, not by when its turn has come.
	started := s.cfg.Now()
	for {
		answer, err := s.refresh(ctx, c, params.RefreshToken, started)
		if !errors.Is(err, errSessionBusy) {
			if err != nil {
				return err
			}
			return c.json(http.StatusOK, answer)
		}
		if s.cfg.Now().Sub(started) > refreshPatience {
			return apierr.New(http.StatusConflict, apierr.Conflict,
				"Too many concurrent token refresh requests on the same session or refresh token")
		}
		// Waiting by chance keeps those that were turned away together from coming back together.
		if err := pause(ctx, 10*time.Millisecond+rand.N(20*time.Millisecond)); err != nil {
			return err
		}
	}
}

// pause waits, but not longer than the request lives.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

var refreshPattern = regexp.MustCompile(`^[a-z0-9]{12}$`)

// isRefreshToken tells whether a text has the form of a refresh token. Besides the ones of this
// server there are longer ones, bound to a session by a signature, that a project may have switched
// on; none of them can be found here.
func isRefreshToken(text string) bool {
	if len(text) <= 12 {
		return refreshPattern.MatchString(text)
	}
	// version 0, session, counter of 1 to 9 bytes, half an HMAC-SHA-256, 4 bytes of checksum
	const shortest, longest, sum = 1 + 16 + 1 + 16 + 4, 1 + 16 + 9 + 16 + 4, 4
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(data) < shortest || len(data) > longest || data[0] != 0 {
		return false
	}
	body, checksum := data[:len(data)-sum], data[len(data)-sum:]
	want := sha256.Sum256(body)
	return string(want[:sum]) == string(checksum)
}

// refresh judges a token and its session, first without a lock and then, when they are good, in the
// transaction that replaces the token.
func (s *Server) refresh(ctx context.Context, c *call, value string, started time.Time) (*tokenResponse, error) {
	found, err := s.store.FindRefresh(ctx, value, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil, apierr.BadRequest(apierr.RefreshTokenNotFound, "Invalid Refresh Token: Refresh Token Not Found")
	}
	if err != nil {
		return nil, apierr.Internal("%s", err.Error())
	}
	c.w.Header().Set("Sb-Auth-User-Id", found.User.ID.String())
	if err := s.checkRefresh(ctx, found, started); err != nil {
		return nil, err
	}
	c.w.Header().Set("Sb-Auth-Session-Id", found.Session.ID.String())
	// What was found without a lock was there a moment ago. Not finding it with one means that another
	// request holds it, or has just ended the session: the next round will tell which.
	var answer *tokenResponse
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		locked, err := tx.FindRefresh(ctx, value, true)
		if errors.Is(err, store.ErrNotFound) {
			return errSessionBusy
		}
		if err != nil {
			return apierr.Internal("%s", err.Error())
		}
		answer, err = s.rotate(ctx, c, tx, locked, started)
		return err
	})
	var commit *store.CommitError
	if errors.As(err, &commit) {
		err = commit.Err
	}
	return answer, err
}

// checkRefresh refuses a banned user, a token without a session and a session that has ended.
func (s *Server) checkRefresh(ctx context.Context, found store.Refresh, now time.Time) error {
	if found.User.IsBanned(s.cfg.Now()) {
		return apierr.BadRequest(apierr.UserBanned, "Invalid Refresh Token: User Banned")
	}
	if found.Session == nil {
		// Such tokens are older than sessions, or were made by SQL. They can never be used again.
		if err := s.store.DeleteRefreshToken(ctx, found.Token.ID); err != nil {
			return apierr.Internal("Error deleting refresh token with missing session").Because(err)
		}
		return apierr.BadRequest(apierr.SessionNotFound, "Invalid Refresh Token: No Valid Session Found")
	}
	why := ""
	switch s.sessionState(found.Session, found.User, now, &found.Token.UpdatedAt) {
	case sessionValid:
		return nil
	case sessionInactive:
		why = " (Inactivity)"
	case sessionLowAAL:
		why = " (Low AAL: User Needs MFA Verification)"
	}
	return apierr.BadRequest(apierr.SessionExpired, "Invalid Refresh Token: Session Expired%s", why)
}

// rotate gives out the session's next refresh token with an access token. When the custom access
// token hook fails, the transaction undoes the rotation: the client can try again with the same token.
func (s *Server) rotate(
	ctx context.Context, c *call, tx *store.Conn, found store.Refresh, started time.Time,
) (*tokenResponse, error) {
	u, session := found.User, found.Session
	if err := s.checkOnlySession(ctx, tx, found, started); err != nil {
		return nil, err
	}
	refreshToken, err := s.reusable(ctx, tx, found)
	if err != nil {
		return nil, err
	}
	if err := tx.Audit(ctx, u, store.Event{Action: store.TokenRefreshed}); err != nil {
		return nil, err
	}
	header := c.w.Header()
	if refreshToken == "" {
		if refreshToken, err = swapRefreshToken(ctx, tx, u, found.Token); err != nil {
			return nil, err
		}
		header.Set("Sb-Auth-Refresh-Token-Reuse", "false")
	}
	header.Set("Sb-Auth-Refresh-Token-Prefix", refreshToken[:5])
	accessToken, expiresAt, err := s.accessToken(ctx, c, tx, bearer{u, session.ID, methodTokenRefresh})
	if err != nil {
		return nil, err
	}
	if err := tx.TouchSession(ctx, session.ID, c.grant()); err != nil {
		return nil, apierr.Internal("failed to update session information").Because(err)
	}
	return s.response(accessToken, expiresAt, refreshToken, u), nil
}

// swapRefreshToken revokes a token and makes its successor. last_sign_in_at is written as it was: the
// real server does, and triggers on auth.users see an update with every refresh.
func swapRefreshToken(ctx context.Context, tx *store.Conn, u *store.User, old *store.RefreshToken) (string, error) {
	if err := tx.Audit(ctx, u, store.Event{Action: store.TokenRevoked}); err != nil {
		return "", err
	}
	if err := tx.RevokeRefreshToken(ctx, old); err != nil {
		return "", err
	}
	next, err := tx.CreateRefreshToken(ctx, u.ID, *old.SessionID, old)
	if err != nil {
		return "", err
	}
	return next, tx.SaveUser(ctx, u, store.LastSignInAt)
}

// reusable judges a token that was replaced before. The direct predecessor of the active token means
// that a client has lost the answer of its last refresh: it gets the active token, which is
// returned. Any other one may be replaced again for a while; then, its reuse is a sign of theft: it
// is refused, and the whole family revoked when rotation is on. The returned *store.CommitError keeps
// the revocations.
func (s *Server) reusable(ctx context.Context, tx *store.Conn, found store.Refresh) (active string, err error) {
	if !found.Token.Revoked {
		return "", nil
	}
	current, err := tx.ActiveRefreshToken(ctx, found.Session.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", apierr.Internal("%s", err.Error())
	}
	if current != nil && string(current.Parent) == found.Token.Token {
		return current.Token, nil
	}
	// A revoked token's updated_at is when it was revoked, by its successor or with the family.
	interval := time.Duration(s.cfg.Security.RefreshTokenReuseInterval) * time.Second
	if !s.cfg.Now().After(found.Token.UpdatedAt.Add(interval)) {
		return "", nil
	}
	if s.cfg.Security.RefreshTokenRotation {
		if err := tx.RevokeFamily(ctx, found.Token); err != nil {
			return "", apierr.Internal("%s", err.Error())
		}
	}
	return "", &store.CommitError{
		Err: apierr.BadRequest(apierr.RefreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used"),
	}
}

// checkOnlySession refuses to refresh when users have one session each and another one of this user
// was refreshed later.
func (s *Server) checkOnlySession(ctx context.Context, tx *store.Conn, found store.Refresh, now time.Time) error {
	if !s.cfg.Sessions.SinglePerUser {
		return nil
	}
	sessions, err := tx.Sessions(ctx, found.User.ID)
	if err != nil {
		return apierr.Internal("%s", err.Error())
	}
	last := found.Session.LastRefresh(&found.Token.UpdatedAt)
	for i := range sessions {
		other := &sessions[i]
		if other.ID == found.Session.ID || s.sessionState(other, found.User, now, nil) != sessionValid ||
			s.tagOf(other) != s.tagOf(found.Session) {
			continue
		}
		if other.LastRefresh(nil).After(last) {
			return apierr.BadRequest(apierr.SessionExpired, "Invalid Refresh Token: Session Expired (Revoked by Newer Login)")
		}
	}
	return nil
}

// tagOf is the kind of a session, of those that the settings know.
func (s *Server) tagOf(session *store.Session) string {
	tags := s.cfg.Sessions.Tags
	switch {
	case len(tags) == 0:
		return ""
	case session.Tag != nil && slices.Contains(tags, *session.Tag):
		return *session.Tag
	}
	return tags[0]
}
