package auth

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// bearerPattern is strict about the one space and the end, and lenient about case (recording
// user_get_token_errors).
var bearerPattern = regexp.MustCompile(`(?i)^bearer (\S+$)`)

// readBearer reads the bearer token of a request into its claims. The token is not looked up.
func (s *Server) readBearer(c *call) error {
	match := bearerPattern.FindStringSubmatch(c.r.Header.Get("Authorization"))
	if match == nil {
		return apierr.Unauthorized(apierr.NoAuthorization, "This endpoint requires a valid Bearer token")
	}
	claims, err := s.tokens.Parse(match[1])
	if err != nil {
		return apierr.Forbidden(apierr.BadJWT, "invalid JWT: unable to parse or verify signature, %v", err).Because(err)
	}
	c.claims = claims
	return nil
}

// loadBearer loads the user and session of a request's claims. Both are read from the database on
// every request: a deleted user or an ended session is refused although its token has time left.
func (s *Server) loadBearer(ctx context.Context, c *call) error {
	if c.claims.Subject == "" {
		return apierr.Forbidden(apierr.BadJWT, "invalid claim: missing sub claim")
	}
	userID, err := uuid.Parse(c.claims.Subject)
	if err != nil {
		return apierr.BadRequest(apierr.BadJWT, "invalid claim: sub claim must be a UUID").Because(err)
	}
	c.user, err = s.store.UserByID(ctx, userID)
	// 403 and not 401: the token is good, its user is not.
	if errors.Is(err, store.ErrNotFound) {
		return apierr.Forbidden(apierr.UserNotFound, "User from sub claim in JWT does not exist")
	}
	if err != nil || c.claims.SessionID == "" || c.claims.SessionID == uuid.Nil.String() {
		return err
	}
	sessionID, err := uuid.Parse(c.claims.SessionID)
	if err != nil {
		return apierr.Forbidden(apierr.BadJWT, "invalid claim: session_id claim must be a UUID").Because(err)
	}
	c.session, err = s.store.Session(ctx, sessionID)
	if errors.Is(err, store.ErrNotFound) {
		return apierr.Forbidden(apierr.SessionNotFound, "Session from session_id claim in JWT does not exist").Because(err)
	}
	return err
}

// signedIn lets a request pass whose bearer token belongs to a user that exists and is not banned,
// and to a session that exists, if the token names one.
func (s *Server) signedIn(next handler) handler {
	return func(ctx context.Context, c *call) error {
		if err := s.readBearer(c); err != nil {
			return err
		}
		if err := s.loadBearer(ctx, c); err != nil {
			return err
		}
		if c.user.IsBanned(s.cfg.Now()) {
			return apierr.Forbidden(apierr.UserBanned, "User is banned")
		}
		return next(ctx, c)
	}
}

// asAdmin lets a request pass whose bearer token has an administrator's role. A token that names a
// session must belong to a living one.
func (s *Server) asAdmin(next handler) handler {
	return func(ctx context.Context, c *call) error {
		if err := s.readBearer(c); err != nil {
			return err
		}
		// An API key has no session and no user. A user whose token has an administrator's role, by a
		// hook or by users.role, loses it with the session.
		if err := s.checkAdminSession(ctx, c); err != nil {
			return err
		}
		if !slices.Contains(s.cfg.JWT.AdminRoles, c.claims.Role) {
			return apierr.Forbidden(apierr.NotAdmin, "User not allowed")
		}
		c.admin = &store.User{Role: c.claims.Role, Email: store.Text(c.claims.Role)}
		return next(ctx, c)
	}
}

// checkAdminSession refuses a token whose session has ended or expired.
func (s *Server) checkAdminSession(ctx context.Context, c *call) error {
	if c.claims.SessionID == "" || c.claims.SessionID == uuid.Nil.String() {
		return nil
	}
	if err := s.loadBearer(ctx, c); err != nil {
		return err
	}
	if c.session != nil && s.sessionState(c.session, c.user, s.cfg.Now(), nil) != sessionValid {
		return apierr.Forbidden(apierr.SessionExpired, "Session is no longer valid")
	}
	return nil
}

// sessionState is why a session can no longer be refreshed.
type sessionState int

const (
	sessionValid sessionState = iota
	sessionExpired
	sessionInactive
	sessionLowAAL
)

// sessionState judges a session by the settings. refreshed is when its refresh token was made, nil
// when that is not known.
func (s *Server) sessionState(session *store.Session, u *store.User, now time.Time, refreshed *time.Time) sessionState {
	rules := s.cfg.Sessions
	// The order decides which reason is told when there are several.
	switch {
	case session.NotAfter != nil && now.After(*session.NotAfter),
		rules.Timebox != 0 && now.After(session.CreatedAt.Add(rules.Timebox)):
		return sessionExpired
	case rules.InactivityTimeout != 0 && now.After(session.LastRefresh(refreshed).Add(rules.InactivityTimeout)):
		return sessionInactive
	case rules.AllowLowAAL != 0 && session.Level() < u.HighestAAL() && now.After(session.CreatedAt.Add(rules.AllowLowAAL)):
		return sessionLowAAL
	}
	return sessionValid
}
