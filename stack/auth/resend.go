package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// resend answers POST /resend: the mail or message of a pending confirmation once more, with a new
// code; the old one is void. When nothing is pending the answer is the same, and it tells nobody who
// is registered.
func (s *Server) resend(ctx context.Context, c *call) error {
	params := &api.ResendConfirmationParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if err := s.checkResend(params); err != nil {
		return err
	}
	u, err := s.findResend(ctx, c, params)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return c.json(http.StatusOK, sent{})
	case err != nil:
		return apierr.Internal("Unable to process request").Because(err)
	case !isPending(u, params.Type):
		return c.json(http.StatusOK, sent{})
	}
	var messageID string
	err = s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		messageID, err = s.sendAgain(ctx, letter{c, tx, u}, params)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, sent{messageID})
}

// checkResend checks the parameters in the real server's order and normalises the address or number.
func (s *Server) checkResend(p *api.ResendConfirmationParams) (err error) {
	refuse := func(message string) error { return apierr.BadRequest(apierr.ValidationFailed, "%s", message) }
	switch p.Type {
	case mailSignup, mailEmailChange:
		if err := checkPKCE(p.CodeChallengeMethod, p.CodeChallenge); err != nil {
			return err
		}
	case typeSMS, typePhoneChange:
	default:
		return refuse("Missing one of these types: signup, email_change, sms, phone_change")
	}
	switch {
	case p.Email == "" && p.Type == mailSignup:
		return refuse("Type provided requires an email address")
	case p.Phone == "" && p.Type == typeSMS:
		return refuse("Type provided requires a phone number")
	case p.Email != "" && p.Phone != "":
		return refuse("Only an email address or phone number should be provided.")
	case p.Email != "":
		if !s.cfg.External.Email {
			return apierr.BadRequest(apierr.EmailProviderDisabled, "Email logins are disabled")
		}
		p.Email, err = checkEmail(p.Email)
		return err
	case p.Phone != "":
		if !s.cfg.External.Phone {
			return apierr.BadRequest(apierr.PhoneProviderDisabled, "Phone logins are disabled")
		}
		p.Phone, err = checkPhone(p.Phone)
		return err
	}
	return refuse("Missing email address or phone number")
}

// findResend finds the user by its address or number. For a change it is the current one, not the one
// that is to be confirmed.
func (s *Server) findResend(ctx context.Context, c *call, p *api.ResendConfirmationParams) (*store.User, error) {
	if p.Email != "" {
		return s.store.UserByEmail(ctx, p.Email, s.aud(c))
	}
	return s.store.UserByPhone(ctx, p.Phone, s.aud(c))
}

// isPending tells whether a user waits for a confirmation of a type.
func isPending(u *store.User, kind string) bool {
	switch kind {
	case mailSignup:
		return !u.IsConfirmed()
	case typeSMS:
		return !u.IsPhoneConfirmed()
	case mailEmailChange:
		return u.EmailChange != ""
	}
	return u.PhoneChange != ""
}

// sendAgain sends what is pending. Changes of an address or a number leave no trace in the audit log,
// and a text message one that speaks of a recovery: the log is the real server's.
func (s *Server) sendAgain(
	ctx context.Context, l letter, p *api.ResendConfirmationParams,
) (messageID string, err error) {
	start := flowStart{challengeMethod: p.CodeChallengeMethod, challenge: p.CodeChallenge, userID: l.u.ID}
	switch p.Type {
	case mailSignup:
		if err := l.tx.Audit(ctx, l.u, store.Event{Action: store.UserConfirmationRequested}); err != nil {
			return "", err
		}
		start.provider, start.method = methodEmailSignup, methodEmailSignup
		f, err := s.startFlow(ctx, l.tx, start)
		if err != nil {
			return "", err
		}
		return "", s.sendConfirmation(ctx, l, f)
	case mailEmailChange:
		start.provider, start.method = methodEmailChange, methodEmailChange
		f, err := s.startFlow(ctx, l.tx, start)
		if err != nil {
			return "", err
		}
		return "", s.sendEmailChange(ctx, l, l.u.EmailChange, f)
	case typeSMS:
		if err := l.tx.Audit(ctx, l.u, store.Event{Action: store.UserRecoveryRequested}); err != nil {
			return "", err
		}
		return s.sendPhoneConfirmation(ctx, l, p.Phone)
	}
	return s.sendPhoneChange(ctx, l, l.u.PhoneChange)
}
