package store

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
)

// TokenType says what a one-time token is for. A user has at most one of each.
type TokenType string

// The types of one-time tokens.
const (
	ConfirmationOTT       TokenType = "confirmation_token"
	ReauthenticationOTT   TokenType = "reauthentication_token"
	RecoveryOTT           TokenType = "recovery_token"
	EmailChangeNewOTT     TokenType = "email_change_token_new"
	EmailChangeCurrentOTT TokenType = "email_change_token_current"
	PhoneChangeOTT        TokenType = "phone_change_token"
)

// PKCEPrefix begins the hash of a token whose link is exchanged with PKCE.
const PKCEPrefix = "pkce_"

// OneTimeToken is a token to keep: its hash, and the address or number that it was sent to.
type OneTimeToken struct {
	Type TokenType
	// RelatesTo is stored in lower case.
	RelatesTo, Hash string
}

// CreateToken keeps a one-time token of a user in place of an earlier one of its type. The column
// of auth.users that holds the same hash is the caller's.
func (c *Conn) CreateToken(ctx context.Context, userID uuid.UUID, token OneTimeToken) error {
	if err := c.ClearToken(ctx, userID, token.Type); err != nil {
		return err
	}
	const insert = `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
		values ($1, $2, $3::auth.one_time_token_type, $4, $5, $6::timestamptz at time zone 'utc', $6::timestamptz at time zone 'utc')`
	return c.exec(ctx, insert, c.newID(), userID, token.Type, token.Hash, strings.ToLower(token.RelatesTo), c.now())
}

// ClearToken removes a user's one-time token of a type.
func (c *Conn) ClearToken(ctx context.Context, userID uuid.UUID, kind TokenType) error {
	return c.exec(ctx, `delete from auth.one_time_tokens where user_id = $1 and token_type = $2::auth.one_time_token_type`,
		userID, kind)
}

// TokenOwner is the id of the user with a one-time token of one of the types, or ErrNotFound.
func (c *Conn) TokenOwner(ctx context.Context, hash string, kinds ...TokenType) (uuid.UUID, error) {
	type owner struct {
		UserID uuid.UUID `db:"user_id"`
	}
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	const query = `select user_id from auth.one_time_tokens where token_hash = $1 and token_type::text = any($2) limit 1`
	found, err := one[owner](ctx, c, query, hash, names)
	if err != nil {
		return uuid.Nil, err
	}
	return found.UserID, nil
}

// UserByToken finds the user with a one-time token of one of the types.
func (c *Conn) UserByToken(ctx context.Context, hash string, kinds ...TokenType) (*User, error) {
	id, err := c.TokenOwner(ctx, hash, kinds...)
	if err != nil {
		return nil, err
	}
	return c.UserByID(ctx, id)
}

// UserByEmailChange finds the user that changes its address by the hash of a code. With secure set
// the token of the current address is looked for first. The hash in a PKCE flow has a prefix that
// the code knows nothing of.
func (c *Conn) UserByEmailChange(ctx context.Context, hash string, secure bool) (*User, error) {
	kinds := []TokenType{EmailChangeNewOTT}
	if secure {
		kinds = []TokenType{EmailChangeCurrentOTT, EmailChangeNewOTT}
	}
	for _, kind := range kinds {
		for _, candidate := range []string{hash, PKCEPrefix + hash} {
			user, err := c.UserByToken(ctx, candidate, kind)
			if !errors.Is(err, ErrNotFound) {
				return user, err
			}
		}
	}
	return nil, ErrNotFound
}

// UserByPhoneChange finds the user that changes its number to phone.
func (c *Conn) UserByPhoneChange(ctx context.Context, phone, aud string) (*User, error) {
	return c.user(ctx, `phone_change = $1 and aud = $2 and is_sso_user = false limit 1`, phone, aud)
}

// Recovered ends the user's recovery and all its pending tokens.
func (c *Conn) Recovered(ctx context.Context, u *User) error {
	u.RecoveryToken = ""
	return c.saveAndClear(ctx, u, RecoveryToken)
}

