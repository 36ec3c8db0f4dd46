package auth

import (
	"context"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// confirm does what a verified token stands for. It returns the user to sign in, or nil after the
// first of two confirmations of a change of address: that one alone proves nothing about the person
// who asked for the change.
func (s *Server) confirm(ctx context.Context, tx *store.Conn, u *store.User, q *verifyRequest) (*store.User, error) {
	var err error
	switch q.kind {
	case mailSignup, mailInvite:
		err = s.confirmAddress(ctx, tx, u)
	case mailRecovery, mailMagicLink:
		err = confirmRecovery(ctx, tx, u)
	case mailEmailChange:
		if s.needsBothAddresses(u) {
			return nil, s.confirmOneAddress(ctx, tx, u, q)
		}
		err = s.completeEmailChange(ctx, tx, u)
	case typeSMS, typePhoneChange:
		err = s.confirmPhone(ctx, tx, u, q.kind)
	default:
		err = apierr.BadRequest(apierr.ValidationFailed, "Unsupported verification type")
	}
	if err != nil {
		return nil, err
	}
	if err := tx.UpdateProviders(ctx, u); err != nil {
		return nil, err
	}
	// Triggers and generated columns have their say, confirmed_at among them.
	return u, tx.ReloadUser(ctx, u)
}

// confirmAddress confirms the address of a sign-up or an invitation. An invited user gets a password
// that nobody knows; the application is to ask for a better one.
func (s *Server) confirmAddress(ctx context.Context, tx *store.Conn, u *store.User) error {
	if !u.HasPassword() && u.InvitedAt != nil {
		if err := s.storeUnknownPassword(ctx, tx, u); err != nil {
			return err
		}
	}
	event := store.Event{Action: store.UserSignedUp, Traits: map[string]any{"provider": providerEmail}}
	if err := tx.Audit(ctx, u, event); err != nil {
		return err
	}
	if err := tx.ConfirmEmail(ctx, u); err != nil {
		return apierr.Internal("Error confirming user").Because(err)
	}
	// Identities of other addresses or providers are not confirmed by this mail.
	for i := range u.Identities {
		identity := &u.Identities[i]
		if identity.Email == "" || identity.Email != u.Email {
			continue
		}
		if err := tx.UpdateIdentityData(ctx, identity, map[string]any{"email_verified": true}); err != nil {
			return apierr.Internal("Error setting email_verified to true on identity").Because(err)
		}
	}
	return nil
}

// storeUnknownPassword gives a user a password that nobody knows. It also ends what waited for the
// user, confirmation_sent_at included (recording admin_invite).
func (s *Server) storeUnknownPassword(ctx context.Context, tx *store.Conn, u *store.User) error {
	password, err := s.newPassword()
	if err != nil {
		return err
	}
	hash, err := s.hashPassword(password)
	if err != nil {
		return err
	}
	u.EncryptedPassword = &hash
	if err := tx.StorePassword(ctx, u, nil); err != nil {
		return apierr.Internal("Error storing password").Because(err)
	}
	return nil
}

// confirmRecovery ends a recovery or a magic link. Who can read the mail owns the address, so it is
// confirmed too.
func confirmRecovery(ctx context.Context, tx *store.Conn, u *store.User) error {
	event := store.Event{Action: store.Login}
	if !u.IsConfirmed() {
		event = store.Event{Action: store.UserSignedUp, Traits: map[string]any{"provider": providerEmail}}
	}
	err := tx.Recovered(ctx, u)
	if err == nil {
		err = tx.Audit(ctx, u, event)
	}
	if err == nil && !u.IsConfirmed() {
		err = tx.ConfirmEmail(ctx, u)
	}
	if err != nil {
		return apierr.Internal("Database error updating user").Because(err)
	}
	return nil
}

// needsBothAddresses tells whether a change of address waits for its first confirmation of two.
func (s *Server) needsBothAddresses(u *store.User) bool {
	return !s.cfg.Mailer.Autoconfirm && s.cfg.Mailer.SecureEmailChange && u.EmailChangeConfirmStatus == 0 && u.Email != ""
}

// confirmOneAddress takes the first of two confirmations, from either address. Its token is gone
// afterwards, so that the same mail does not count as the second one.
func (s *Server) confirmOneAddress(ctx context.Context, tx *store.Conn, u *store.User, q *verifyRequest) error {
	u.EmailChangeConfirmStatus = 1
	used := store.EmailChangeNewOTT
	switch {
	case matchesHash(q.hash, u.EmailChangeTokenCurrent):
		u.EmailChangeTokenCurrent, used = "", store.EmailChangeCurrentOTT
	case matchesHash(q.hash, u.EmailChangeTokenNew):
		u.EmailChangeTokenNew = ""
	}
	if err := tx.ClearToken(ctx, u.ID, used); err != nil {
		return err
	}
	return tx.SaveUser(ctx, u, store.EmailChangeConfirmStatus, store.EmailChangeTokenCurrent, store.EmailChangeTokenNew)
}

// matchesHash compares the hash of a code, or a token hash, with a stored one of either flow.
func matchesHash(hash, stored string) bool {
	return stored != "" && (hash == stored || flowPKCE.hash(hash) == stored)
}

// confirmPhone confirms a number, or makes the pending one the user's own.
func (s *Server) confirmPhone(ctx context.Context, tx *store.Conn, u *store.User, kind string) error {
	if kind == typePhoneChange {
		return s.completePhoneChange(ctx, tx, u)
	}
	// The log calls every code by text message a sign-up, also that of a user who signs in with it.
	event := store.Event{Action: store.UserSignedUp, Traits: map[string]any{"provider": providerPhone}}
	if err := tx.Audit(ctx, u, event); err != nil {
		return err
	}
	if err := tx.ConfirmPhone(ctx, u); err != nil {
		return apierr.Internal("Error confirming user").Because(err)
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
