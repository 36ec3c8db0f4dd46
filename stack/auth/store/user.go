package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Object is a jsonb column that holds an object. NULL and the JSON null scan to an empty object,
// every other non-object is an error, as in the real server.
type Object map[string]any

// Scan implements sql.Scanner.
func (o *Object) Scan(src any) error {
	var data []byte
	switch v := src.(type) {
	case nil:
	case string:
		data = []byte(v)
	case []byte:
		data = v
	default:
		return fmt.Errorf("scan a JSON object: got %T", src)
	}
	out := Object{}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &out); err != nil {
			return fmt.Errorf("scan a JSON object: %w", err)
		}
	}
	if out == nil {
		out = Object{}
	}
	*o = out
	return nil
}

// Merge sets the members of updates in o and deletes those that are nil there. It changes o in
// place, or takes updates over, nil members included, when o is nil.
func (o *Object) Merge(updates map[string]any) {
	if *o == nil {
		*o = updates
		return
	}
	maps.Copy(*o, updates)
	maps.DeleteFunc(*o, func(key string, value any) bool {
		_, updated := updates[key]
		return updated && value == nil
	})
}

// Text is a nullable text column whose NULL reads as "" and that is written as NULL when empty.
type Text string

// Scan implements sql.Scanner.
func (t *Text) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = ""
	case string:
		*t = Text(v)
	default:
		return fmt.Errorf("scan a text: got %T", src)
	}
	return nil
}

// User is a row of auth.users with its identities and factors, and marshals to the user object of
// the API. Columns that are plain strings or numbers here must not be NULL: a user that SQL made
// without them cannot be loaded, as with the real server (recording seed_sql_users). Times are UTC.
type User struct {
	ID                       uuid.UUID  `db:"id" json:"id"`
	Aud                      string     `db:"aud" json:"aud"`
	Role                     string     `db:"role" json:"role"`
	Email                    Text       `db:"email" json:"email"`
	IsSSOUser                bool       `db:"is_sso_user" json:"-"`
	EncryptedPassword        *string    `db:"encrypted_password" json:"-"`
	EmailConfirmedAt         *time.Time `db:"email_confirmed_at" json:"email_confirmed_at,omitempty"`
	InvitedAt                *time.Time `db:"invited_at" json:"invited_at,omitempty"`
	Phone                    Text       `db:"phone" json:"phone"`
	PhoneConfirmedAt         *time.Time `db:"phone_confirmed_at" json:"phone_confirmed_at,omitempty"`
	ConfirmationToken        string     `db:"confirmation_token" json:"-"`
	ConfirmationSentAt       *time.Time `db:"confirmation_sent_at" json:"confirmation_sent_at,omitempty"`
	ConfirmedAt              *time.Time `db:"confirmed_at" json:"confirmed_at,omitempty"`
	RecoveryToken            string     `db:"recovery_token" json:"-"`
	RecoverySentAt           *time.Time `db:"recovery_sent_at" json:"recovery_sent_at,omitempty"`
	EmailChangeTokenCurrent  string     `db:"email_change_token_current" json:"-"`
	EmailChangeTokenNew      string     `db:"email_change_token_new" json:"-"`
	EmailChange              string     `db:"email_change" json:"new_email,omitempty"`
	EmailChangeSentAt        *time.Time `db:"email_change_sent_at" json:"email_change_sent_at,omitempty"`
	EmailChangeConfirmStatus int        `db:"email_change_confirm_status" json:"-"`
	PhoneChangeToken         string     `db:"phone_change_token" json:"-"`
	PhoneChange              string     `db:"phone_change" json:"new_phone,omitempty"`
	PhoneChangeSentAt        *time.Time `db:"phone_change_sent_at" json:"phone_change_sent_at,omitempty"`
	ReauthenticationToken    string     `db:"reauthentication_token" json:"-"`
	ReauthenticationSentAt   *time.Time `db:"reauthentication_sent_at" json:"reauthentication_sent_at,omitempty"`
	LastSignInAt             *time.Time `db:"last_sign_in_at" json:"last_sign_in_at,omitempty"`
	AppMetaData              Object     `db:"raw_app_meta_data" json:"app_metadata"`
	UserMetaData             Object     `db:"raw_user_meta_data" json:"user_metadata"`
	Factors                  []Factor   `db:"-" json:"factors,omitempty"`
	Identities               []Identity `db:"-" json:"identities"`
	CreatedAt                time.Time  `db:"created_at" json:"created_at"`
	UpdatedAt                time.Time  `db:"updated_at" json:"updated_at"`
	BannedUntil              *time.Time `db:"banned_until" json:"banned_until,omitempty"`
	DeletedAt                *time.Time `db:"deleted_at" json:"deleted_at,omitempty"`
	IsAnonymous              bool       `db:"is_anonymous" json:"is_anonymous"`
}

// NewUser is a user that is not in the database yet. email is lower-cased. data is taken over and
// may be nil.
func NewUser(id uuid.UUID, email, phone, aud string, data Object) *User {
	if data == nil {
		data = Object{}
	}
	empty := ""
	return &User{
		ID: id, Aud: aud, Email: Text(strings.ToLower(email)), Phone: Text(phone),
		EncryptedPassword: &empty, UserMetaData: data,
	}
}

// HasPassword tells whether the user can sign in with a password.
func (u *User) HasPassword() bool { return u.EncryptedPassword != nil && *u.EncryptedPassword != "" }

// IsConfirmed tells whether the e-mail address is confirmed.
func (u *User) IsConfirmed() bool { return u.EmailConfirmedAt != nil }

// IsPhoneConfirmed tells whether the phone number is confirmed.
func (u *User) IsPhoneConfirmed() bool { return u.PhoneConfirmedAt != nil }

// IsBanned tells whether a ban holds at the time now.
func (u *User) IsBanned(now time.Time) bool {
	return u.BannedUntil != nil && now.Before(*u.BannedUntil)
}

// HasVerifiedFactor tells whether the user has a second factor that was used once.
func (u *User) HasVerifiedFactor() bool {
	for _, f := range u.Factors {
		if f.Status == FactorVerified {
			return true
		}
	}
	return false
}

// HighestAAL is the highest authenticator assurance level that the user's sessions can reach.
func (u *User) HighestAAL() string {
	if u.HasVerifiedFactor() {
		return AAL2
	}
	return AAL1
}
