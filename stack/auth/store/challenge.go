package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Challenge is a row of auth.mfa_challenges: a chance to prove a factor.
type Challenge struct {
	ID         uuid.UUID  `db:"id"`
	FactorID   uuid.UUID  `db:"factor_id"`
	CreatedAt  time.Time  `db:"created_at"`
	VerifiedAt *time.Time `db:"verified_at"`
	// IP is the address that asked; it may be empty.
	IP Text `db:"ip"`
	// OTPCode is the code that was sent to a phone.
	OTPCode Text `db:"otp_code"`
}

// CreateFactor inserts an unverified factor of a user.
func (c *Conn) CreateFactor(ctx context.Context, userID uuid.UUID, f *Factor) error {
	f.ID, f.UserID, f.Status = c.newID(), userID, FactorUnverified
	f.CreatedAt = c.now()
	f.UpdatedAt = f.CreatedAt
	const insert = `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
		values ($1, $2, $3, $4::auth.factor_type, 'unverified', nullif($5, ''), nullif($6, ''), $7, $7)`
	return c.exec(ctx, insert, f.ID, userID, string(f.FriendlyName), f.FactorType, string(f.Secret), string(f.Phone), f.CreatedAt)
}

// VerifyFactor marks a factor as used once.
func (c *Conn) VerifyFactor(ctx context.Context, f *Factor) error {
	f.Status, f.UpdatedAt = FactorVerified, c.now()
	return c.exec(ctx, `update auth.mfa_factors set status = 'verified', updated_at = $2 where id = $1`, f.ID, f.UpdatedAt)
}

// SaveFactor writes name and phone number of a factor.
func (c *Conn) SaveFactor(ctx context.Context, f *Factor) error {
	f.UpdatedAt = c.now()
	return c.exec(ctx, `update auth.mfa_factors set friendly_name = $2, phone = nullif($3, ''), updated_at = $4 where id = $1`,
		f.ID, string(f.FriendlyName), string(f.Phone), f.UpdatedAt)
}

// DeleteFactor removes a factor.
func (c *Conn) DeleteFactor(ctx context.Context, id uuid.UUID) error {
	return c.exec(ctx, `delete from auth.mfa_factors where id = $1`, id)
}

// DeleteUnverifiedFactors removes a user's factors of a type that were never used.
func (c *Conn) DeleteUnverifiedFactors(ctx context.Context, userID uuid.UUID, factorType string) error {
	return c.exec(ctx, `delete from auth.mfa_factors
		where user_id = $1 and status = 'unverified' and factor_type = $2::auth.factor_type`, userID, factorType)
}

// DeleteExpiredFactors removes everybody's factors that are older than expiry, were never used and
// have no challenge.
func (c *Conn) DeleteExpiredFactors(ctx context.Context, expiry time.Duration) error {
	return c.exec(ctx, `delete from auth.mfa_factors f where status <> 'verified' and created_at < $1
		and not exists (select from auth.mfa_challenges where factor_id = f.id)`, c.now().Add(-expiry))
}

// CreateChallenge inserts a challenge of a factor and records its time with the factor.
func (c *Conn) CreateChallenge(ctx context.Context, f *Factor, ip, otpCode string) (*Challenge, error) {
	challenge := &Challenge{ID: c.newID(), FactorID: f.ID, CreatedAt: c.now(), IP: Text(ip), OTPCode: Text(otpCode)}
	// The column does not take NULL: without an address it is the unspecified one.
	const insert = `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code)
		values ($1, $2, $3, coalesce(nullif($4, ''), '0.0.0.0')::inet, nullif($5, ''))`
	if err := c.exec(ctx, insert, challenge.ID, f.ID, challenge.CreatedAt, ip, otpCode); err != nil {
		return nil, err
	}
	f.LastChallengedAt = &challenge.CreatedAt
	return challenge, c.exec(ctx, `update auth.mfa_factors set last_challenged_at = $2, updated_at = $2 where id = $1`,
		f.ID, challenge.CreatedAt)
}

// Challenge finds a challenge of a factor. It returns ErrNotFound when there is none.
func (c *Conn) Challenge(ctx context.Context, factorID, id uuid.UUID) (*Challenge, error) {
	return one[Challenge](ctx, c, `select id, factor_id, created_at, verified_at, host(ip_address) as ip, otp_code
		from auth.mfa_challenges where id = $1 and factor_id = $2`, id, factorID)
}

// UseChallenge marks a challenge as used. It returns ErrNotFound when it has been used meanwhile:
// of two requests with the same code one wins.
func (c *Conn) UseChallenge(ctx context.Context, id uuid.UUID) error {
	type key struct {
		ID uuid.UUID `db:"id"`
	}
	_, err := one[key](ctx, c, `update auth.mfa_challenges set verified_at = $2
		where id = $1 and verified_at is null returning id`, id, c.now())
	return err
}

// DeleteChallenge removes a challenge.
func (c *Conn) DeleteChallenge(ctx context.Context, id uuid.UUID) error {
	return c.exec(ctx, `delete from auth.mfa_challenges where id = $1`, id)
}

// DeleteSessionsBelow ends the sessions of a user whose level is lower than aal.
func (c *Conn) DeleteSessionsBelow(ctx context.Context, userID uuid.UUID, aal string) error {
	return c.exec(ctx, `delete from auth.sessions where user_id = $1 and aal < $2::auth.aal_level`, userID, aal)
}

// DowngradeSessions takes a factor and its authentication method away from the sessions that it
// raised.
func (c *Conn) DowngradeSessions(ctx context.Context, f *Factor, method string) error {
	err := c.exec(ctx, `delete from auth.mfa_amr_claims where authentication_method = $2
		and session_id in (select id from auth.sessions where factor_id = $1)`, f.ID, method)
	if err != nil {
		return err
	}
	return c.exec(ctx, `update auth.sessions set aal = 'aal1', factor_id = null where user_id = $1 and factor_id = $2`, f.UserID, f.ID)
}
