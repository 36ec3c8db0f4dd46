package auth

import (
	"context"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// changeFailure is the message of errors that have none for the client.
const changeFailure = "Error sending email change email"

// sendEmailChange asks the pending address to be confirmed and, with secure changes, the current one
// too.
func (s *Server) sendEmailChange(ctx context.Context, l letter, email string, f flow) error {
	if err := s.tooSoon(apierr.OverEmailSendRateLimit, l.u.EmailChangeSentAt, s.cfg.Mailer.MaxFrequency); err != nil {
		return err
	}
	m, err := s.newEmailChange(l.u, email, f)
	if err != nil {
		return err
	}
	now := s.now()
	if err := s.sendMail(ctx, l, m); err != nil {
		return err
	}
	l.u.EmailChangeSentAt = &now
	return storeEmailChange(ctx, l.tx, l.u, changeFailure)
}

// newEmailChange sets the pending address and its codes. A change that was pending before is replaced;
// its mails are void.
func (s *Server) newEmailChange(u *store.User, email string, f flow) (mail, error) {
	codeNew, err := s.newCode(s.cfg.Mailer.OTPLength)
	if err != nil {
		return mail{}, err
	}
	u.EmailChange, u.EmailChangeConfirmStatus = email, 0
	u.EmailChangeTokenNew = f.hash(hashCode(email, codeNew))
	m := mail{kind: mailEmailChange, codeNew: codeNew, hash: u.EmailChangeTokenNew, failure: changeFailure}
	if s.cfg.Mailer.SecureEmailChange && u.Email != "" {
		if m.code, err = s.newCode(s.cfg.Mailer.OTPLength); err != nil {
			return mail{}, err
		}
		u.EmailChangeTokenCurrent = f.hash(hashCode(string(u.Email), m.code))
	}
	return m, nil
}

// storeEmailChange stores a pending change of address with its tokens. A token of the current address
// that an earlier change has left behind is stored again with it, as the real server does.
func storeEmailChange(ctx context.Context, tx *store.Conn, u *store.User, message string) error {
	err := tx.SaveUser(ctx, u, store.EmailChangeTokenCurrent, store.EmailChangeTokenNew, store.EmailChange,
		store.EmailChangeSentAt, store.EmailChangeConfirmStatus)
	tokens := []store.OneTimeToken{
		{Type: store.EmailChangeCurrentOTT, RelatesTo: string(u.Email), Hash: u.EmailChangeTokenCurrent},
		{Type: store.EmailChangeNewOTT, RelatesTo: u.EmailChange, Hash: u.EmailChangeTokenNew},
	}
	for _, token := range tokens {
		if err == nil && token.Hash != "" {
			err = tx.CreateToken(ctx, u.ID, token)
		}
	}
	return failure(err, message)
}
