package auth

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// The types of POST /verify that are no kinds of mails.
const (
	typeEmail       = "email" // a sign-up or a magic link, whichever the code belongs to
	typeSMS         = "sms"
	typePhoneChange = "phone_change"
)

// oneOfTwo is the answer after the first of the two confirmations of a secure change of address.
const oneOfTwo = "Confirmation link accepted. Please proceed to confirm link sent to the other email"

// verifyRequest is a checked request to verify a token.
type verifyRequest struct {
	// kind is the type that the request names; finding the user turns typeEmail into what it stands for.
	kind string
	// hash is the hash of the token, given or made of the code.
	hash string
	// code is the code as it was typed, empty when the request has a hash.
	code         string
	email, phone string
	// redirectTo is where the link leads, for GET only.
	redirectTo string
}

// verify answers POST /verify: a code or a token hash for a session. The session's method is otp,
// whatever the type: who followed a link has shown that they read the mail, and no more.
func (s *Server) verify(ctx context.Context, c *call) error {
	params := &api.VerifyParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	q, err := checkVerify(params)
	if err != nil {
		return err
	}
	var answer *tokenResponse
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		u, err := s.findToVerify(ctx, c, tx, q)
		if err != nil {
			return err
		}
		before := reachableBy(u)
		if u, err = s.confirm(ctx, tx, u, q); err != nil || u == nil {
			return err
		}
		s.notifyChanges(ctx, letter{c, tx, u}, before)
		answer, err = s.startSession(ctx, c, tx, u, methodOTP)
		return err
	})
	if err != nil {
		return err
	}
	if answer == nil {
		return c.json(http.StatusOK, map[string]string{"code": strconv.Itoa(http.StatusOK), "msg": oneOfTwo})
	}
	return c.json(http.StatusOK, answer)
}

// checkVerify checks the parameters of POST /verify. A code needs the address or number that it went
// to, because the hash is made of both; a token hash stands for itself. A type that does not exist is
// not refused here: for a code it ends as a wrong code (recording email_verify_signup).
func checkVerify(p *api.VerifyParams) (*verifyRequest, error) {
	refuse := func(message string) error { return apierr.BadRequest(apierr.ValidationFailed, "%s", message) }
	q := &verifyRequest{kind: p.Type, hash: p.TokenHash, code: p.Token, email: p.Email, phone: p.Phone}
	switch {
	case p.Type == "":
		return nil, refuse("Verify requires a verification type")
	case (p.Token == "") == (p.TokenHash == ""):
		return nil, refuse("Verify requires either a token or a token hash")
	case p.TokenHash != "" && (p.Email != "" || p.Phone != "" || p.RedirectTo != ""):
		return nil, refuse("Only the token_hash and type should be provided")
	case p.TokenHash != "":
		return q, nil
	case (p.Email == "") == (p.Phone == ""):
		return nil, refuse("Only an email address or phone number should be provided on verify")
	}
	return q, q.hashCode()
}

// hashCode turns the code of a request into the hash that is stored. A bad number and a bad address
// are refused in different words and with different statuses, as in the real server.
func (q *verifyRequest) hashCode() (err error) {
	if q.phone != "" {
		if q.phone, err = checkPhone(q.phone); err != nil {
			return err
		}
		q.hash = hashCode(q.phone, q.code)
		return nil
	}
	if q.email, err = checkEmail(q.email); err != nil {
		return apierr.Unprocessable(apierr.ValidationFailed, "Invalid email format").Because(err)
	}
	q.hash = hashCode(q.email, q.code)
	return nil
}

// findToVerify finds the user that a request's token belongs to, if it is still good.
func (s *Server) findToVerify(ctx context.Context, c *call, tx *store.Conn, q *verifyRequest) (*store.User, error) {
	if q.code == "" {
		return s.findByHash(ctx, tx, q)
	}
	return s.findByCode(ctx, tx, q, s.aud(c))
}

