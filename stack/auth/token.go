package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/store"
)

// token answers POST /token. The grant type may be in the query or in a form, as in RFC 6749.
func (s *Server) token(ctx context.Context, c *call) error {
	switch c.r.FormValue("grant_type") {
	case "password":
		return s.passwordGrant(ctx, c)
	case "refresh_token":
		return s.refreshGrant(ctx, c)
	case "pkce":
		return s.pkceGrant(ctx, c)
	case "id_token":
		return idTokenGrant(ctx, c)
	case "web3":
		return web3Grant(ctx, c)
	}
	return apierr.BadRequest(apierr.InvalidCredentials, "unsupported_grant_type")
}

// errLogin is the answer to a wrong address and to a wrong password, so that neither can be told
// from the other.
func errLogin() error {
	return apierr.BadRequest(apierr.InvalidCredentials, "Invalid login credentials")
}

// passwordGrant answers POST /token?grant_type=password. What a stranger can learn from the order of
// the checks is what the real server tells: a ban before the password, a missing confirmation only
// after it (recordings token_banned_user, token_unconfirmed_email).
func (s *Server) passwordGrant(ctx context.Context, c *call) error {
	params := &api.PasswordGrantParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	u, err := s.findLogin(ctx, c, params)
	if err != nil {
		return err
	}
	if !u.HasPassword() {
		return errLogin()
	}
	if u.IsBanned(s.cfg.Now()) {
		return apierr.BadRequest(apierr.UserBanned, "User is banned")
	}
	// The password is compared outside of a transaction: it takes its time by design.
	valid, err := matches(*u.EncryptedPassword, params.Password)
	if err != nil {
		return err
	}
	// The hook hears of right and wrong passwords alike, and can reject both.
	if err := s.askPasswordHook(ctx, c, u, valid); err != nil {
		return err
	}
	if !valid {
		return errLogin()
	}
	if err := checkConfirmed(u, params); err != nil {
		return err
	}
	return s.answerPasswordGrant(ctx, c, u, params)
}

// findLogin finds the user that wants to sign in. A row that cannot be read, such as one that a seed
// script has made without its token columns, fails with the words that send people searching
// (recording seed_sql_users).
func (s *Server) findLogin(ctx context.Context, c *call, params *api.PasswordGrantParams) (*store.User, error) {
	var u *store.User
	var err error
	switch {
	case params.Email != "" && params.Phone != "":
		return nil, apierr.BadRequest(apierr.ValidationFailed, "Only an email address or phone number should be provided on login.")
	case params.Email != "":
		if !s.cfg.External.Email {
			return nil, apierr.Unprocessable(apierr.EmailProviderDisabled, "Email logins are disabled")
		}
		u, err = s.store.UserByEmail(ctx, params.Email, s.aud(c))
	case params.Phone != "":
		if !s.cfg.External.Phone {
			return nil, apierr.Unprocessable(apierr.PhoneProviderDisabled, "Phone logins are disabled")
		}
		u, err = s.store.UserByPhone(ctx, formatPhone(params.Phone), s.aud(c))
	default:
		return nil, apierr.BadRequest(apierr.ValidationFailed, "missing email or phone")
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, errLogin()
	}
	if err != nil {
		return nil, apierr.Internal("Database error querying schema").Because(err)
	}
	return u, nil
}

// askPasswordHook asks the password_verification_attempt hook. A rejection ends the sign-in, and all
// of the user's sessions when the hook wants that. It is told like a wrong password, with the hook's
// own message. Users without a password, and addresses of nobody, never get here.
func (s *Server) askPasswordHook(ctx context.Context, c *call, u *store.User, valid bool) error {
	if !s.hooks.Enabled(hooks.PasswordVerification) {
		return nil
	}
	verdict, err := s.hooks.PasswordVerification(ctx, nil, hooks.PasswordInput{
		IPAddress: c.ip(), UserID: u.ID.String(), Valid: valid,
	})
	if err != nil {
		return hookError(err)
	}
	if !verdict.Rejected() {
		return nil
	}
	// The sessions end although the request fails: this is no part of any transaction.
	if verdict.ShouldLogoutUser {
		if err := s.store.DeleteSessions(ctx, u.ID); err != nil {
			return err
		}
	}
	if verdict.Message == "" {
		verdict.Message = "Further password verification attempts will be rejected."
	}
	return apierr.BadRequest(apierr.InvalidCredentials, "%s", verdict.Message)
}

// checkConfirmed refuses a user that has not confirmed what it signs in with.
func checkConfirmed(u *store.User, params *api.PasswordGrantParams) error {
	if params.Email != "" && !u.IsConfirmed() {
		return apierr.BadRequest(apierr.EmailNotConfirmed, "Email not confirmed")
	}
	if params.Phone != "" && !u.IsPhoneConfirmed() {
		return apierr.BadRequest(apierr.PhoneNotConfirmed, "Phone not confirmed")
	}
	return nil
}

// answerPasswordGrant starts the session. A password that has become too weak since it was set still
// signs in; the answer says so.
func (s *Server) answerPasswordGrant(ctx context.Context, c *call, u *store.User, params *api.PasswordGrantParams) error {
	provider := providerEmail
	if params.Phone != "" {
		provider = providerPhone
	}
	var answer *tokenResponse
	err := s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		event := store.Event{Action: store.Login, Traits: map[string]any{"provider": provider}}
		if err := tx.Audit(ctx, u, event); err != nil {
			return err
		}
		answer, err = s.startSession(ctx, c, tx, u, methodPassword)
		return err
	})
	if err != nil {
		return err
	}
	answer.WeakPassword = s.weakness(params.Password) // nil in an interface: written as null
	return c.json(http.StatusOK, answer)
}
