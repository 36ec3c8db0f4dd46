package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// FlowState is a row of auth.flow_state: a PKCE flow that waits for its exchange.
type FlowState struct {
	ID                   uuid.UUID  `db:"id"`
	UserID               *uuid.UUID `db:"user_id"`
	AuthCode             *string    `db:"auth_code"`
	CodeChallenge        *string    `db:"code_challenge"`
	CodeChallengeMethod  *string    `db:"code_challenge_method"`
	ProviderType         string     `db:"provider_type"`
	AuthenticationMethod string     `db:"authentication_method"`
	AuthCodeIssuedAt     *time.Time `db:"auth_code_issued_at"`
	CreatedAt            *time.Time `db:"created_at"`
}

const selectFlow = `select id, user_id, auth_code, code_challenge, code_challenge_method::text as code_challenge_method,
	provider_type, authentication_method, auth_code_issued_at, created_at from auth.flow_state where `

// NewFlow describes a PKCE flow to start.
type NewFlow struct {
	UserID uuid.UUID
	// Provider is how the user is known, Method the authentication method of the coming session.
	Provider, Method string
	// ChallengeMethod is s256 or plain.
	ChallengeMethod, Challenge string
}

// CreateFlow starts a PKCE flow with a fresh auth code.
func (c *Conn) CreateFlow(ctx context.Context, f NewFlow) error {
	const insert = `insert into auth.flow_state (id, user_id, auth_code, code_challenge, code_challenge_method,
			provider_type, authentication_method, provider_access_token, provider_refresh_token, created_at, updated_at)
		values ($1, $2, $3, $4, $5::auth.code_challenge_method, $6, $7, '', '', $8, $8)`
	return c.exec(ctx, insert, c.newID(), f.UserID, c.newID().String(), f.Challenge, f.ChallengeMethod, f.Provider, f.Method, c.now())
}

// FlowByCode finds the flow with an auth code.
func (c *Conn) FlowByCode(ctx context.Context, code string) (*FlowState, error) {
	return one[FlowState](ctx, c, selectFlow+`auth_code = $1 limit 1`, code)
}

// LatestFlow finds the flow that a user started last with an authentication method.
func (c *Conn) LatestFlow(ctx context.Context, userID uuid.UUID, method string) (*FlowState, error) {
	return one[FlowState](ctx, c, selectFlow+`user_id = $1 and authentication_method = $2
		order by created_at desc limit 1`, userID, method)
}

// IssueCode records that the flow's auth code was given out.
func (c *Conn) IssueCode(ctx context.Context, flow *FlowState) error {
	now := c.now()
	flow.AuthCodeIssuedAt = &now
	return c.exec(ctx, `update auth.flow_state set auth_code_issued_at = $2, updated_at = $2 where id = $1`, flow.ID, now)
}

// TakeFlow ends a flow. It returns ErrNotFound when another request has ended it.
func (c *Conn) TakeFlow(ctx context.Context, id uuid.UUID) error {
	type key struct {
		ID uuid.UUID `db:"id"`
	}
	_, err := one[key](ctx, c, `delete from auth.flow_state where id = $1 returning id`, id)
	return err
}
