package auth

import (
	"context"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// changeEmail starts the change of a user's address: the new one has to be confirmed. Only an
// anonymous user gets it at once where sign-ups would; that is its sign-up.
func (s *Server) changeEmail(ctx context.Context, c *call, tx *store.Conn, params *api.UserUpdateParams) error {
	u := c.user
	if u.IsAnonymous && s.cfg.Mailer.Autoconfirm {
		u.EmailChange = params.Email
		return s.completeEmailChange(ctx, tx, u)
	}
	// The link of the mail is exchanged with PKCE when the client that asked for the change wants it.
	f, err := s.startFlow(ctx, tx, flowStart{
		provider: methodEmailChange, method: methodEmailChange,
		challengeMethod: params.CodeChallengeMethod, challenge: params.CodeChallenge, userID: u.ID,
	})
	if err != nil {
		return err
	}
	return s.sendEmailChange(ctx, letter{c, tx, u}, params.Email, f)
}

// changePhone starts the change of a user's number, or makes it where numbers need no confirmation.
func (s *Server) changePhone(ctx context.Context, c *call, tx *store.Conn, params *api.UserUpdateParams) error {
	if !s.cfg.SMS.Autoconfirm {
		_, err := s.sendPhoneChange(ctx, letter{c, tx, c.user}, params.Phone)
		return err
	}
	c.user.PhoneChange = params.Phone
	before := reachableBy(c.user)
	if err := s.completePhoneChange(ctx, tx, c.user); err != nil {
		return err
	}
	s.notifyChanges(ctx, letter{c, tx, c.user}, before)
	return nil
}

// completeEmailChange makes the pending address the user's own: in its identity, which is made when
// there is none, and in the user, which is anonymous no longer.
func (s *Server) completeEmailChange(ctx context.Context, tx *store.Conn, u *store.User) error {
	if err := tx.Audit(ctx, u, store.Event{Action: store.UserModified}); err != nil {
		return err
	}
	if err := verifiedIdentity(ctx, tx, u, providerEmail, u.EmailChange); err != nil {
		return err
	}
	if err := tx.ConfirmEmailChange(ctx, u); err != nil {
		return apierr.Internal("Error confirm email").Because(err)
	}
	return nil
}

// completePhoneChange is completeEmailChange for phone numbers.
func (s *Server) completePhoneChange(ctx context.Context, tx *store.Conn, u *store.User) error {
	if err := tx.Audit(ctx, u, store.Event{Action: store.UserModified}); err != nil {
		return err
	}
	phone := u.PhoneChange // confirming empties it
	if err := tx.ConfirmPhoneChange(ctx, u); err != nil {
		return apierr.Internal("Error confirming user").Because(err)
	}
	return verifiedIdentity(ctx, tx, u, providerPhone, phone)
}

// verifiedIdentity records a verified address or number in the user's identity of a provider, and
// loads the identities again for the answer.
func verifiedIdentity(ctx context.Context, tx *store.Conn, u *store.User, provider, value string) error {
	updates := map[string]any{provider: value, provider + "_verified": true}
	identity, err := tx.Identity(ctx, u.ID.String(), provider)
	switch {
	case err == nil:
		err = tx.UpdateIdentityData(ctx, identity, updates)
	case isNotFound(err):
		data := identityData(u.ID, "", "")
		data.Merge(updates)
		_, err = tx.CreateIdentity(ctx, u, provider, data)
	}
	if err != nil {
		return err
	}
	if u.IsAnonymous {
		u.IsAnonymous = false
		if err := tx.SaveUser(ctx, u, store.IsAnonymous); err != nil {
			return err
		}
	}
	if err := tx.LoadIdentities(ctx, u); err != nil {
		return apierr.Internal("Error refetching identities").Because(err)
	}
	return nil
}
