package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Identity is a row of auth.identities: one way in which a user is known.
type Identity struct {
	// ID is the row's id; the API calls it identity_id, and ProviderID id.
	ID           uuid.UUID  `db:"id" json:"identity_id"`
	ProviderID   string     `db:"provider_id" json:"id"`
	UserID       uuid.UUID  `db:"user_id" json:"user_id"`
	IdentityData Object     `db:"identity_data" json:"identity_data,omitempty"`
	Provider     string     `db:"provider" json:"provider"`
	LastSignInAt *time.Time `db:"last_sign_in_at" json:"last_sign_in_at,omitempty"`
	CreatedAt    time.Time  `db:"created_at" json:"created_at"`
	UpdatedAt    time.Time  `db:"updated_at" json:"updated_at"`
	// Email is generated from the data: lower case.
	Email Text `db:"email" json:"email,omitempty"`
}

const identityColumns = `id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, email`

// errNoSubject can only be a bug of the caller.
var errNoSubject = errors.New("create an identity: the data has no sub")

// CreateIdentity inserts an identity of a user. data must have the member sub, the user's id with
// the provider, and becomes the identity's data without being copied: a caller that shares it with
// the user's metadata sees later changes in both, as the answers of the real server do.
func (c *Conn) CreateIdentity(ctx context.Context, u *User, provider string, data Object) (*Identity, error) {
	sub, ok := data["sub"].(string)
	if !ok {
		return nil, errNoSubject
	}
	if email, ok := data["email"].(string); ok {
		data["email"] = strings.ToLower(email)
	}
	now := c.now()
	identity := &Identity{
		ID: c.newID(), ProviderID: sub, UserID: u.ID, IdentityData: data, Provider: provider,
		LastSignInAt: &now, CreatedAt: now, UpdatedAt: now,
	}
	if email, ok := data["email"].(string); ok {
		identity.Email = Text(email)
	}
	const insert = `insert into auth.identities
		(id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $6, $6)`
	if err := c.exec(ctx, insert, identity.ID, sub, u.ID, data, provider, now); err != nil {
		return nil, fmt.Errorf("create an identity: %w", err)
	}
	return identity, nil
}

// Identity finds the identity with a provider's id. It returns ErrNotFound when there is none.
func (c *Conn) Identity(ctx context.Context, providerID, provider string) (*Identity, error) {
	const query = `select ` + identityColumns + ` from auth.identities where provider_id = $1 and provider = $2`
	return one[Identity](ctx, c, query, providerID, provider)
}

// UpdateIdentityData merges updates into the data of an identity; nil deletes a member.
func (c *Conn) UpdateIdentityData(ctx context.Context, identity *Identity, updates map[string]any) error {
	identity.IdentityData.Merge(updates)
	return c.exec(ctx, `update auth.identities set identity_data = $1 where id = $2`, identity.IdentityData, identity.ID)
}

// TouchIdentityData writes the data of an identity and the time of the change.
func (c *Conn) TouchIdentityData(ctx context.Context, identity *Identity) error {
	identity.UpdatedAt = c.now()
	return c.exec(ctx, `update auth.identities set identity_data = $1, updated_at = $2 where id = $3`,
		identity.IdentityData, identity.UpdatedAt, identity.ID)
}

// DeleteIdentity removes an identity.
func (c *Conn) DeleteIdentity(ctx context.Context, id uuid.UUID) error {
	return c.exec(ctx, `delete from auth.identities where id = $1`, id)
}

// identitiesOf are the identities of a user, the oldest first.
func (c *Conn) identitiesOf(ctx context.Context, userID uuid.UUID) ([]Identity, error) {
	const query = `select ` + identityColumns + ` from auth.identities where user_id = $1 order by created_at, id`
	return many[Identity](ctx, c, query, userID)
}

// UpdateProviders sets the providers in the app metadata to those of the user's identities, in the
// order in which they were linked, and provider to the first of them.
func (c *Conn) UpdateProviders(ctx context.Context, u *User) error {
	identities, err := c.identitiesOf(ctx, u.ID)
	if err != nil {
		return err
	}
	providers := []string{}
	seen := map[string]bool{}
	for _, identity := range identities {
		if !seen[identity.Provider] {
			seen[identity.Provider] = true
			providers = append(providers, identity.Provider)
		}
	}
	updates := map[string]any{"providers": providers}
	if len(providers) > 0 {
		updates["provider"] = providers[0]
	}
	return c.UpdateAppMetaData(ctx, u, updates)
}
