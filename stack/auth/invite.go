package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// invite answers POST /invite: a mail to an address that has no confirmed user. The user is made when
// there is none; one that was invited before gets another mail, and keeps its first data (recording
// admin_invite).
func (s *Server) invite(ctx context.Context, c *call) error {
	params := &api.InviteParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	email, err := checkEmail(params.Email)
	if err != nil {
		return err
	}
	u, err := s.store.UserByEmail(ctx, email, s.aud(c))
	isNew := errors.Is(err, store.ErrNotFound)
	switch {
	case isNew:
		if u, err = s.newInvited(ctx, c, email, params.Data); err != nil {
			return err
		}
	case err != nil:
		return apierr.Internal("Database error finding user").Because(err)
	case u.IsConfirmed():
		return apierr.Unprocessable(apierr.EmailExists, duplicateEmail)
	}
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		if isNew {
			if err := s.createWithEmail(ctx, tx, u); err != nil {
				return err
			}
		}
		if err := auditInvitation(ctx, c, tx, u); err != nil {
			return err
		}
		return s.sendInvite(ctx, letter{c, tx, u})
	})
	if err != nil {
		return err
	}
	// The hook also hears of a second invitation, as it does from the real server.
	if err := s.afterUserCreated(ctx, c, u); err != nil {
		return err
	}
	return c.json(http.StatusOK, u)
}

// newInvited makes a user without a password, which is not stored yet, and asks the
// before_user_created hook, outside of any transaction like all sign-ups.
func (s *Server) newInvited(ctx context.Context, c *call, email string, data map[string]any) (*store.User, error) {
	u := store.NewUser(s.newID(), email, "", s.aud(c), data)
	u.AppMetaData = store.Object{"provider": providerEmail, "providers": []string{providerEmail}}
	u.Identities = []store.Identity{}
	return u, s.beforeUserCreated(ctx, c, u)
}

// createWithEmail stores a new user with the identity of its address.
func (s *Server) createWithEmail(ctx context.Context, tx *store.Conn, u *store.User) error {
	if err := s.createUser(ctx, tx, u); err != nil {
		return err
	}
	identity, err := tx.CreateIdentity(ctx, u, providerEmail, identityData(u.ID, string(u.Email), ""))
	if err != nil {
		return apierr.Internal("Error creating identity").Because(err)
	}
	u.Identities = []store.Identity{*identity}
	return nil
}

// auditInvitation logs who has invited whom. The administrator is a role, not a user.
func auditInvitation(ctx context.Context, c *call, tx *store.Conn, u *store.User) error {
	return tx.Audit(ctx, c.admin, store.Event{
		Action: store.UserInvited, Traits: map[string]any{"user_id": u.ID, "user_email": u.Email},
	})
}
