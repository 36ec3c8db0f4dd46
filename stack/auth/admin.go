package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// isNotFound tells a row that is not there from a database that failed.
func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }

// namedUser loads the user that the path names. An id that is none is a 404 as well: there is no
// such path. It is checked before the body, so bad JSON for a missing user is a missing user
// (recording admin_get_user).
func (s *Server) namedUser(next handler) handler {
	return func(ctx context.Context, c *call) error {
		id, err := uuid.Parse(c.r.PathValue("user_id"))
		if err != nil {
			return apierr.NotFound(apierr.ValidationFailed, "user_id must be an UUID")
		}
		c.user, err = s.store.UserByID(ctx, id)
		switch {
		case isNotFound(err):
			return apierr.NotFound(apierr.UserNotFound, "User not found")
		case err != nil:
			return apierr.Internal("Database error loading user").Because(err)
		}
		return next(ctx, c)
	}
}

// adminUserGet answers GET /admin/users/{user_id}.
func adminUserGet(_ context.Context, c *call) error { return c.json(http.StatusOK, c.user) }

// banDuration reads how long a ban lasts: nil without one, zero for "none".
func banDuration(text string) (*time.Duration, error) {
	duration := time.Duration(0)
	switch text {
	case "":
		return nil, nil
	case "none":
		return &duration, nil
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		return nil, apierr.BadRequest(apierr.ValidationFailed, "invalid format for ban duration: %v", err)
	}
	return &duration, nil
}

// adminUserUpdate answers PUT /admin/users/{user_id}. Everything that the request alone can get wrong
// is refused first. What fails after that, an address that another user has included, is one 500
// "Error updating user", whose cause shows only where PostgreSQL's own words may.
func (s *Server) adminUserUpdate(ctx context.Context, c *call) error {
	params := &api.AdminUserParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	var err error
	if params.Email != "" {
		if params.Email, err = checkEmail(params.Email); err != nil {
			return err
		}
	}
	if params.Phone != "" {
		if params.Phone, err = checkPhone(params.Phone); err != nil {
			return err
		}
	}
	ban, err := banDuration(params.BanDuration)
	if err != nil {
		return err
	}
	change := adminChange{params, ban, isFirstPassword(c.user, params.Password)}
	if err := s.prepareAdminPassword(c.user, params.Password); err != nil {
		return err
	}
	err = s.store.Tx(ctx, func(tx *store.Conn) error { return s.storeAdminUpdate(ctx, c, tx, change) })
	if err != nil {
		return apierr.Internal("Error updating user").Because(err)
	}
	return c.json(http.StatusOK, c.user)
}

// prepareAdminPassword puts the hash of a new password into a user; nil changes nothing, an empty one
// would remove the password if the settings did not call it weak. Unlike at creation, an
// administrator is held to the settings here.
func (s *Server) prepareAdminPassword(u *store.User, password *string) error {
	if password == nil {
		return nil
	}
	if err := s.checkPassword(*password); err != nil {
		return err
	}
	u.EncryptedPassword = nil
	if *password == "" {
		return nil
	}
	hash, err := s.hashPassword(*password)
	u.EncryptedPassword = &hash
	return err
}

// adminChange is what an administrator wants of a user.
type adminChange struct {
	*api.AdminUserParams
	// ban is nil for no change, zero to lift a ban.
	ban *time.Duration
	// firstPassword tells that an existing user had no password before.
	firstPassword bool
}

// step is a part of a change, and whether it is wanted.
type step struct {
	wanted bool
	do     func() error
}

// inOrder does the steps that are wanted, until one fails.
func inOrder(steps ...step) error {
	for _, s := range steps {
		if !s.wanted {
			continue
		}
		if err := s.do(); err != nil {
			return err
		}
	}
	return nil
}

// storeAdminUpdate makes the change in the real server's order, one statement a step: triggers on
// auth.users see each of them. Confirming comes before the address, so it confirms whatever address
// the user has in the end; metadata comes after it, so an administrator's email_verified wins.
func (s *Server) storeAdminUpdate(ctx context.Context, c *call, tx *store.Conn, change adminChange) error {
	u := c.user
	return inOrder(
		step{change.Role != "", func() error { u.Role = change.Role; return tx.SaveUser(ctx, u, store.Role) }},
		step{change.EmailConfirm, func() error { return tx.ConfirmEmail(ctx, u) }},
		step{change.PhoneConfirm, func() error { return tx.ConfirmPhone(ctx, u) }},
		step{change.Password != nil, func() error { return tx.StorePassword(ctx, u, nil) }},
		step{change.Email != "", func() error { return setAddress(ctx, tx, u, emailAddress(change.AdminUserParams)) }},
		step{change.Phone != "", func() error { return setAddress(ctx, tx, u, phoneAddress(change.AdminUserParams)) }},
		step{change.firstPassword, func() error { return s.identityOfPassword(ctx, tx, u) }},
		step{change.AppMetaData != nil, func() error { return tx.UpdateAppMetaData(ctx, u, change.AppMetaData) }},
		step{change.UserMetaData != nil, func() error { return tx.UpdateUserMetaData(ctx, u, change.UserMetaData) }},
		step{change.ban != nil, func() error { return tx.Ban(ctx, u, *change.ban) }},
		step{true, func() error {
			return tx.Audit(ctx, c.admin, store.Event{Action: store.UserModified, Traits: auditTraits(u)})
		}},
	)
}

