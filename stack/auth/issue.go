package auth

import (
	"context"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/store"
	"github.com/supascore/supascore/stack/auth/token"
)

// The ways in which a token is asked for. They are the amr methods of sessions, and what the custom
// access token hook is told.
const (
	methodPassword     = "password"
	methodOTP          = "otp"
	methodTOTP         = "totp"
	methodMagicLink    = "magiclink"
	methodRecovery     = "recovery"
	methodInvite       = "invite"
	methodEmailSignup  = "email/signup"
	methodEmailChange  = "email_change"
	methodTokenRefresh = "token_refresh"
	methodAnonymous    = "anonymous"
)

// tokenResponse is what every endpoint that signs a user in answers.
type tokenResponse struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	// ExpiresIn and ExpiresAt follow the settings, whatever exp a hook has set.
	ExpiresIn    int         `json:"expires_in"`
	ExpiresAt    int64       `json:"expires_at"`
	RefreshToken string      `json:"refresh_token"`
	User         *store.User `json:"user"`
	// WeakPassword is missing from all answers but that of a password: there it is null or tells, as
	// an *apierr.WeakPasswordError, why the settings would no longer accept it.
	WeakPassword any `json:"weak_password,omitempty"`
}

// response makes a token response that expires at a Unix time. How long that is from now is reckoned
// after the hook has run, so a slow hook shows as a second less.
func (s *Server) response(accessToken string, expiresAt int64, refreshToken string, u *store.User) *tokenResponse {
	return &tokenResponse{
		AccessToken: accessToken, TokenType: "bearer", ExpiresIn: int(expiresAt - s.cfg.Now().Unix()), ExpiresAt: expiresAt,
		RefreshToken: refreshToken, User: u,
	}
}

// startSession signs a user in: a new session, its refresh token and the first access token. The
// user's last_sign_in_at is set first, so a trigger or hook sees it, as in the real server. All of it
// is one transaction: when the custom access token hook fails there is no session. The headers are set
// on the way, so that an answer with an error has those that were known by then.
func (s *Server) startSession(
	ctx context.Context, c *call, tx *store.Conn, u *store.User, method string,
) (*tokenResponse, error) {
	now := s.cfg.Now().UTC().Truncate(time.Microsecond)
	u.LastSignInAt = &now
	header := c.w.Header()
	header.Set("Sb-Auth-User-Id", u.ID.String())
	sessionID, refreshToken, err := grantSession(ctx, tx, u, c.grant())
	if err != nil {
		return nil, apierr.Internal("Database error granting user").Because(err)
	}
	header.Set("Sb-Auth-Session-Id", sessionID.String())
	header.Set("Sb-Auth-Refresh-Token-Prefix", refreshToken[:5])
	// The method must be stored before the token is made: its amr claim is read from there.
	if err := tx.AddAMR(ctx, sessionID, method); err != nil {
		return nil, err
	}
	accessToken, expiresAt, err := s.accessToken(ctx, c, tx, bearer{u, sessionID, method})
	if err != nil {
		return nil, err
	}
	return s.response(accessToken, expiresAt, refreshToken, u), nil
}

// grantSession inserts a session and its first refresh token. The update of the user comes last and
// locks its row for the rest of the transaction, the hook included: sign-ins of one user come one
// after the other, and a hook that changes its own user over another connection waits for itself.
func grantSession(
	ctx context.Context, tx *store.Conn, u *store.User, grant store.Grant,
) (sessionID uuid.UUID, refreshToken string, err error) {
	if sessionID, err = tx.CreateSession(ctx, u.ID, grant); err != nil {
		return sessionID, "", err
	}
	if refreshToken, err = tx.CreateRefreshToken(ctx, u.ID, sessionID, nil); err != nil {
		return sessionID, "", err
	}
	return sessionID, refreshToken, tx.SaveUser(ctx, u, store.LastSignInAt)
}

// bearer is whom an access token is for.
type bearer struct {
	user      *store.User
	sessionID uuid.UUID
	// method is what the token is asked for by; refreshes differ here from what the session was
	// authenticated by.
	method string
}

// accessToken makes an access token for a session, with the claims that the custom access token
// hook wants when there is one, and says when it expires by the settings. The hook runs in tx.
func (s *Server) accessToken(ctx context.Context, c *call, tx *store.Conn, b bearer) (text string, expiresAt int64, err error) {
	session, err := tx.Session(ctx, b.sessionID)
	if err != nil {
		return "", 0, apierr.Internal("error generating jwt token").Because(err)
	}
	claims := s.claims(b.user, session)
	expiresAt = claims.ExpiresAt.Unix()
	if !s.hooks.Enabled(hooks.CustomAccessToken) {
		text, err = s.tokens.Sign(claims)
		return text, expiresAt, tokenError(err)
	}
	hooked, err := s.hooks.CustomAccessToken(ctx, tx.PGX(), hooks.AccessTokenInput{
		IPAddress: c.ip(), UserID: claims.Subject, Claims: s.tokens.ForHook(claims), AuthenticationMethod: b.method,
	})
	if err != nil {
		return "", 0, tokenError(hookError(err))
	}
	text, err = s.tokens.SignHooked(hooked)
	return text, expiresAt, tokenError(err)
}

// tokenError words an error that nobody has worded yet.
func tokenError(err error) error {
	var known *apierr.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return apierr.Internal("error generating jwt token").Because(err)
}

// claims are the claims of a session's access token before any hook. User and metadata are those of
// the database now, so a refresh picks up what an administrator has changed; amr and aal are those of
// the session, so a refresh does not change them.
func (s *Server) claims(u *store.User, session *store.Session) *token.AccessTokenClaims {
	methods, aal := session.Methods()
	amr := make(token.AMRClaim, 0, len(methods))
	for _, m := range methods {
		amr = append(amr, token.AMREntry{Method: m.Method, Timestamp: m.UpdatedAt.Unix()})
	}
	now := s.cfg.Now().UTC()
	expires := now.Add(time.Duration(s.cfg.JWT.Exp) * time.Second)
	if low := s.cfg.Sessions.AllowLowAAL; low != 0 && aal < u.HighestAAL() {
		// Such a session ends early unless its user brings the second factor; so does its token.
		if end := session.CreatedAt.Add(low); end.Before(expires) {
			expires = end
		}
	}
	return &token.AccessTokenClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: u.ID.String(), Audience: jwt.ClaimStrings{u.Aud}, Issuer: s.cfg.JWT.Issuer,
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
		},
		Email: string(u.Email), Phone: string(u.Phone), AppMetaData: u.AppMetaData, UserMetaData: u.UserMetaData,
		Role: u.Role, SessionID: session.ID.String(), AAL: aal, AMR: amr, IsAnonymous: u.IsAnonymous,
	}
}

// hookError is how a request fails because of a hook. What failed below stays reachable, for the log
// and for an exception that the hook has raised, which a client may see. Other errors pass.
func hookError(err error) error {
	var failed *hooks.Error
	if !errors.As(err, &failed) {
		return err
	}
	return apierr.New(failed.Status, apierr.Code(failed.Code), "%s", failed.Message).Because(failed.Unwrap())
}
