package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/store"
)

// challenged is the answer to a new challenge.
type challenged struct {
	ID   uuid.UUID `json:"id"`
	Type string    `json:"type"`
	// ExpiresAt is a Unix time.
	ExpiresAt int64 `json:"expires_at,omitempty"`
}

// challenge answers POST /factors/{factor_id}/challenge: it opens a time in which a code counts. For
// an app that is all; a phone is sent its code here. The body of an app's challenge is not looked at.
func (s *Server) challenge(ctx context.Context, c *call) error {
	var code string
	switch c.factor.FactorType {
	case factorTOTP:
		if !s.cfg.MFA.TOTPVerify {
			return apierr.Unprocessable(apierr.MFATOTPVerifyDisabled, "MFA verification is disabled for TOTP")
		}
	case factorPhone:
		if !s.cfg.MFA.PhoneVerify {
			return apierr.Unprocessable(apierr.MFAPhoneVerifyDisabled, "MFA verification is disabled for Phone")
		}
		var err error
		if code, err = s.sendFactorCode(ctx, c); err != nil {
			return err
		}
	default:
		return apierr.Unprocessable(apierr.MFAWebAuthnVerifyDisabled, "MFA verification is disabled for WebAuthn")
	}
	var made *store.Challenge
	err := s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		if made, err = tx.CreateChallenge(ctx, c.factor, c.ip(), code); err != nil {
			return err
		}
		return tx.Audit(ctx, c.user, store.Event{Action: store.ChallengeCreated, IP: c.ip(), Traits: map[string]any{
			"factor_id": c.factor.ID, "factor_status": c.factor.Status,
		}})
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, challenged{
		ID: made.ID, Type: c.factor.FactorType, ExpiresAt: made.CreatedAt.Add(s.cfg.MFA.ChallengeExpiry).Unix(),
	})
}

// sendFactorCode sends a code to the factor's phone, by the send_sms hook, and not too often. The hook
// runs before the challenge is stored and outside of a transaction: a code that did not go out leaves
// no challenge behind. What the hook said stays in the log; the client is told nothing of it.
func (s *Server) sendFactorCode(ctx context.Context, c *call) (string, error) {
	params := &api.ChallengeFactorParams{}
	if err := c.decode(params); err != nil {
		return "", err
	}
	if err := checkChannel(&params.Channel); err != nil {
		return "", err
	}
	if err := s.tooSoon(apierr.OverSMSSendRateLimit, c.factor.LastChallengedAt, s.cfg.MFA.PhoneMaxFrequency); err != nil {
		return "", err
	}
	code, err := s.newCode(s.cfg.MFA.PhoneOTPLength)
	if err != nil {
		return "", err
	}
	if !s.hooks.Enabled(hooks.SendSMS) {
		return "", apierr.Internal("Failed to get SMS provider").
			Because(fmt.Errorf("sms provider %q could not be found", s.cfg.SMS.Provider))
	}
	err = s.hooks.SendSMS(ctx, nil, hooks.SMSInput{
		IPAddress: c.ip(), User: c.user, SMS: hooks.SMSData{OTP: code, Type: "mfa", Phone: string(c.factor.Phone)},
	})
	if err != nil {
		return "", apierr.Internal("error invoking hook").Because(err)
	}
	return code, nil
}

// verifyFactor answers POST /factors/{factor_id}/verify: a right code raises the session to aal2, and
// ends the user's sessions that are lower. The challenge stays open after a wrong code; it is the
// hook that can stop somebody from guessing.
func (s *Server) verifyFactor(ctx context.Context, c *call) error {
	params := &api.VerifyFactorParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.Code == "" {
		return apierr.BadRequest(apierr.ValidationFailed, "Code needs to be non-empty")
	}
	if err := s.mayVerify(c.factor); err != nil {
		return err
	}
	open, err := s.openChallenge(ctx, c, params.ChallengeID)
	if err != nil {
		return err
	}
	valid, wrong := s.checkFactorCode(c.factor, open, params.Code)
	if err := s.askMFAHook(ctx, c, valid); err != nil {
		return err
	}
	if !valid {
		return wrong
	}
	isFirst := c.factor.Status != store.FactorVerified
	var answer *tokenResponse
	err = s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		answer, err = s.storeVerification(ctx, c, tx, open)
		return err
	})
	if err != nil {
		return err
	}
	if isFirst {
		s.notify(ctx, letter{c, s.store.Conn, c.user}, notice{kind: noticeFactorEnrolled, factorType: c.factor.FactorType})
	}
	return c.json(http.StatusOK, answer)
}

// mayVerify refuses factors of a type that is switched off. Factors that were enrolled before it was
// are still there, and cannot be used.
func (s *Server) mayVerify(f *store.Factor) error {
	switch {
	case f.FactorType == factorTOTP && !s.cfg.MFA.TOTPVerify:
		return apierr.Unprocessable(apierr.MFATOTPVerifyDisabled, "MFA verification is disabled for TOTP")
	case f.FactorType == factorPhone && !s.cfg.MFA.PhoneVerify:
		return apierr.Unprocessable(apierr.MFAPhoneVerifyDisabled, "MFA verification is disabled for Phone")
	case f.FactorType == factorWebAuthn:
		// The code of the error is upstream's, where enrolling and verifying share it.
		return apierr.Unprocessable(apierr.MFAWebAuthnEnrollDisabled, "MFA verification is disabled for WebAuthn")
	}
	return nil
}

