package store

import (
	"context"
	"strconv"
	"strings"
)

// Column names a column of auth.users that SaveUser can write.
type Column string

// The columns that SaveUser can write.
const (
	BannedUntil              Column = "banned_until"
	ConfirmationSentAt       Column = "confirmation_sent_at"
	ConfirmationToken        Column = "confirmation_token"
	DeletedAt                Column = "deleted_at"
	Email                    Column = "email"
	EmailChange              Column = "email_change"
	EmailChangeConfirmStatus Column = "email_change_confirm_status"
	EmailChangeSentAt        Column = "email_change_sent_at"
	EmailChangeTokenCurrent  Column = "email_change_token_current"
	EmailChangeTokenNew      Column = "email_change_token_new"
	EmailConfirmedAt         Column = "email_confirmed_at"
	EncryptedPassword        Column = "encrypted_password"
	InvitedAt                Column = "invited_at"
	IsAnonymous              Column = "is_anonymous"
	LastSignInAt             Column = "last_sign_in_at"
	Phone                    Column = "phone"
	PhoneChange              Column = "phone_change"
	PhoneChangeSentAt        Column = "phone_change_sent_at"
	PhoneChangeToken         Column = "phone_change_token"
	PhoneConfirmedAt         Column = "phone_confirmed_at"
	AppMetaData              Column = "raw_app_meta_data"
	UserMetaData             Column = "raw_user_meta_data"
	ReauthenticationSentAt   Column = "reauthentication_sent_at"
	ReauthenticationToken    Column = "reauthentication_token"
	RecoverySentAt           Column = "recovery_sent_at"
	RecoveryToken            Column = "recovery_token"
	Role                     Column = "role"
)

// value is what a column takes from a user. An empty address or phone number is NULL: the columns
// are unique.
func (c Column) value(u *User) any {
	switch c {
	case Email:
		return nullable(u.Email)
	case Phone:
		return nullable(u.Phone)
	case EncryptedPassword:
		return u.EncryptedPassword
	case AppMetaData:
		return u.AppMetaData
	case UserMetaData:
		return u.UserMetaData
	case IsAnonymous:
		return u.IsAnonymous
	case Role:
		return u.Role
	case BannedUntil:
		return u.BannedUntil
	case DeletedAt:
		return u.DeletedAt
	case InvitedAt:
		return u.InvitedAt
	case LastSignInAt:
		return u.LastSignInAt
	case EmailConfirmedAt:
		return u.EmailConfirmedAt
	case PhoneConfirmedAt:
		return u.PhoneConfirmedAt
	}
	return c.tokenValue(u)
}

// tokenValue is value for the columns of one-time tokens and pending changes.
func (c Column) tokenValue(u *User) any {
	switch c {
	case ConfirmationToken:
		return u.ConfirmationToken
	case ConfirmationSentAt:
		return u.ConfirmationSentAt
	case RecoveryToken:
		return u.RecoveryToken
	case RecoverySentAt:
		return u.RecoverySentAt
	case EmailChange:
		return u.EmailChange
	case EmailChangeConfirmStatus:
		return u.EmailChangeConfirmStatus
	case EmailChangeSentAt:
		return u.EmailChangeSentAt
	case EmailChangeTokenCurrent:
		return u.EmailChangeTokenCurrent
	case EmailChangeTokenNew:
		return u.EmailChangeTokenNew
	case PhoneChange:
		return u.PhoneChange
	case PhoneChangeSentAt:
		return u.PhoneChangeSentAt
	case PhoneChangeToken:
		return u.PhoneChangeToken
	case ReauthenticationSentAt:
		return u.ReauthenticationSentAt
	case ReauthenticationToken:
		return u.ReauthenticationToken
	}
	panic("store: no such column of auth.users: " + string(c)) // a constant of this file is missing above
}

// nullable is a text as a parameter, NULL when it is empty.
func nullable(t Text) *string {
	if t == "" {
		return nil
	}
	s := string(t)
	return &s
}

// SaveUser writes columns of a user in one statement, and updated_at. All others are left alone:
// other requests may change them meanwhile.
func (c *Conn) SaveUser(ctx context.Context, u *User, columns ...Column) error {
	u.UpdatedAt = c.now()
	args := []any{u.ID, u.UpdatedAt}
	// The columns are constants of this package, so this is no text of anybody's.
	var set strings.Builder
	for _, column := range columns {
		args = append(args, column.value(u))
		set.WriteString(string(column) + " = $" + strconv.Itoa(len(args)) + ", ")
	}
	return c.exec(ctx, `update auth.users set `+set.String()+`updated_at = $2 where id = $1`, args...)
}

// UpdateUserMetaData merges updates into the user's metadata; nil deletes a member.
func (c *Conn) UpdateUserMetaData(ctx context.Context, u *User, updates map[string]any) error {
	u.UserMetaData.Merge(updates)
	return c.SaveUser(ctx, u, UserMetaData)
}

// UpdateAppMetaData merges updates into the app's metadata; nil deletes a member.
func (c *Conn) UpdateAppMetaData(ctx context.Context, u *User, updates map[string]any) error {
	u.AppMetaData.Merge(updates)
	return c.SaveUser(ctx, u, AppMetaData)
}
