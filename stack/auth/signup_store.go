package auth

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// createUser inserts a user with the default role and reads back what triggers have made of it. Each
// of the three statements fails in words of its own; a client without the version header reads
// PostgreSQL's words instead when a trigger has raised them.
func (s *Server) createUser(ctx context.Context, tx *store.Conn, u *store.User) error {
	if err := tx.CreateUser(ctx, u); err != nil {
		return apierr.Internal("Database error saving new user").Because(err)
	}
	u.Role = s.cfg.JWT.DefaultGroupName
	if err := tx.SaveUser(ctx, u, store.Role); err != nil {
		return apierr.Internal("Database error updating user").Because(err)
	}
	if err := tx.ReloadUser(ctx, u); err != nil {
		return apierr.Internal("Database error loading user after sign-up").Because(err)
	}
	return nil
}

// storeSignup stores the user with its identity and confirms it or asks for its confirmation. An
// unconfirmed user is not changed by a further sign-up: it may be somebody else's.
func (s *Server) storeSignup(
	ctx context.Context, c *call, q *signupRequest, existing *store.User,
) (*store.User, error) {
	user := existing
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		switch {
		case user == nil:
			user = q.user
			if err := s.createUser(ctx, tx, user); err != nil {
				return err
			}
		case q.confirmed(user):
			return errUserExists
		}
		if err := s.storeSignupIdentity(ctx, tx, q, user); err != nil {
			return err
		}
		if q.confirmed(user) {
			return nil
		}
		return s.confirmSignup(ctx, c, tx, q, user)
	})
	return user, err
}

// storeSignupIdentity makes the identity of a new user. A user that is still unconfirmed has one
// already; what the new sign-up says about it does not count. The metadata of the sign-up goes into
// the identity, but cannot replace what the server knows.
func (s *Server) storeSignupIdentity(ctx context.Context, tx *store.Conn, q *signupRequest, u *store.User) error {
	identity, err := tx.Identity(ctx, u.ID.String(), q.provider)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if identity == nil {
		data := identityData(u.ID, string(u.Email), "")
		for name, value := range q.Data {
			if _, taken := data[name]; !taken {
				data[name] = value
			}
		}
		if identity, err = tx.CreateIdentity(ctx, u, q.provider, data); err != nil {
			return apierr.Internal("Error creating identity").Because(err)
		}
		if err := keepOnly(ctx, tx, u, identity); err != nil {
			return err
		}
	}
	u.Identities = []store.Identity{*identity}
	return nil
}

// identityData is the data of an identity that nobody has verified yet. Both flags are there, whatever
// the identity is about.
func identityData(userID uuid.UUID, email, phone string) store.Object {
	data := store.Object{"sub": userID.String(), "email_verified": false, "phone_verified": false}
	if email != "" {
		data["email"] = email
	}
	if phone != "" {
		data["phone"] = phone
	}
	return data
}

// keepOnly makes an identity the only one of a user that was never confirmed: the others may be an
// attacker's. The user's metadata becomes the identity's data; the two share it from here on, so the
// answer shows a later change of the one in the other (recording signup_autoconfirm_session).
func keepOnly(ctx context.Context, tx *store.Conn, u *store.User, identity *store.Identity) error {
	u.UserMetaData = identity.IdentityData
	if err := tx.UpdateUserMetaData(ctx, u, u.UserMetaData); err != nil {
		return err
	}
	for _, other := range u.Identities {
		if other.ID != identity.ID {
			if err := tx.DeleteIdentity(ctx, other.ID); err != nil {
				return err
			}
		}
	}
	return tx.UpdateProviders(ctx, u)
}

// confirmSignup confirms the address at once when the settings say so, else sends a code. The mail is
// part of the transaction: a sign-up whose mail cannot be sent has not happened, and its user could
// not be told from one that has lost the mail.
func (s *Server) confirmSignup(ctx context.Context, c *call, tx *store.Conn, q *signupRequest, u *store.User) error {
	traits := map[string]any{"provider": q.provider}
	if q.provider == providerPhone {
		return s.confirmPhoneSignup(ctx, c, tx, q, u)
	}
	if s.cfg.Mailer.Autoconfirm {
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserSignedUp, Traits: traits}); err != nil {
			return err
		}
		if err := tx.ConfirmEmail(ctx, u); err != nil {
			return apierr.Internal("Database error updating user").Because(err)
		}
		return nil
	}
	if err := tx.Audit(ctx, u, store.Event{Action: store.UserConfirmationRequested, Traits: traits}); err != nil {
		return err
	}
	flow, err := s.startFlow(ctx, tx, flowStart{
		provider: q.provider, method: methodEmailSignup, challengeMethod: q.CodeChallengeMethod, challenge: q.CodeChallenge, userID: u.ID,
	})
	if err != nil {
		return err
	}
	return s.sendConfirmation(ctx, letter{c, tx, u}, flow)
}

// confirmPhoneSignup is confirmSignup for phone numbers.
func (s *Server) confirmPhoneSignup(ctx context.Context, c *call, tx *store.Conn, q *signupRequest, u *store.User) error {
	if s.cfg.SMS.Autoconfirm {
		traits := map[string]any{"provider": q.provider, "channel": q.Channel}
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserSignedUp, Traits: traits}); err != nil {
			return err
		}
		if err := tx.ConfirmPhone(ctx, u); err != nil {
			return apierr.Internal("Database error updating user").Because(err)
		}
		return nil
	}
	traits := map[string]any{"provider": q.provider}
	if err := tx.Audit(ctx, u, store.Event{Action: store.UserConfirmationRequested, Traits: traits}); err != nil {
		return err
	}
	_, err := s.sendPhoneConfirmation(ctx, letter{c, tx, u}, q.Phone)
	return err
}
