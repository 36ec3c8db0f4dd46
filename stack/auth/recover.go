package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// recoverPassword answers POST /recover. An unknown address gets the same answer as a known one: the
// endpoint must not tell who is registered. The limit between two mails gives it away all the same, as
// in the real server.
func (s *Server) recoverPassword(ctx context.Context, c *call) error {
	if !s.cfg.External.Email {
		return apierr.BadRequest(apierr.EmailProviderDisabled, "Email logins are disabled")
	}
	params := &api.RecoverParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.Email == "" {
		return apierr.BadRequest(apierr.ValidationFailed, "Password recovery requires an email")
	}
	email, err := checkEmail(params.Email)
	if err != nil {
		return err
	}
	if err := checkPKCE(params.CodeChallengeMethod, params.CodeChallenge); err != nil {
		return err
	}
	u, err := s.store.UserByEmail(ctx, email, s.aud(c))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return c.json(http.StatusOK, sent{})
	case err != nil:
		return apierr.Internal("Unable to process request").Because(err)
	}
	// Outside of the transaction, as in the real server: the flow stays when the mail fails.
	f, err := s.startFlow(ctx, s.store.Conn, flowStart{
		provider: methodRecovery, method: methodRecovery,
		challengeMethod: params.CodeChallengeMethod, challenge: params.CodeChallenge, userID: u.ID,
	})
	if err != nil {
		return err
	}
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserRecoveryRequested}); err != nil {
			return err
		}
		return s.sendRecovery(ctx, letter{c, tx, u}, f)
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, sent{})
}
