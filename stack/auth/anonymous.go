package auth

import (
	"context"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// signupAnonymously answers a sign-up without an address: a user with nothing but its metadata and a
// session. Whatever fails in the transaction, a refusing hook included, is told as one error.
func (s *Server) signupAnonymously(ctx context.Context, c *call, params *api.SignupParams) error {
	if !s.cfg.External.AnonymousUsers {
		return apierr.Unprocessable(apierr.AnonymousProviderDisabled, "Anonymous sign-ins are disabled")
	}
	if err := s.checkSignupOpen(); err != nil {
		return err
	}
	// The address of the user is empty, and so is app_metadata: no provider knows it. Its role is that
	// of all users, so policies have to look at the claim is_anonymous.
	u := store.NewUser(s.newID(), "", "", s.aud(c), params.Data)
	u.AppMetaData, u.Identities, u.IsAnonymous = store.Object{}, []store.Identity{}, true
	if err := s.beforeUserCreated(ctx, c, u); err != nil {
		return err
	}
	// One transaction for the user and the session, unlike other sign-ups: an anonymous user without a
	// session could never be used.
	var answer *tokenResponse
	err := s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		if err := s.createUser(ctx, tx, u); err != nil {
			return err
		}
		answer, err = s.startSession(ctx, c, tx, u, methodAnonymous)
		return err
	})
	if err != nil {
		return apierr.Internal("Database error creating anonymous user").Because(err)
	}
	if err := s.afterUserCreated(ctx, c, u); err != nil {
		return err
	}
	return c.json(http.StatusOK, answer)
}
