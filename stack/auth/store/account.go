package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

// ClearTokens removes the one-time tokens of a user. Columns of auth.users that hold a token are
// the caller's.
func (c *Conn) ClearTokens(ctx context.Context, userID uuid.UUID) error {
	return c.exec(ctx, `delete from auth.one_time_tokens where user_id = $1`, userID)
}

// ConfirmEmail confirms the user's address and ends its pending tokens.
func (c *Conn) ConfirmEmail(ctx context.Context, u *User) error {
	now := c.now()
	u.ConfirmationToken, u.EmailConfirmedAt = "", &now
	if err := c.SaveUser(ctx, u, ConfirmationToken, EmailConfirmedAt); err != nil {
		return err
	}
	// The flag in the metadata is for clients only; email_confirmed_at decides.
	if err := c.UpdateUserMetaData(ctx, u, map[string]any{"email_verified": true}); err != nil {
		return err
	}
	return c.ClearTokens(ctx, u.ID)
}

// ConfirmPhone confirms the user's phone number and ends its pending tokens.
func (c *Conn) ConfirmPhone(ctx context.Context, u *User) error {
	now := c.now()
	u.ConfirmationToken, u.PhoneConfirmedAt = "", &now
	if err := c.SaveUser(ctx, u, ConfirmationToken, PhoneConfirmedAt); err != nil {
		return err
	}
	return c.ClearTokens(ctx, u.ID)
}

// StorePassword writes the user's password hash, ends its pending tokens and all its sessions but
// one; keep is nil to end them all.
func (c *Conn) StorePassword(ctx context.Context, u *User, keep *uuid.UUID) error {
	u.ConfirmationToken, u.RecoveryToken, u.ReauthenticationToken = "", "", ""
	u.EmailChangeTokenCurrent, u.EmailChangeTokenNew, u.PhoneChangeToken = "", "", ""
	u.ConfirmationSentAt, u.RecoverySentAt, u.ReauthenticationSentAt = nil, nil, nil
	u.EmailChangeSentAt, u.PhoneChangeSentAt = nil, nil
	err := c.SaveUser(ctx, u, EncryptedPassword, ConfirmationToken, ConfirmationSentAt, RecoveryToken,
		RecoverySentAt, EmailChangeTokenCurrent, EmailChangeTokenNew, EmailChangeSentAt, PhoneChangeToken,
		PhoneChangeSentAt, ReauthenticationToken, ReauthenticationSentAt)
	if err != nil {
		return err
	}
	if err := c.ClearTokens(ctx, u.ID); err != nil {
		return err
	}
	if keep == nil {
		return c.DeleteSessions(ctx, u.ID)
	}
	return c.DeleteOtherSessions(ctx, u.ID, *keep)
}

// SoftDelete makes a user unrecognisable and unusable, but keeps the row. Address, phone number and
// the ids of identities become hashes, metadata is emptied, factors, passkeys and sessions go.
func (c *Conn) SoftDelete(ctx context.Context, u *User) error {
	now := c.now()
	u.Email, u.EmailChange = Text(obscure(u.ID, string(u.Email))), obscure(u.ID, u.EmailChange)
	// The column was once too short for a whole hash.
	u.Phone, u.PhoneChange = Text(obscure(u.ID, string(u.Phone))[:15]), obscure(u.ID, u.PhoneChange)[:15]
	u.EncryptedPassword, u.DeletedAt = nil, &now
	u.ConfirmationToken, u.RecoveryToken, u.PhoneChangeToken = "", "", ""
	u.EmailChangeTokenCurrent, u.EmailChangeTokenNew = "", ""
	// Triggers on auth.users see the three updates that the real server makes.
	u.UserMetaData, u.AppMetaData = Object{}, Object{}
	err := c.SaveUser(ctx, u, Email, Phone, EncryptedPassword, EmailChange, PhoneChange, ConfirmationToken,
		RecoveryToken, EmailChangeTokenCurrent, EmailChangeTokenNew, PhoneChangeToken, DeletedAt)
	if err != nil {
		return err
	}
	if err := c.ClearTokens(ctx, u.ID); err != nil {
		return err
	}
	if err := c.SaveUser(ctx, u, UserMetaData); err != nil {
		return err
	}
	if err := c.SaveUser(ctx, u, AppMetaData); err != nil {
		return err
	}
	if err := c.softDeleteIdentities(ctx, u.ID); err != nil {
		return err
	}
	if err := c.DeleteFactors(ctx, u.ID); err != nil {
		return err
	}
	if err := c.exec(ctx, `delete from auth.webauthn_credentials where user_id = $1`, u.ID); err != nil {
		return err
	}
	return c.DeleteSessions(ctx, u.ID)
}

// softDeleteIdentities empties a user's identities. Their ids are hashed, so that the same account can
// sign up again as a new user.
func (c *Conn) softDeleteIdentities(ctx context.Context, userID uuid.UUID) error {
	identities, err := c.identitiesOf(ctx, userID)
	if err != nil {
		return err
	}
	for _, identity := range identities {
		err := c.exec(ctx, `update auth.identities set identity_data = '{}', provider_id = $2 where id = $1`,
			identity.ID, obscure(userID, identity.Provider+":"+identity.ProviderID))
		if err != nil {
			return err
		}
	}
	return nil
}

// obscure is a hash of a value that differs from user to user, 43 characters of base64url.
func obscure(userID uuid.UUID, value string) string {
	sum := sha256.Sum256([]byte(userID.String() + value))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
