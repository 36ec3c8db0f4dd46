package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/store"
)

// testMessageID is the id of a message that was not sent because its number has a fixed code.
const testMessageID = "test-otp"

// sendPhoneConfirmation sends a code to a number of a user, to sign up or in.
func (s *Server) sendPhoneConfirmation(ctx context.Context, l letter, phone string) (messageID string, err error) {
	return s.sendPhoneCode(ctx, l, phone, pending{
		token: &l.u.ConfirmationToken, sentAt: &l.u.ConfirmationSentAt,
		columns: []store.Column{store.ConfirmationToken, store.ConfirmationSentAt}, ott: store.ConfirmationOTT,
	})
}

// sendPhoneChange sends a code to the number that a user changes to.
func (s *Server) sendPhoneChange(ctx context.Context, l letter, phone string) (messageID string, err error) {
	l.u.PhoneChange = phone
	return s.sendPhoneCode(ctx, l, phone, pending{
		token: &l.u.PhoneChangeToken, sentAt: &l.u.PhoneChangeSentAt,
		columns: []store.Column{store.PhoneChange, store.PhoneChangeToken, store.PhoneChangeSentAt}, ott: store.PhoneChangeOTT,
	})
}

// sendPhoneReauthentication sends a nonce for a change of password.
func (s *Server) sendPhoneReauthentication(ctx context.Context, l letter) (string, error) {
	return s.sendPhoneCode(ctx, l, string(l.u.Phone), pending{
		token: &l.u.ReauthenticationToken, sentAt: &l.u.ReauthenticationSentAt,
		columns: []store.Column{store.ReauthenticationToken, store.ReauthenticationSentAt}, ott: store.ReauthenticationOTT,
	})
}

// sendPhoneCode sends a code by the send_sms hook, or fails: there is no provider here. It returns
// the id of the message, which only a number with a fixed code has.
func (s *Server) sendPhoneCode(ctx context.Context, l letter, phone string, p pending) (messageID string, err error) {
	if err := s.tooSoon(apierr.OverSMSSendRateLimit, *p.sentAt, s.cfg.SMS.MaxFrequency); err != nil {
		return "", err
	}
	// The limit comes first, so that fixed codes behave like others.
	now := s.now()
	code, fixed := s.testCode(phone, now)
	if fixed {
		messageID = testMessageID
	} else if code, err = s.sendSMS(ctx, l, phone); err != nil {
		return "", err
	}
	*p.token, *p.sentAt = hashCode(phone, code), &now
	p.failure = "error creating one time token"
	return messageID, l.keep(ctx, p, phone)
}

// testCode is the fixed code of a number, if the settings have one for it: a test can sign in by phone
// without a phone.
func (s *Server) testCode(phone string, now time.Time) (string, bool) {
	if until := s.cfg.SMS.TestOTPValidUntil; !until.IsZero() && !now.Before(until) {
		return "", false
	}
	code, ok := s.cfg.SMS.TestOTP[phone]
	return code, ok
}

// sendSMS makes a code and hands it to the send_sms hook. As for mails, limits hold only where numbers
// have to be confirmed.
func (s *Server) sendSMS(ctx context.Context, l letter, phone string) (string, error) {
	if !s.cfg.SMS.Autoconfirm && !s.outgoing.numbers.allow() {
		return "", apierr.TooManyRequests(apierr.OverSMSSendRateLimit, "SMS rate limit exceeded")
	}
	code, err := s.newCode(s.cfg.SMS.OTPLength)
	if err != nil {
		return "", err
	}
	if !s.hooks.Enabled(hooks.SendSMS) {
		return "", apierr.Internal("Unable to get SMS provider").
			Because(fmt.Errorf("sms provider %q could not be found", s.cfg.SMS.Provider))
	}
	return code, hookError(s.hooks.SendSMS(ctx, l.tx.PGX(), hooks.SMSInput{
		IPAddress: l.c.ip(), User: l.u, SMS: hooks.SMSData{OTP: code, Phone: phone},
	}))
}
