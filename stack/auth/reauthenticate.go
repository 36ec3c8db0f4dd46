package auth

import (
	"context"
	"net/http"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// reauthenticate answers GET /reauthenticate: it sends a nonce that a change of password may need. It
// goes to the address, or to the number of a user without one; either has to be confirmed, or the
// nonce would prove nothing.
func (s *Server) reauthenticate(ctx context.Context, c *call) error {
	u := c.user
	switch {
	case u.Email == "" && u.Phone == "":
		return apierr.BadRequest(apierr.ValidationFailed, "Reauthentication requires the user to have an email or a phone number")
	case u.Email != "" && !u.IsConfirmed():
		return apierr.Unprocessable(apierr.EmailNotConfirmed, "Please verify your email first.")
	case u.Email == "" && !u.IsPhoneConfirmed():
		return apierr.Unprocessable(apierr.PhoneNotConfirmed, "Please verify your phone first.")
	}
	var messageID string
	err := s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserReauthenticate}); err != nil {
			return err
		}
		if u.Email != "" {
			return s.sendReauthentication(ctx, letter{c, tx, u})
		}
		messageID, err = s.sendPhoneReauthentication(ctx, letter{c, tx, u})
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, sent{messageID})
}

// sent is the answer of an endpoint that sends something. Mails have no id.
type sent struct {
	MessageID string `json:"message_id,omitempty"`
}

// checkReauthentication uses up a nonce. A wrong one, and one of a user without address and number,
// is refused. It is used up at once and not with the change that it is for: a change that fails for
// another reason needs a new one, as with the real server.
func (s *Server) checkReauthentication(ctx context.Context, u *store.User, nonce string) error {
	invalid := apierr.Unprocessable(apierr.ReauthenticationNotValid, "Nonce has expired or is invalid")
	to, seconds := string(u.Email), s.cfg.Mailer.OTPExp
	if to == "" {
		to, seconds = string(u.Phone), s.cfg.SMS.OTPExp
	}
	switch {
	case u.ReauthenticationToken == "" || u.ReauthenticationSentAt == nil:
		return invalid
	case to == "":
		return apierr.Unprocessable(apierr.ReauthenticationNotValid, "Reauthentication requires an email or a phone number")
	case !s.validCode(hashCode(to, nonce), u.ReauthenticationToken, u.ReauthenticationSentAt, seconds):
		return invalid
	}
	err := s.store.Tx(ctx, func(tx *store.Conn) error { return tx.Reauthenticated(ctx, u) })
	if err != nil {
		return apierr.Internal("Error during reauthentication").Because(err)
	}
	return nil
}
