package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// The states of a factor.
const (
	FactorUnverified = "unverified"
	FactorVerified   = "verified"
)

// Factor is a row of auth.mfa_factors: a second factor of a user.
type Factor struct {
	ID                   uuid.UUID       `db:"id" json:"id"`
	UserID               uuid.UUID       `db:"user_id" json:"-"`
	CreatedAt            time.Time       `db:"created_at" json:"created_at"`
	UpdatedAt            time.Time       `db:"updated_at" json:"updated_at"`
	Status               string          `db:"status" json:"status"`
	FriendlyName         Text            `db:"friendly_name" json:"friendly_name,omitempty"`
	Secret               Text            `db:"secret" json:"-"`
	FactorType           string          `db:"factor_type" json:"factor_type"`
	Phone                Text            `db:"phone" json:"phone"`
	LastChallengedAt     *time.Time      `db:"last_challenged_at" json:"last_challenged_at"`
	WebAuthnAAGUID       *uuid.UUID      `db:"web_authn_aaguid" json:"web_authn_aaguid,omitempty"`
	LastWebAuthnResponse json.RawMessage `db:"last_webauthn_challenge_data" json:"last_webauthn_challenge_data,omitempty"`
}

const factorColumns = `id, user_id, created_at, updated_at, status::text as status, friendly_name, secret,
	factor_type::text as factor_type, phone, last_challenged_at, web_authn_aaguid, last_webauthn_challenge_data`

// factorsOf are the factors of a user, the oldest first.
func (c *Conn) factorsOf(ctx context.Context, userID uuid.UUID) ([]Factor, error) {
	const query = `select ` + factorColumns + ` from auth.mfa_factors where user_id = $1 order by created_at, id`
	return many[Factor](ctx, c, query, userID)
}

// Factor finds a factor of a user. It returns ErrNotFound when the user has none with that id.
func (c *Conn) Factor(ctx context.Context, userID, id uuid.UUID) (*Factor, error) {
	const query = `select ` + factorColumns + ` from auth.mfa_factors where user_id = $1 and id = $2`
	return one[Factor](ctx, c, query, userID, id)
}

// DeleteFactors removes all factors of a user.
func (c *Conn) DeleteFactors(ctx context.Context, userID uuid.UUID) error {
	return c.exec(ctx, `delete from auth.mfa_factors where user_id = $1`, userID)
}
