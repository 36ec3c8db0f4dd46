package auth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// manualLinking lets a request pass where users may link and unlink identities themselves.
func (s *Server) manualLinking(next handler) handler {
	return func(ctx context.Context, c *call) error {
		if !s.cfg.Security.ManualLinking {
			return apierr.NotFound(apierr.ManualLinkingDisabled, "Manual linking is disabled")
		}
		return next(ctx, c)
	}
}

// unlinkIdentity answers DELETE /user/identities/{identity_id}: one way to sign in less, but never the
// last one (upstream: internal/api/identity.go).
func (s *Server) unlinkIdentity(ctx context.Context, c *call) error {
	identity, err := s.findUnlinkable(c)
	if err != nil {
		return err
	}
	address := c.user.Email // the news goes where the user was reached before
	err = s.store.Tx(ctx, func(tx *store.Conn) error { return s.storeUnlinking(ctx, c, tx, identity) })
	if err != nil {
		return err
	}
	s.notify(ctx, letter{c, s.store.Conn, c.user}, notice{
		kind: noticeIdentityUnlinked, provider: identity.Provider, to: string(address),
	})
	return c.json(http.StatusOK, struct{}{})
}

// findUnlinkable finds the identity that the path names among those of the user. That there is only
// one is told before whether it is the one that is named.
func (s *Server) findUnlinkable(c *call) (*store.Identity, error) {
	id, err := uuid.Parse(c.r.PathValue("identity_id"))
	if err != nil {
		return nil, apierr.NotFound(apierr.ValidationFailed, "identity_id must be an UUID")
	}
	if len(c.claims.Audience) == 0 || s.aud(c) != c.claims.Audience[0] {
		return nil, apierr.Forbidden(apierr.UnexpectedAudience, "Token audience doesn't match request audience")
	}
	if len(c.user.Identities) <= 1 {
		return nil, apierr.Unprocessable(apierr.SingleIdentity, "User must have at least 1 identity after unlinking")
	}
	for i := range c.user.Identities {
		if c.user.Identities[i].ID == id {
			return &c.user.Identities[i], nil
		}
	}
	return nil, apierr.Unprocessable(apierr.IdentityNotFound, "Identity doesn't exist")
}

// storeUnlinking deletes an identity and what the user has from it: its number, or its address when no
// other identity has the same.
func (s *Server) storeUnlinking(ctx context.Context, c *call, tx *store.Conn, identity *store.Identity) error {
	u := c.user
	err := tx.Audit(ctx, u, store.Event{Action: store.IdentityUnlinked, IP: c.ip(), Traits: map[string]any{
		"identity_id": identity.ID, "provider": identity.Provider, "provider_id": identity.ProviderID,
	}})
	if err != nil {
		return apierr.Internal("Error recording audit log entry").Because(err)
	}
	if err := tx.DeleteIdentity(ctx, identity.ID); err != nil {
		return apierr.Internal("Database error deleting identity").Because(err)
	}
	if identity.Provider == providerPhone {
		u.Phone, u.PhoneConfirmedAt = "", nil
		if err := tx.SaveUser(ctx, u, store.Phone, store.PhoneConfirmedAt); err != nil {
			return apierr.Internal("Database error updating user phone").Because(err)
		}
	} else if err := s.followIdentities(ctx, tx, u); err != nil {
		if errors.Is(err, errAddressTaken) {
			return apierr.Unprocessable(apierr.EmailConflictIdentity, "Unable to unlink identity due to email conflict").Because(err)
		}
		return apierr.Internal("Database error updating user email").Because(err)
	}
	if err := tx.UpdateProviders(ctx, u); err != nil {
		return apierr.Internal("Database error updating user providers").Because(err)
	}
	return nil
}

// errAddressTaken ends an unlinking that would leave the user with an address of somebody else.
var errAddressTaken = errors.New("every address of the user's identities belongs to another user")

// followIdentities gives a user whose address none of its identities has that of the best one: verified
// ones come first, then those with an address, then the oldest. All that was pending for the old
// address ends; the new one is confirmed if it was verified, or where nothing has to be.
func (s *Server) followIdentities(ctx context.Context, tx *store.Conn, u *store.User) error {
	if err := tx.LoadIdentities(ctx, u); err != nil {
		return err
	}
	if slices.ContainsFunc(u.Identities, func(i store.Identity) bool { return i.Email == u.Email }) {
		return nil
	}
	ranked := slices.Clone(u.Identities) // the oldest first
	slices.SortStableFunc(ranked, func(a, b store.Identity) int { return cmp.Compare(identityRank(a), identityRank(b)) })
	for _, identity := range ranked {
		switch _, err := tx.UserByEmail(ctx, string(identity.Email), u.Aud); {
		case isNotFound(err):
			return s.takeAddress(ctx, tx, u, identity)
		case err != nil:
			return err
		}
	}
	return errAddressTaken
}

// identityRank orders identities by what their address is worth, the best first.
func identityRank(i store.Identity) int {
	switch {
	case i.Email == "":
		return 2
	case i.IdentityData["email_verified"] != true:
		return 1
	}
	return 0
}

// takeAddress makes the address of an identity, which may be none, the user's own.
func (s *Server) takeAddress(ctx context.Context, tx *store.Conn, u *store.User, identity store.Identity) error {
	u.Email = identity.Email
	if err := tx.SaveUser(ctx, u, store.Email); err != nil {
		return err
	}
	if err := tx.ClearPending(ctx, u); err != nil {
		return err
	}
	if rank := identityRank(identity); rank == 0 || rank == 1 && s.cfg.Mailer.Autoconfirm {
		return nil
	}
	u.EmailConfirmedAt = nil
	if err := tx.SaveUser(ctx, u, store.EmailConfirmedAt); err != nil {
		return err
	}
	return tx.UpdateUserMetaData(ctx, u, map[string]any{"email_verified": false})
}

// isFirstPassword tells whether a change gives a user a password that has none.
func isFirstPassword(u *store.User, password *string) bool {
	return password != nil && *password != "" && !u.HasPassword()
}

// identityOfPassword gives a user that has set its first password an identity of its address, where the
// settings want that: the password is a way to sign in with the address. An address that is not
// confirmed may be somebody else's.
func (s *Server) identityOfPassword(ctx context.Context, tx *store.Conn, u *store.User) error {
	if !s.cfg.Security.EmailIdentityOnPassword || u.IsSSOUser || u.IsAnonymous || u.Email == "" || !u.IsConfirmed() {
		return nil
	}
	_, err := tx.Identity(ctx, u.ID.String(), providerEmail)
	switch {
	case err == nil:
		return nil
	case !isNotFound(err):
		return apierr.Internal("Database error finding identities").Because(err)
	}
	data := identityData(u.ID, string(u.Email), "")
	data["email_verified"] = true
	identity, err := tx.CreateIdentity(ctx, u, providerEmail, data)
	if err != nil {
		return apierr.Internal("Error creating identity").Because(err)
	}
	u.Identities = append(u.Identities, *identity)
	if err := tx.UpdateProviders(ctx, u); err != nil {
		return apierr.Internal("Database error updating user providers").Because(err)
	}
	return nil
}
