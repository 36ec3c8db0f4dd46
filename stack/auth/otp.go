package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// otp answers POST /otp: a code by mail or by text message, for a user that is made when there is
// none. Its two halves read the body again, with checks of their own.
func (s *Server) otp(ctx context.Context, c *call) error {
	params := &api.OtpParams{CreateUser: true}
	if err := c.decode(params); err != nil {
		return err
	}
	switch {
	case params.Email != "" && params.Phone != "":
		return apierr.BadRequest(apierr.ValidationFailed, "Only an email address or phone number should be provided")
	case params.Email != "" && params.Channel != "":
		return apierr.BadRequest(apierr.ValidationFailed, "Channel should only be specified with Phone OTP")
	}
	if err := checkPKCE(params.CodeChallengeMethod, params.CodeChallenge); err != nil {
		return err
	}
	if !params.CreateUser {
		if err := s.requireOTPUser(ctx, c, params); err != nil {
			return err
		}
	}
	switch {
	case params.Email != "":
		return s.magicLink(ctx, c)
	case params.Phone != "":
		return s.smsCode(ctx, c)
	}
	return apierr.BadRequest(apierr.ValidationFailed, "One of email or phone must be set")
}

// requireOTPUser refuses an address or number that nobody has. A bad one is refused with the same
// words, as in the real server.
func (s *Server) requireOTPUser(ctx context.Context, c *call, params *api.OtpParams) error {
	refused := apierr.Unprocessable(apierr.OTPDisabled, "Signups not allowed for otp")
	var err error
	switch {
	case params.Email != "":
		email, invalid := checkEmail(params.Email)
		if invalid != nil {
			return refused.Because(invalid)
		}
		_, err = s.store.UserByEmail(ctx, email, s.aud(c))
	case params.Phone != "":
		phone, invalid := checkPhone(params.Phone)
		if invalid != nil {
			return refused.Because(invalid)
		}
		_, err = s.store.UserByPhone(ctx, phone, s.aud(c))
	}
	if errors.Is(err, store.ErrNotFound) {
		return refused.Because(err)
	}
	return err
}

// magicLink answers POST /magiclink, and POST /otp with an address.
func (s *Server) magicLink(ctx context.Context, c *call) error {
	if !s.cfg.External.Email {
		return apierr.Unprocessable(apierr.EmailProviderDisabled, "Email logins are disabled")
	}
	if !s.cfg.External.MagicLink {
		return apierr.Unprocessable(apierr.EmailProviderDisabled, "Login with magic link is disabled")
	}
	params, err := magicLinkParams(c)
	if err != nil {
		return err
	}
	u, err := s.store.UserByEmail(ctx, params.Email, s.aud(c))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return apierr.Internal("Database error finding user").Because(err)
	}
	// An address that never was confirmed may be somebody else's: it is signed up anew, and the mail
	// that confirms it signs in as well.
	if err != nil || !u.IsConfirmed() {
		if err := s.signUpForLink(ctx, c, params); err != nil || !s.cfg.Mailer.Autoconfirm {
			return err
		}
		// Nobody was asked to confirm, so the link is still to be sent.
		if u, err = s.store.UserByEmail(ctx, params.Email, s.aud(c)); err != nil {
			return apierr.Internal("Database error finding user").Because(err)
		}
	}
	return s.answerMagicLink(ctx, c, u, params)
}

// magicLinkParams reads the body a second time, with refusals of its own. Its words about a recovery
// are the real server's.
func magicLinkParams(c *call) (*api.MagicLinkParams, error) {
	body, err := c.bytes()
	params := &api.MagicLinkParams{}
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(body)).Decode(params)
	}
	if err != nil { // a body that is too large included
		return nil, apierr.BadRequest(apierr.BadJSON, "Could not read verification params: %v", err).Because(err)
	}
	if params.Email == "" {
		return nil, apierr.Unprocessable(apierr.ValidationFailed, "Password recovery requires an email")
	}
	if params.Email, err = checkEmail(params.Email); err != nil {
		return nil, err
	}
	return params, checkPKCE(params.CodeChallengeMethod, params.CodeChallenge)
}