// openChallenge finds a challenge that can still be answered, from the address that asked for it.
func (s *Server) openChallenge(ctx context.Context, c *call, id uuid.UUID) (*store.Challenge, error) {
	open, err := s.store.Challenge(ctx, c.factor.ID, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, apierr.Unprocessable(apierr.MFAFactorNotFound, "MFA factor with the provided challenge ID not found")
	case err != nil:
		return nil, apierr.Internal("Database error finding Challenge").Because(err)
	case open.VerifiedAt != nil || string(open.IP) != c.ip():
		return nil, errUsedChallenge()
	}
	// Nobody else cleans challenges up, so one that is too old goes when it is met.
	if s.cfg.Now().After(open.CreatedAt.Add(s.cfg.MFA.ChallengeExpiry)) {
		if err := s.store.DeleteChallenge(ctx, open.ID); err != nil {
			return nil, apierr.Internal("Database error deleting challenge").Because(err)
		}
		return nil, apierr.Unprocessable(apierr.MFAChallengeExpired,
			"MFA challenge %v has expired, verify against another challenge or create a new challenge.", open.ID)
	}
	return open, nil
}

// errUsedChallenge is the answer for another address, and also for a challenge that was used.
func errUsedChallenge() error {
	return apierr.Unprocessable(apierr.MFAIPAddressMismatch, "Challenge and verify IP addresses mismatch.")
}

// checkFactorCode tells whether a code is right, and the answer for a wrong one. A TOTP code may be
// one step of 30 seconds early or late.
func (s *Server) checkFactorCode(f *store.Factor, open *store.Challenge, code string) (valid bool, wrong error) {
	if f.FactorType == factorPhone {
		// In constant time: how long a comparison takes must not tell how much of a code is right.
		valid = subtle.ConstantTimeCompare([]byte(open.OTPCode), []byte(code)) == 1
		return valid, apierr.Unprocessable(apierr.MFAVerificationFailed, "Invalid MFA Phone code entered")
	}
	valid, err := totp.ValidateCustom(code, string(f.Secret), s.cfg.Now().UTC(), totp.ValidateOpts{
		Period: 30, Skew: 1, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	return valid && err == nil, apierr.Unprocessable(apierr.MFAVerificationFailed, "Invalid TOTP code entered").Because(err)
}

// askMFAHook asks the mfa_verification_attempt hook. A rejection ends all of the user's sessions.
func (s *Server) askMFAHook(ctx context.Context, c *call, valid bool) error {
	verdict, err := s.hooks.MFAVerification(ctx, nil, hooks.MFAInput{
		IPAddress: c.ip(), UserID: c.user.ID.String(), FactorID: c.factor.ID.String(),
		FactorType: c.factor.FactorType, Valid: valid,
	})
	if err != nil {
		return hookError(err)
	}
	if !verdict.Rejected() {
		return nil
	}
	if err := s.store.DeleteSessions(ctx, c.user.ID); err != nil {
		return err
	}
	if verdict.Message == "" {
		verdict.Message = "Further MFA verification attempts will be rejected."
	}
	return apierr.Forbidden(apierr.MFAVerificationRejected, "%s", verdict.Message)
}

// storeVerification uses the challenge up, verifies the factor and gives the session its new tokens.
// All other sessions of the user that have not proved a factor end: once there is one, a session from
// before it would be a way around it.
func (s *Server) storeVerification(
	ctx context.Context, c *call, tx *store.Conn, open *store.Challenge,
) (*tokenResponse, error) {
	event := store.Event{Action: store.VerificationAttempted, IP: c.ip(), Traits: map[string]any{
		"factor_id": c.factor.ID, "challenge_id": open.ID, "factor_type": c.factor.FactorType,
	}}
	if err := tx.Audit(ctx, c.user, event); err != nil {
		return nil, err
	}
	err := tx.UseChallenge(ctx, open.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errUsedChallenge()
	}
	if err == nil && c.factor.Status != store.FactorVerified {
		err = tx.VerifyFactor(ctx, c.factor)
	}
	if err != nil {
		return nil, err
	}
	// Read again: the answer and the claims show the factor as verified.
	u, err := tx.UserByID(ctx, c.user.ID)
	if err != nil {
		return nil, err
	}
	answer, err := s.raiseSession(ctx, c, tx, u)
	if err != nil {
		return nil, err
	}
	if err := tx.DeleteSessionsBelow(ctx, u.ID, store.AAL2); err != nil {
		return nil, apierr.Internal("Failed to update sessions. %s", err).Because(err)
	}
	if err := tx.DeleteUnverifiedFactors(ctx, u.ID, c.factor.FactorType); err != nil {
		return nil, apierr.Internal("Error removing unverified factors. %s", err).Because(err)
	}
	return answer, nil
}

// raiseSession records the factor with the session of the request and gives it new tokens. The session
// keeps its id and its first method, so amr grows: totp beside password (recording mfa_totp).
func (s *Server) raiseSession(ctx context.Context, c *call, tx *store.Conn, u *store.User) (*tokenResponse, error) {
	if c.session == nil {
		return nil, apierr.Internal("Cannot read SessionId claim as UUID")
	}
	id, method := c.session.ID, factorMethod(c.factor.FactorType)
	if err := tx.AddAMR(ctx, id, method); err != nil {
		return nil, err
	}
	session, err := tx.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	active, err := tx.ActiveRefreshToken(ctx, id)
	if err != nil {
		return nil, err
	}
	// The refresh token from before would keep an unraised client going, so it is replaced.
	refreshToken, err := swapRefreshToken(ctx, tx, u, active)
	if err != nil {
		return nil, err
	}
	_, aal := session.Methods()
	if err := tx.SetSessionAAL(ctx, id, aal, &c.factor.ID); err != nil {
		return nil, err
	}
	accessToken, expiresAt, err := s.accessToken(ctx, c, tx, bearer{u, id, method})
	if err != nil {
		return nil, err
	}
	return s.response(accessToken, expiresAt, refreshToken, u), nil
}