// findByHash finds the user of a token hash, as links have it.
func (s *Server) findByHash(ctx context.Context, tx *store.Conn, q *verifyRequest) (*store.User, error) {
	var kinds []store.TokenType
	switch q.kind {
	case typeEmail:
		kinds = []store.TokenType{store.ConfirmationOTT, store.RecoveryOTT}
	case mailSignup, mailInvite:
		kinds = []store.TokenType{store.ConfirmationOTT}
	case mailRecovery, mailMagicLink:
		kinds = []store.TokenType{store.RecoveryOTT}
	case mailEmailChange:
		kinds = []store.TokenType{store.EmailChangeCurrentOTT, store.EmailChangeNewOTT}
	default:
		return nil, apierr.BadRequest(apierr.ValidationFailed, "Invalid email verification type")
	}
	expired := apierr.Forbidden(apierr.OTPExpired, "Email link is invalid or has expired")
	u, err := tx.UserByToken(ctx, q.hash, kinds...)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, expired.Because(err)
	case err != nil:
		return nil, apierr.Internal("Database error finding user from email link").Because(err)
	case u.IsBanned(s.cfg.Now()):
		return nil, apierr.Forbidden(apierr.UserBanned, "User is banned")
	}
	if q.kind == typeEmail {
		// Clients that ask for type email do not know which mail the user has opened.
		q.kind = mailSignup
		if u.RecoveryToken == q.hash {
			q.kind = mailMagicLink
		}
	}
	// One-time tokens have no time of their own. It is in the user, one for each kind of mail.
	sentAt := u.ConfirmationSentAt
	switch q.kind {
	case mailRecovery, mailMagicLink:
		sentAt = u.RecoverySentAt
	case mailEmailChange:
		sentAt = u.EmailChangeSentAt
	}
	if !s.usable(sentAt, s.cfg.Mailer.OTPExp) {
		return nil, expired
	}
	return u, nil
}

// errBadCode is the answer to a wrong code and to a code for nobody.
func errBadCode() *apierr.Error {
	return apierr.Forbidden(apierr.OTPExpired, "Token has expired or is invalid")
}

// findByCode finds the user of an address or number and compares its code.
func (s *Server) findByCode(ctx context.Context, tx *store.Conn, q *verifyRequest, aud string) (*store.User, error) {
	var u *store.User
	var err error
	switch q.kind {
	case typePhoneChange:
		u, err = tx.UserByPhoneChange(ctx, q.phone, aud)
	case typeSMS:
		u, err = tx.UserByPhone(ctx, q.phone, aud)
	case mailEmailChange:
		// The code may have gone to the old or the new address; the hash finds out.
		u, err = tx.UserByEmailChange(ctx, q.hash, s.cfg.Mailer.SecureEmailChange)
	default:
		u, err = tx.UserByEmail(ctx, q.email, aud)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errBadCode().Because(err)
	case err != nil:
		return nil, apierr.Internal("Database error finding user").Because(err)
	case u.IsBanned(s.cfg.Now()):
		return nil, apierr.Forbidden(apierr.UserBanned, "User is banned")
	case !s.rightCode(u, q):
		return nil, errBadCode()
	}
	return u, nil
}

// rightCode compares the code of a request with those that wait for the user. Recovery and magic link
// share a code, and so do sign-up and invitation: either type is taken for either mail.
func (s *Server) rightCode(u *store.User, q *verifyRequest) bool {
	seconds := s.cfg.Mailer.OTPExp
	confirmation := s.validCode(q.hash, u.ConfirmationToken, u.ConfirmationSentAt, seconds)
	recovery := s.validCode(q.hash, u.RecoveryToken, u.RecoverySentAt, seconds)
	switch q.kind {
	case typeEmail:
		q.kind = mailMagicLink
		if confirmation {
			q.kind = mailSignup
		}
		return confirmation || recovery
	case mailSignup, mailInvite:
		return confirmation
	case mailRecovery, mailMagicLink:
		return recovery
	case mailEmailChange:
		return s.validCode(q.hash, u.EmailChangeTokenCurrent, u.EmailChangeSentAt, seconds) ||
			s.validCode(q.hash, u.EmailChangeTokenNew, u.EmailChangeSentAt, seconds)
	case typeSMS, typePhoneChange:
		return s.rightPhoneCode(u, q)
	}
	return false
}

// rightPhoneCode is rightCode for text messages. A fixed code counts without having been sent, and does
// not run out.
func (s *Server) rightPhoneCode(u *store.User, q *verifyRequest) bool {
	if fixed, ok := s.testCode(q.phone, s.cfg.Now()); ok && fixed == q.code {
		return true
	}
	if q.kind == typePhoneChange {
		return s.validCode(q.hash, u.PhoneChangeToken, u.PhoneChangeSentAt, s.cfg.SMS.OTPExp)
	}
	return s.validCode(q.hash, u.ConfirmationToken, u.ConfirmationSentAt, s.cfg.SMS.OTPExp)
}
