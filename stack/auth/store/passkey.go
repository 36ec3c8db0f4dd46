package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Passkey is what administrators see of a row of auth.webauthn_credentials. The server makes none;
// those of an imported project stay and can be taken away.
type Passkey struct {
	ID           uuid.UUID  `db:"id" json:"id"`
	FriendlyName string     `db:"friendly_name" json:"friendly_name,omitempty"`
	CreatedAt    time.Time  `db:"created_at" json:"created_at"`
	LastUsedAt   *time.Time `db:"last_used_at" json:"last_used_at,omitempty"`
}

// Passkeys are the passkeys of a user, the oldest first.
func (c *Conn) Passkeys(ctx context.Context, userID uuid.UUID) ([]Passkey, error) {
	return many[Passkey](ctx, c, `select id, friendly_name, created_at, last_used_at
		from auth.webauthn_credentials where user_id = $1 order by created_at`, userID)
}

// DeletePasskey removes a passkey of a user. It returns ErrNotFound when the user has none with that
// id.
func (c *Conn) DeletePasskey(ctx context.Context, userID, id uuid.UUID) error {
	type key struct {
		ID uuid.UUID `db:"id"`
	}
	_, err := one[key](ctx, c, `delete from auth.webauthn_credentials where user_id = $1 and id = $2 returning id`, userID, id)
	return err
}