// auditTraits says which user an administrator has acted on.
func auditTraits(u *store.User) map[string]any {
	return map[string]any{"user_id": u.ID, "user_email": u.Email, "user_phone": u.Phone}
}

// address is an address or number that an administrator gives a user.
type address struct {
	provider, value string
	verified        bool
	column          store.Column
	set             func(*store.User, store.Text)
}

func emailAddress(p *api.AdminUserParams) address {
	return address{providerEmail, p.Email, p.EmailConfirm, store.Email, func(u *store.User, t store.Text) { u.Email = t }}
}

func phoneAddress(p *api.AdminUserParams) address {
	return address{providerPhone, p.Phone, p.PhoneConfirm, store.Phone, func(u *store.User, t store.Text) { u.Phone = t }}
}

// setAddress gives a user an address: in its identity, which is made when there is none, and in the
// user. A confirmed one turns an anonymous user into an ordinary one.
func setAddress(ctx context.Context, tx *store.Conn, u *store.User, a address) error {
	updates := map[string]any{a.provider: a.value, a.provider + "_verified": a.verified}
	identity, err := tx.Identity(ctx, u.ID.String(), a.provider)
	switch {
	case err == nil:
		err = tx.UpdateIdentityData(ctx, identity, updates)
	case isNotFound(err):
		// A user from single sign-on, or an anonymous one, gets its first identity of this kind.
		data := identityData(u.ID, "", "")
		data.Merge(updates)
		if identity, err = tx.CreateIdentity(ctx, u, a.provider, data); err == nil {
			// The real server shows a new identity in the answer, but not what an old one becomes.
			u.Identities = append(u.Identities, *identity)
		}
	}
	if err != nil {
		return err
	}
	if u.IsAnonymous && a.verified {
		u.IsAnonymous = false
		if err := tx.SaveUser(ctx, u, store.IsAnonymous); err != nil {
			return err
		}
	}
	a.set(u, store.Text(a.value))
	return tx.SaveUser(ctx, u, a.column)
}

// adminUserDelete answers DELETE /admin/users/{user_id}. Tables of the project that reference the user
// decide what deleting means for them: with "on delete cascade" their rows go, without it the
// request fails. A soft deletion keeps the row for them, and is done once: the hashes that it leaves
// would be hashed again.
func (s *Server) adminUserDelete(ctx context.Context, c *call) error {
	params := &api.AdminUserDeleteParams{}
	// Clients send no body for a hard deletion. A body that cannot be read is told of by decode.
	if body, _ := c.bytes(); len(body) > 0 {
		if err := c.decode(params); err != nil {
			return err
		}
	}
	u := c.user
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.Audit(ctx, c.admin, store.Event{Action: store.UserDeleted, Traits: auditTraits(u)}); err != nil {
			return apierr.Internal("Error recording audit log entry").Because(err)
		}
		switch {
		case !params.ShouldSoftDelete:
			if err := tx.DeleteUser(ctx, u.ID); err != nil {
				return apierr.Internal("Database error deleting user").Because(err)
			}
		case u.DeletedAt == nil:
			if err := tx.SoftDelete(ctx, u); err != nil {
				return apierr.Internal("Error soft deleting user").Because(err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}

// newID is a random UUID.
func (s *Server) newID() uuid.UUID { return uuid.Must(uuid.NewRandomFromReader(s.cfg.Rand)) }

// randomPassword is for users that nobody gave a password. They have one nevertheless, as in the real
// server: such a user is told from one without a password by nothing that a client can see.
func (s *Server) randomPassword() (string, error) {
	secret := make([]byte, 32)
	if _, err := s.cfg.Rand.Read(secret); err != nil {
		return "", fmt.Errorf("make a random password: %w", err)
	}
	return fmt.Sprintf("%x", secret), nil
}
