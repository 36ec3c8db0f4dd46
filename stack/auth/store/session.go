package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// The authenticator assurance levels. Levels compare as their texts do.
const (
	AAL1 = "aal1"
	AAL2 = "aal2"
)

// Session is a row of auth.sessions with the ways in which it was authenticated.
type Session struct {
	ID        uuid.UUID  `db:"id"`
	UserID    uuid.UUID  `db:"user_id"`
	CreatedAt time.Time  `db:"created_at"`
	UpdatedAt time.Time  `db:"updated_at"`
	FactorID  *uuid.UUID `db:"factor_id"`
	AAL       *string    `db:"aal"`
	NotAfter  *time.Time `db:"not_after"`
	// RefreshedAt is UTC; the column has no zone.
	RefreshedAt *time.Time `db:"refreshed_at"`
	UserAgent   *string    `db:"user_agent"`
	IP          *string    `db:"ip"`
	Tag         *string    `db:"tag"`
	// AMR is in no order.
	AMR []AMRClaim `db:"amr"`
}

// AMRClaim is a row of auth.mfa_amr_claims.
type AMRClaim struct {
	Method    string    `json:"method"`
	UpdatedAt time.Time `json:"at"`
}

const sessionColumns = `id, user_id, created_at, updated_at, factor_id, aal::text as aal, not_after, refreshed_at,
	user_agent, host(ip) as ip, tag, coalesce((
		select json_agg(json_build_object('method', authentication_method, 'at', updated_at))
		from auth.mfa_amr_claims where session_id = sessions.id), '[]') as amr`

// Grant describes the request that a session is made for.
type Grant struct {
	// UserAgent and IP may be empty.
	UserAgent, IP string
	// FactorID is set when the session starts with a second factor.
	FactorID *uuid.UUID
}

// CreateSession inserts a session of a user at level aal1.
func (c *Conn) CreateSession(ctx context.Context, userID uuid.UUID, grant Grant) (uuid.UUID, error) {
	id := c.newID()
	const insert = `insert into auth.sessions (id, user_id, created_at, updated_at, factor_id, aal, user_agent, ip)
		values ($1, $2, $3, $3, $4, 'aal1', nullif($5, ''), nullif($6, '')::inet)`
	return id, c.exec(ctx, insert, id, userID, c.now(), grant.FactorID, grant.UserAgent, grant.IP)
}

// Session finds a session. It returns ErrNotFound when there is none.
func (c *Conn) Session(ctx context.Context, id uuid.UUID) (*Session, error) {
	return one[Session](ctx, c, `select `+sessionColumns+` from auth.sessions where id = $1`, id)
}

// LockSession locks the row of a session until the transaction ends. It returns ErrNotFound when
// there is none or when another transaction holds it: waiting for it would hold a connection.
func (c *Conn) LockSession(ctx context.Context, id uuid.UUID) error {
	type key struct {
		ID uuid.UUID `db:"id"`
	}
	_, err := one[key](ctx, c, `select id from auth.sessions where id = $1 for update skip locked`, id)
	return err
}

// Sessions are all sessions of a user.
func (c *Conn) Sessions(ctx context.Context, userID uuid.UUID) ([]Session, error) {
	return many[Session](ctx, c, `select `+sessionColumns+` from auth.sessions where user_id = $1`, userID)
}

// AddAMR records that a session was authenticated by a method now.
func (c *Conn) AddAMR(ctx context.Context, sessionID uuid.UUID, method string) error {
	const insert = `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
		values ($1, $2, $3, $3, $4)
		on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = $3`
	return c.exec(ctx, insert, c.newID(), sessionID, c.now(), method)
}

// TouchSession records a refresh: when, by which user agent and from which address, both may be empty.
func (c *Conn) TouchSession(ctx context.Context, sessionID uuid.UUID, grant Grant) error {
	const update = `update auth.sessions set refreshed_at = $2::timestamptz at time zone 'utc', updated_at = $2,
		user_agent = nullif($3, ''), ip = nullif($4, '')::inet where id = $1`
	return c.exec(ctx, update, sessionID, c.now(), grant.UserAgent, grant.IP)
}

// SetSessionAAL records a session's level and the factor that raised it.
func (c *Conn) SetSessionAAL(ctx context.Context, sessionID uuid.UUID, aal string, factorID *uuid.UUID) error {
	const update = `update auth.sessions set aal = $2::auth.aal_level, factor_id = $3, updated_at = $4 where id = $1`
	return c.exec(ctx, update, sessionID, aal, factorID, c.now())
}

// DeleteSessions ends all sessions of a user; their refresh tokens go with them.
func (c *Conn) DeleteSessions(ctx context.Context, userID uuid.UUID) error {
	return c.exec(ctx, `delete from auth.sessions where user_id = $1`, userID)
}

// DeleteSession ends one session.
func (c *Conn) DeleteSession(ctx context.Context, id uuid.UUID) error {
	return c.exec(ctx, `delete from auth.sessions where id = $1`, id)
}

// DeleteOtherSessions ends all sessions of a user but one.
func (c *Conn) DeleteOtherSessions(ctx context.Context, userID, keep uuid.UUID) error {
	return c.exec(ctx, `delete from auth.sessions where id <> $2 and user_id = $1`, userID, keep)
}

// Level is the session's recorded level, aal1 when it has none.
func (s *Session) Level() string {
	if s.AAL == nil || *s.AAL == "" {
		return AAL1
	}
	return *s.AAL
}

// LastRefresh is when the session was refreshed last. A session without that time takes the time
// of its refresh token when that is later than its start.
func (s *Session) LastRefresh(token *time.Time) time.Time {
	switch {
	case s.RefreshedAt != nil && !s.RefreshedAt.IsZero():
		return *s.RefreshedAt
	case token != nil && token.After(s.CreatedAt):
		return *token
	}
	return s.CreatedAt
}

// Methods are the session's authentications, the latest first, and the level they amount to.
func (s *Session) Methods() (amr []AMRClaim, aal string) {
	aal = AAL1
	for _, claim := range s.AMR {
		switch claim.Method {
		case "totp", "mfa/phone", "mfa/webauthn":
			aal = AAL2
		}
	}
	amr = slices.Clone(s.AMR)
	slices.SortStableFunc(amr, func(a, b AMRClaim) int { return int(b.UpdatedAt.Unix() - a.UpdatedAt.Unix()) })
	return amr, aal
}