// signUpForLink signs an unknown or unconfirmed address up with a password that nobody knows. Where
// addresses have to be confirmed, that mail is the one that was asked for, and the answer is written.
func (s *Server) signUpForLink(ctx context.Context, c *call, params *api.MagicLinkParams) error {
	password, err := s.newPassword()
	if err != nil {
		return err
	}
	err = s.signUpSilently(ctx, c, &api.SignupParams{
		Email: params.Email, Password: password, Data: params.Data,
		CodeChallengeMethod: params.CodeChallengeMethod, CodeChallenge: params.CodeChallenge,
	})
	if err != nil || s.cfg.Mailer.Autoconfirm {
		return err
	}
	return c.json(http.StatusOK, sent{})
}

// signUpSilently is POST /signup whose answer nobody gets. It does all that a sign-up does: hooks run
// and a session is started where nothing has to be confirmed.
func (s *Server) signUpSilently(ctx context.Context, c *call, params *api.SignupParams) error {
	body, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("marshal a sign-up: %w", err)
	}
	return s.signup(ctx, &call{w: nowhere{}, r: c.r, id: c.id, body: body, hasRead: true})
}

// nowhere is a response that is thrown away.
type nowhere struct{}

// Header implements http.ResponseWriter.
func (nowhere) Header() http.Header { return http.Header{} }

// Write implements http.ResponseWriter.
func (nowhere) Write(data []byte) (int, error) { return len(data), nil }

// WriteHeader implements http.ResponseWriter.
func (nowhere) WriteHeader(int) {}

// answerMagicLink sends the link. It is logged as a recovery, whose token and limit it shares.
func (s *Server) answerMagicLink(ctx context.Context, c *call, u *store.User, params *api.MagicLinkParams) error {
	f, err := s.startFlow(ctx, s.store.Conn, flowStart{
		provider: methodMagicLink, method: methodMagicLink,
		challengeMethod: params.CodeChallengeMethod, challenge: params.CodeChallenge, userID: u.ID,
	})
	if err != nil {
		return err
	}
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserRecoveryRequested}); err != nil {
			return err
		}
		return s.sendMagicLink(ctx, letter{c, tx, u}, f)
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, sent{})
}

// smsCode answers POST /otp with a phone number.
func (s *Server) smsCode(ctx context.Context, c *call) error {
	if !s.cfg.External.Phone {
		return apierr.BadRequest(apierr.PhoneProviderDisabled, "Unsupported phone provider")
	}
	params := &api.SmsParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	var err error
	if params.Phone, err = checkPhone(params.Phone); err != nil {
		return err
	}
	if err := checkChannel(&params.Channel); err != nil {
		return err
	}
	u, err := s.store.UserByPhone(ctx, params.Phone, s.aud(c))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return apierr.Internal("Database error finding user").Because(err)
	}
	if err != nil || !u.IsPhoneConfirmed() {
		if err := s.signUpForCode(ctx, c, params); err != nil || !s.cfg.SMS.Autoconfirm {
			return err
		}
		if u, err = s.store.UserByPhone(ctx, params.Phone, s.aud(c)); err != nil {
			return apierr.Internal("Database error finding user").Because(err)
		}
	}
	return s.answerSMSCode(ctx, c, u, params)
}

// signUpForCode is signUpForLink for phone numbers.
func (s *Server) signUpForCode(ctx context.Context, c *call, params *api.SmsParams) error {
	password, err := s.newPassword()
	if err != nil {
		return err
	}
	// A sign-up that has to be confirmed sends the code itself.
	err = s.signUpSilently(ctx, c, &api.SignupParams{
		Phone: params.Phone, Password: password, Data: params.Data, Channel: params.Channel,
	})
	if err != nil || s.cfg.SMS.Autoconfirm {
		return err
	}
	return c.json(http.StatusOK, sent{})
}

// answerSMSCode sends the code.
func (s *Server) answerSMSCode(ctx context.Context, c *call, u *store.User, params *api.SmsParams) error {
	var messageID string
	err := s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		event := store.Event{Action: store.UserRecoveryRequested, Traits: map[string]any{"channel": params.Channel}}
		if err := tx.Audit(ctx, u, event); err != nil {
			return err
		}
		messageID, err = s.sendPhoneConfirmation(ctx, letter{c, tx, u}, params.Phone)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, sent{messageID})
}
