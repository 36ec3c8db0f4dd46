package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"
	"golang.org/x/crypto/bcrypt"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// adminUserCreate answers POST /admin/users. No hook is asked and no password is weak here: an
// administrator brings users from elsewhere (recording admin_create_user). The user is not confirmed
// unless the request says so, whatever sign-ups do.
func (s *Server) adminUserCreate(ctx context.Context, c *call) error {
	params := &api.AdminUserParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	aud := s.aud(c)
	if params.Aud != "" {
		aud = params.Aud
	}
	providers, err := s.checkNewAddresses(ctx, params, aud)
	if err != nil {
		return err
	}
	u, err := s.newAdminUser(params, aud)
	if err != nil {
		return err
	}
	// Metadata of the request is merged into this later, so it can replace the providers; the real
	// server lets an administrator do that.
	u.AppMetaData = store.Object{"provider": providers[0], "providers": providers}
	ban, err := banDuration(params.BanDuration)
	if err != nil {
		return err
	}
	change := adminChange{AdminUserParams: params, ban: ban}
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := s.storeNewUser(ctx, c, tx, u); err != nil {
			return err
		}
		return s.finishNewUser(ctx, tx, u, change)
	})
	if err != nil {
		return apierr.Internal("Database error creating new user").Because(err)
	}
	return c.json(http.StatusOK, u)
}

// checkNewAddresses checks the address and number of a new user, and returns the providers they make,
// the address first: the first of them is app_metadata.provider.
func (s *Server) checkNewAddresses(ctx context.Context, params *api.AdminUserParams, aud string) ([]string, error) {
	if params.Email == "" && params.Phone == "" {
		return nil, apierr.BadRequest(apierr.ValidationFailed, "Cannot create a user without either an email or phone")
	}
	var providers []string
	var err error
	if params.Email != "" {
		if params.Email, err = checkEmail(params.Email); err != nil {
			return nil, err
		}
		if err := s.emailUnused(ctx, params.Email, aud, uuid.Nil); err != nil {
			return nil, err
		}
		providers = append(providers, providerEmail)
	}
	if params.Phone != "" {
		if params.Phone, err = checkPhone(params.Phone); err != nil {
			return nil, err
		}
		if err := s.phoneUnused(ctx, params.Phone, aud, "Phone number already registered by another user"); err != nil {
			return nil, err
		}
		providers = append(providers, providerPhone)
	}
	return providers, nil
}

// newAdminUser makes a user of the parameters, with a password nobody knows when they have none.
func (s *Server) newAdminUser(params *api.AdminUserParams, aud string) (*store.User, error) {
	hash, err := s.adminPasswordHash(params)
	if err != nil {
		return nil, err
	}
	id := s.newID()
	if params.ID != "" {
		if id, err = uuid.Parse(params.ID); err != nil {
			return nil, apierr.BadRequest(apierr.ValidationFailed, "ID must conform to the uuid v4 format")
		}
		if id == uuid.Nil {
			return nil, apierr.BadRequest(apierr.ValidationFailed, "ID cannot be a nil uuid")
		}
	}
	// The address goes into the user in small letters, the rest of the request as it is.
	u := store.NewUser(id, params.Email, params.Phone, aud, params.UserMetaData)
	if params.PasswordHash != "" && params.UserMetaData == nil {
		u.UserMetaData = nil // the real server stores and shows null then
	}
	u.EncryptedPassword = &hash
	return u, nil
}

// adminPasswordHash is the hash to store: the given one, that of the given password, or that of a
// password nobody knows. An empty hash counts as none, but an empty password next to a hash is two.
func (s *Server) adminPasswordHash(params *api.AdminUserParams) (string, error) {
	// Both are an error even when the password is empty: which one counts would be a guess.
	if params.Password != nil && params.PasswordHash != "" {
		return "", apierr.BadRequest(apierr.ValidationFailed, "Only a password or a password hash should be provided")
	}
	if params.PasswordHash != "" {
		if err := checkHash(params.PasswordHash); err != nil {
			return "", apierr.Internal("Error creating user").Because(err)
		}
		return params.PasswordHash, nil
	}
	password := ""
	if params.Password != nil {
		password = *params.Password
	}
	if password == "" {
		var err error
		if password, err = s.randomPassword(); err != nil {
			return "", apierr.Internal("Error generating password").Because(err)
		}
	}
	hash, err := s.hashPassword(password)
	switch {
	case errors.Is(err, bcrypt.ErrPasswordTooLong):
		// The real server panics here (recording admin_create_user).
		return "", apierr.Crashed().Because(err)
	case err != nil:
		return "", apierr.Internal("Error creating user").Because(err)
	}
	return hash, nil
}

// storeNewUser inserts a user and its identities. A trigger on auth.users sees the row with the
// request's metadata but without a role, and fails the whole request when it fails.
func (s *Server) storeNewUser(ctx context.Context, c *call, tx *store.Conn, u *store.User) error {
	if err := tx.CreateUser(ctx, u); err != nil {
		return err
	}
	if err := createIdentities(ctx, tx, u); err != nil {
		return err
	}
	// The log has the user's metadata as the request had it, before the rest of it is merged.
	traits := auditTraits(u)
	traits["provider"] = u.AppMetaData["provider"]
	return tx.Audit(ctx, c.admin, store.Event{Action: store.UserSignedUp, Traits: traits})
}

// finishNewUser gives an inserted user what the real server sets by statements of its own.
func (s *Server) finishNewUser(ctx context.Context, tx *store.Conn, u *store.User, change adminChange) error {
	u.Role = s.cfg.JWT.DefaultGroupName
	if change.Role != "" {
		u.Role = change.Role
	}
	return inOrder(
		step{true, func() error { return tx.SaveUser(ctx, u, store.Role) }},
		step{change.AppMetaData != nil, func() error { return tx.UpdateAppMetaData(ctx, u, change.AppMetaData) }},
		step{change.EmailConfirm, func() error { return tx.ConfirmEmail(ctx, u) }},
		step{change.PhoneConfirm, func() error { return tx.ConfirmPhone(ctx, u) }},
		step{change.ban != nil, func() error { return tx.Ban(ctx, u, *change.ban) }},
	)
}

// createIdentities makes an identity for the user's address and one for its number. Unlike at a
// sign-up the user's metadata does not go into them, nor theirs into it.
func createIdentities(ctx context.Context, tx *store.Conn, u *store.User) error {
	u.Identities = []store.Identity{}
	add := func(provider string, data store.Object) error {
		identity, err := tx.CreateIdentity(ctx, u, provider, data)
		if err != nil {
			return apierr.Internal("Error creating identity").Because(err)
		}
		u.Identities = append(u.Identities, *identity)
		return nil
	}
	if u.Email != "" {
		if err := add(providerEmail, identityData(u.ID, string(u.Email), "")); err != nil {
			return err
		}
	}
	if u.Phone != "" {
		return add(providerPhone, identityData(u.ID, "", string(u.Phone)))
	}
	return nil
}
