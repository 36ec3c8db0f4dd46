package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const userColumns = `id, aud, role, email, is_sso_user, encrypted_password, email_confirmed_at, invited_at,
	phone, phone_confirmed_at, confirmation_token, confirmation_sent_at, confirmed_at, recovery_token,
	recovery_sent_at, email_change_token_current, email_change_token_new, email_change, email_change_sent_at,
	email_change_confirm_status, phone_change_token, phone_change, phone_change_sent_at, reauthentication_token,
	reauthentication_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
	banned_until, deleted_at, is_anonymous`

// Rows of another instance are invisible, as they are to the real server: a user inserted by SQL
// without instance_id does not exist.
const fromUsers = ` from auth.users where instance_id = '` + instance + `' and `

// user finds one user by a condition, with its identities and factors, in one round trip.
func (c *Conn) user(ctx context.Context, condition string, args ...any) (user *User, err error) {
	const owned = ` where user_id in (select id` + fromUsers
	err = c.run(func() error {
		batch := &pgx.Batch{} // a batch cannot be sent twice
		batch.Queue(`select `+userColumns+fromUsers+condition, args...)
		batch.Queue(`select `+identityColumns+` from auth.identities`+owned+condition+`) order by created_at, id`, args...)
		batch.Queue(`select `+factorColumns+` from auth.mfa_factors`+owned+condition+`) order by created_at, id`, args...)
		results := c.db.SendBatch(ctx, batch)
		user, err = readUser(results)
		return errors.Join(err, results.Close())
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	return user, err
}

// readUser reads the results of the batch of Conn.user.
func readUser(results pgx.BatchResults) (*User, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	user, err := pgx.CollectOneRow(rows, pgx.RowToAddrOfStructByName[User])
	if err != nil {
		return nil, err
	}
	if rows, err = results.Query(); err != nil {
		return nil, err
	}
	if user.Identities, err = pgx.CollectRows(rows, pgx.RowToStructByName[Identity]); err != nil {
		return nil, err
	}
	if rows, err = results.Query(); err != nil {
		return nil, err
	}
	user.Factors, err = pgx.CollectRows(rows, pgx.RowToStructByName[Factor])
	return user, err
}

// UserByID finds a user. This and the other finders return ErrNotFound when there is none.
func (c *Conn) UserByID(ctx context.Context, id uuid.UUID) (*User, error) {
	return c.user(ctx, `id = $1`, id)
}

// UserByEmail finds the user with an address, in any case of letters. Single sign-on users are not
// looked at.
func (c *Conn) UserByEmail(ctx context.Context, email, aud string) (*User, error) {
	return c.user(ctx, `lower(email) = $1 and aud = $2 and is_sso_user = false limit 1`, strings.ToLower(email), aud)
}

// UserByPhone finds the user with a phone number, digits only.
func (c *Conn) UserByPhone(ctx context.Context, phone, aud string) (*User, error) {
	return c.user(ctx, `phone = $1 and aud = $2 and is_sso_user = false limit 1`, phone, aud)
}

// UserWithEmail finds the user that an address belongs to by an identity or, failing that, by the
// user's own address. except is left out by its identities; uuid.Nil for nobody. Identities of
// single sign-on providers do not count.
func (c *Conn) UserWithEmail(ctx context.Context, email, aud string, except uuid.UUID) (*User, error) {
	type owner struct {
		UserID uuid.UUID `db:"user_id"`
	}
	const query = `select distinct user_id from auth.identities
		where email = $1 and user_id <> $2 and provider not like 'sso:%'`
	owners, err := many[owner](ctx, c, query, strings.ToLower(email), except)
	if err != nil {
		return nil, err
	}
	for _, o := range owners {
		user, err := c.UserByID(ctx, o.UserID)
		if err != nil || user.Aud == aud {
			return user, err
		}
	}
	return c.UserByEmail(ctx, email, aud)
}

// CreateUser inserts a user. Afterwards u has its times. Its role is empty, as it is for triggers
// on insert in the real server, which sets the role with a second statement.
func (c *Conn) CreateUser(ctx context.Context, u *User) error {
	u.CreatedAt = c.now()
	u.UpdatedAt = u.CreatedAt
	const insert = `insert into auth.users (instance_id, id, aud, role, email, is_sso_user, encrypted_password,
			email_confirmed_at, invited_at, phone, phone_confirmed_at, confirmation_token, recovery_token,
			email_change_token_current, email_change_token_new, email_change, email_change_confirm_status,
			phone_change_token, phone_change, reauthentication_token, raw_app_meta_data, raw_user_meta_data,
			created_at, updated_at, is_anonymous)
		values ('` + instance + `', $1, $2, $3, nullif($4, ''), $5, $6, $7, $8, nullif($9, ''), $10, '', '', '', '', '', 0,
			'', '', '', $11, $12, $13, $13, $14)`
	return c.exec(ctx, insert, u.ID, u.Aud, u.Role, string(u.Email), u.IsSSOUser, u.EncryptedPassword,
		u.EmailConfirmedAt, u.InvitedAt, string(u.Phone), u.PhoneConfirmedAt, u.AppMetaData, u.UserMetaData,
		u.CreatedAt, u.IsAnonymous)
}

// ReloadUser reads the columns of a user again, after triggers may have changed them. Identities
// and factors of u stay as they are.
func (c *Conn) ReloadUser(ctx context.Context, u *User) error {
	fresh, err := one[User](ctx, c, `select `+userColumns+` from auth.users where id = $1`, u.ID)
	if err != nil {
		return err
	}
	fresh.Identities, fresh.Factors = u.Identities, u.Factors
	*u = *fresh
	return nil
}

// DeleteUser removes a user and everything that references it.
func (c *Conn) DeleteUser(ctx context.Context, id uuid.UUID) error {
	return c.exec(ctx, `delete from auth.users where id = $1`, id)
}

// Page selects users for an administrator.
type Page struct {
	// Aud is the audience of the users.
	Aud string
	// Filter, when set, must occur in the address, or in any case of letters in the full_name of the
	// user's metadata; % and _ are wildcards.
	Filter string
	// Ascending sorts by created_at from the oldest on, else from the latest on.
	Ascending bool
	// Number counts from 1. Size is the number of users on a page.
	Number, Size uint64
}

// count is a row of select count(*) as n.
type count struct {
	N int64 `db:"n"`
}

// Users are the users on a page, without identities and factors, and the number of users on all
// pages.
func (c *Conn) Users(ctx context.Context, page Page) ([]*User, uint64, error) {
	const where = ` from auth.users where instance_id = '` + instance + `' and aud = $1
		and ($2 = '' or email like '%' || $2 || '%' or raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')`
	total, err := one[count](ctx, c, `select count(*) as n`+where, page.Aud, page.Filter)
	if err != nil {
		return nil, 0, fmt.Errorf("count users: %w", err)
	}
	order := ` order by created_at desc`
	if page.Ascending {
		order = ` order by created_at asc`
	}
	offset, size := window(page.Number, page.Size)
	rows, err := many[User](ctx, c, `select `+userColumns+where+order+` limit $3 offset $4`,
		page.Aud, page.Filter, size, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list users: %w", err)
	}
	users := make([]*User, len(rows))
	for i := range rows {
		users[i] = &rows[i]
	}
	return users, uint64(total.N), nil
}

// DefaultPageSize replaces a page size of 0.
const DefaultPageSize = 20

// window is the offset and limit of a page. Numbers beyond what PostgreSQL counts mean an empty page.
func window(number, size uint64) (offset, limit int64) {
	const most = 1 << 31
	number, size = min(max(number, 1), most), min(size, most)
	if size == 0 {
		size = DefaultPageSize
	}
	return int64((number - 1) * size), int64(size)
}

// Ban bans a user until now plus a duration; zero lifts the ban.
func (c *Conn) Ban(ctx context.Context, u *User, duration time.Duration) error {
	u.BannedUntil = nil
	if duration != 0 {
		until := c.now().Add(duration)
		u.BannedUntil = &until
	}
	return c.SaveUser(ctx, u, BannedUntil)
}
