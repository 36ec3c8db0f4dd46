package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// RefreshToken is a row of auth.refresh_tokens.
type RefreshToken struct {
	ID     int64     `db:"id"`
	Token  string    `db:"token"`
	UserID uuid.UUID `db:"user_id"`
	// Parent is the token that this one replaced, "" for the first of a session.
	Parent    Text       `db:"parent"`
	SessionID *uuid.UUID `db:"session_id"`
	Revoked   bool       `db:"revoked"`
	CreatedAt time.Time  `db:"created_at"`
	// UpdatedAt is when a revoked token was revoked.
	UpdatedAt time.Time `db:"updated_at"`
}

const refreshColumns = `id, token, user_id::uuid as user_id, parent, session_id, revoked, created_at, updated_at`

// instance is the instance_id of every row that the server writes.
const instance = "00000000-0000-0000-0000-000000000000"

// CreateRefreshToken inserts a token for a session. parent is nil for its first one.
func (c *Conn) CreateRefreshToken(ctx context.Context, userID, sessionID uuid.UUID, parent *RefreshToken) (string, error) {
	token, err := alphanumeric(c.random, 12)
	if err != nil {
		return "", err
	}
	replaced := ""
	if parent != nil {
		replaced = parent.Token
	}
	const insert = `insert into auth.refresh_tokens
		(instance_id, token, user_id, parent, session_id, revoked, created_at, updated_at)
		values ('` + instance + `', $1, $2, nullif($3, ''), $4, false, $5, $5)`
	if err := c.exec(ctx, insert, token, userID.String(), replaced, sessionID, c.now()); err != nil {
		return "", fmt.Errorf("create a refresh token: %w", err)
	}
	return token, nil
}

// RefreshToken finds a token. It returns ErrNotFound when there is none.
func (c *Conn) RefreshToken(ctx context.Context, token string) (*RefreshToken, error) {
	return one[RefreshToken](ctx, c, `select `+refreshColumns+` from auth.refresh_tokens where token = $1`, token)
}

// LockRefreshToken finds a token and locks it until the transaction ends. It returns ErrNotFound
// when there is none or when another transaction holds it.
func (c *Conn) LockRefreshToken(ctx context.Context, token string) (*RefreshToken, error) {
	const query = `select ` + refreshColumns + ` from auth.refresh_tokens where token = $1 for update skip locked`
	return one[RefreshToken](ctx, c, query, token)
}

// ActiveRefreshToken is the session's latest token that is not revoked, or ErrNotFound.
func (c *Conn) ActiveRefreshToken(ctx context.Context, sessionID uuid.UUID) (*RefreshToken, error) {
	const query = `select ` + refreshColumns + ` from auth.refresh_tokens
		where session_id = $1 and revoked is false order by id desc limit 1`
	return one[RefreshToken](ctx, c, query, sessionID)
}

// OldestActiveRefreshToken is the session's first token that is not revoked, or ErrNotFound.
func (c *Conn) OldestActiveRefreshToken(ctx context.Context, sessionID uuid.UUID) (*RefreshToken, error) {
	const query = `select ` + refreshColumns + ` from auth.refresh_tokens
		where instance_id = '` + instance + `' and session_id = $1 and revoked = false order by created_at limit 1`
	return one[RefreshToken](ctx, c, query, sessionID)
}

// RevokeRefreshToken revokes one token.
func (c *Conn) RevokeRefreshToken(ctx context.Context, token *RefreshToken) error {
	token.Revoked, token.UpdatedAt = true, c.now()
	return c.exec(ctx, `update auth.refresh_tokens set revoked = true, updated_at = $2 where id = $1`, token.ID, token.UpdatedAt)
}

// RevokeFamily revokes all tokens of the token's session; for a token without a session, those that
// descend from it.
func (c *Conn) RevokeFamily(ctx context.Context, token *RefreshToken) error {
	if token.SessionID != nil {
		const update = `update auth.refresh_tokens set revoked = true, updated_at = now()
			where session_id = $1 and revoked = false`
		return c.exec(ctx, update, *token.SessionID)
	}
	const update = `with recursive family as (
			select id, token from auth.refresh_tokens where parent = $1
			union
			select t.id, t.token from auth.refresh_tokens t join family f on t.parent = f.token
		)
		update auth.refresh_tokens set revoked = true where id in (select id from family)`
	return c.exec(ctx, update, token.Token)
}

// DeleteRefreshToken removes one token.
func (c *Conn) DeleteRefreshToken(ctx context.Context, id int64) error {
	return c.exec(ctx, `delete from auth.refresh_tokens where id = $1`, id)
}

// Refresh is a refresh token with its user and session.
type Refresh struct {
	Token *RefreshToken
	User  *User
	// Session is nil for a token whose session is gone.
	Session *Session
}

// FindRefresh finds a refresh token with its user and session. It returns ErrNotFound without a
// token or a user. With lock, token and session are locked until the transaction ends, and a row
// that is gone or locked by another transaction is ErrNotFound too.
func (c *Conn) FindRefresh(ctx context.Context, value string, lock bool) (Refresh, error) {
	find := c.RefreshToken
	if lock {
		find = c.LockRefreshToken
	}
	token, err := find(ctx, value)
	if err != nil {
		return Refresh{}, err
	}
	user, err := c.UserByID(ctx, token.UserID)
	if err != nil {
		return Refresh{}, err
	}
	out := Refresh{Token: token, User: user}
	if token.SessionID == nil || *token.SessionID == uuid.Nil {
		return out, nil
	}
	if lock {
		if err := c.LockSession(ctx, *token.SessionID); err != nil {
			return Refresh{}, err
		}
	}
	out.Session, err = c.Session(ctx, *token.SessionID)
	if errors.Is(err, ErrNotFound) && !lock {
		return out, nil
	}
	return out, err
}