// Reauthenticated ends the user's reauthentication and all its pending tokens.
func (c *Conn) Reauthenticated(ctx context.Context, u *User) error {
	u.ReauthenticationToken = ""
	return c.saveAndClear(ctx, u, ReauthenticationToken)
}

func (c *Conn) saveAndClear(ctx context.Context, u *User, columns ...Column) error {
	if err := c.SaveUser(ctx, u, columns...); err != nil {
		return err
	}
	return c.ClearTokens(ctx, u.ID)
}

// ClearPending ends all that is pending for a user: codes, links and changes of address or number.
func (c *Conn) ClearPending(ctx context.Context, u *User) error {
	u.ConfirmationToken, u.RecoveryToken, u.ReauthenticationToken = "", "", ""
	u.EmailChange, u.EmailChangeTokenCurrent, u.EmailChangeTokenNew, u.EmailChangeConfirmStatus = "", "", "", 0
	u.PhoneChange, u.PhoneChangeToken = "", ""
	u.ConfirmationSentAt, u.RecoverySentAt, u.ReauthenticationSentAt = nil, nil, nil
	u.EmailChangeSentAt, u.PhoneChangeSentAt = nil, nil
	return c.saveAndClear(ctx, u, ConfirmationToken, ConfirmationSentAt, RecoveryToken, RecoverySentAt,
		EmailChange, EmailChangeTokenCurrent, EmailChangeTokenNew, EmailChangeSentAt, EmailChangeConfirmStatus,
		PhoneChange, PhoneChangeToken, PhoneChangeSentAt, ReauthenticationToken, ReauthenticationSentAt)
}

// ConfirmEmailChange makes the pending address the user's own, confirms it and ends all pending
// tokens. The user's e-mail identity, if there is one, follows.
func (c *Conn) ConfirmEmailChange(ctx context.Context, u *User) error {
	email := u.EmailChange
	u.Email, u.EmailChange = Text(email), ""
	u.EmailChangeTokenCurrent, u.EmailChangeTokenNew, u.EmailChangeConfirmStatus = "", "", 0
	err := c.saveAndClear(ctx, u, Email, EmailChange, EmailChangeTokenCurrent, EmailChangeTokenNew, EmailChangeConfirmStatus)
	if err != nil {
		return err
	}
	if !u.IsConfirmed() {
		if err := c.ConfirmEmail(ctx, u); err != nil {
			return err
		}
	}
	return c.followIdentity(ctx, u, "email", email)
}

// ConfirmPhoneChange is ConfirmEmailChange for phone numbers.
func (c *Conn) ConfirmPhoneChange(ctx context.Context, u *User) error {
	now := c.now()
	phone := u.PhoneChange
	u.Phone, u.PhoneChange, u.PhoneChangeToken, u.PhoneConfirmedAt = Text(phone), "", "", &now
	if err := c.saveAndClear(ctx, u, Phone, PhoneChange, PhoneChangeToken, PhoneConfirmedAt); err != nil {
		return err
	}
	return c.followIdentity(ctx, u, "phone", phone)
}

// followIdentity writes a changed address or number into the identity of the provider of the same
// name, where it says one.
func (c *Conn) followIdentity(ctx context.Context, u *User, provider, value string) error {
	identity, err := c.Identity(ctx, u.ID.String(), provider)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, ok := identity.IdentityData[provider]; !ok {
		return nil
	}
	return c.UpdateIdentityData(ctx, identity, map[string]any{provider: value})
}

// LoadIdentities reads the identities of u again.
func (c *Conn) LoadIdentities(ctx context.Context, u *User) (err error) {
	u.Identities, err = c.identitiesOf(ctx, u.ID)
	return err
}

// LoadFactors reads the factors of u again.
func (c *Conn) LoadFactors(ctx context.Context, u *User) (err error) {
	u.Factors, err = c.factorsOf(ctx, u.ID)
	return err
}
