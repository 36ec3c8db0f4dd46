package auth

import (
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/mailbox"
)

// Config is the whole configuration of a server. It is read once, by Start. FromEnv makes it from
// the variables of the real server, whose defaults the comments name.
type Config struct {
	// DatabaseURL is a postgres:// URL of the role supabase_auth_admin. Required.
	DatabaseURL string
	// MaxConns bounds the database connections, default 16. A request uses one at a time.
	MaxConns int32
	// ExternalURL is where clients reach this server, in links of mails. Required.
	ExternalURL string
	// SiteURL is where links of mails lead when a request names no allowed address. Required.
	SiteURL string
	// URIAllowList are glob patterns of further addresses that links may lead to.
	URIAllowList []string
	// DisableSignup refuses every kind of sign-up.
	DisableSignup bool

	JWT      JWTConfig
	External ExternalConfig
	Mailer   MailerConfig
	SMS      SMSConfig
	MFA      MFAConfig
	Password PasswordConfig
	Security SecurityConfig
	Sessions SessionsConfig
	Limits   LimitsConfig
	// Hooks are the project's hooks. Those that are not configured do not run.
	Hooks hooks.Config

	// Mailbox takes the mails that no hook takes; nil: the server makes one (Server.Mailbox).
	Mailbox *mailbox.Box

	// RequestTimeout bounds the work on one request, default 10 s; beyond it the answer is 504.
	RequestTimeout time.Duration
	// FirstTokenIssued makes a server that has signed a token before. The real one writes the audience
	// as a list in the event of the custom access token hook until it has signed its first token
	// (recording cat_hook_first_token).
	FirstTokenIssued bool
	// BcryptCost is the cost of new password hashes, 4 to 31, default 4. The real server has 10, which
	// makes a sign-up some 50 ms slower; nothing else depends on it.
	BcryptCost int
	// Log gets one record per failed request or hook; default discards.
	Log *slog.Logger
	// Now is the clock, default time.Now.
	Now func() time.Time
	// Rand makes ids, tokens and codes, default crypto/rand.
	Rand io.Reader
}

// JWTConfig says how access tokens look.
type JWTConfig struct {
	// Secret is the HS256 secret. Required.
	Secret string
	// Exp is how many seconds a token lives, default 3600.
	Exp int
	// Aud is the audience of users and tokens, by default empty as in the real server.
	Aud string
	// Issuer is the claim iss.
	Issuer string
	// DefaultGroupName is the role of new users.
	DefaultGroupName string
	// AdminGroupName is the role of users that may change their own app metadata, default "admin".
	AdminGroupName string
	// AdminRoles are the values of the claim role that may administer, default service_role and
	// supabase_admin.
	AdminRoles []string
	// KeyID is the kid of the secret.
	KeyID string
	// Keys is a JSON array of private JWKs. Empty: tokens are signed with the secret.
	Keys string
	// ValidMethods are the accepted algorithms, default those of the keys.
	ValidMethods []string
}

// ExternalConfig says in which ways a user can be known.
type ExternalConfig struct {
	// AnonymousUsers allows sign-ups without an address. Default false.
	AnonymousUsers bool
	// Email allows addresses, default true.
	Email bool
	// MagicLink allows sign-in by mail, default true.
	MagicLink bool
	// Phone allows phone numbers, default false.
	Phone bool
	// Providers are OAuth providers switched on by name. They are shown by GET /settings only.
	Providers map[string]bool
	// FlowStateExpiry is how long a PKCE flow may take, at least and by default 300 s.
	FlowStateExpiry time.Duration
}

// MailerConfig says how addresses are confirmed.
type MailerConfig struct {
	// Autoconfirm takes addresses as confirmed.
	Autoconfirm bool
	// AllowUnverifiedSignIns lets users sign in before they confirm.
	AllowUnverifiedSignIns bool
	// SecureEmailChange asks both the old and the new address, default true.
	SecureEmailChange bool
	// OTPExp is how many seconds a code in a mail lives, default 86400.
	OTPExp int
	// OTPLength is the number of digits of a code, 6 to 10, default 6.
	OTPLength int
	// MaxFrequency is the least time between two mails of a kind to one user, default 1 min.
	MaxFrequency time.Duration
	// Notifications are the mails about changes that are switched on, by name: password_changed,
	// email_changed, phone_changed, identity_linked, identity_unlinked, mfa_factor_enrolled,
	// mfa_factor_unenrolled.
	Notifications map[string]bool
	// Paths are the addresses that links of mails open, each default "/verify".
	Paths MailerPaths
}

// MailerPaths are the addresses of the links in mails, by kind. A relative one is resolved against
// Config.ExternalURL.
type MailerPaths struct{ Invite, Confirmation, Recovery, EmailChange string }

// SMSConfig says how phone numbers are confirmed. Without the send_sms hook there is no provider
// that could send.
type SMSConfig struct {
	// Autoconfirm takes numbers as confirmed.
	Autoconfirm bool
	// MaxFrequency is the least time between two messages to one user, default 1 min.
	MaxFrequency time.Duration
	// OTPExp is how many seconds a code lives, default 60.
	OTPExp int
	// OTPLength is the number of digits of a code, 6 to 10, default 6.
	OTPLength int
	// Provider is only shown by GET /settings.
	Provider string
	// TestOTP maps phone numbers (digits only) to codes that are never sent.
	TestOTP map[string]string
	// TestOTPValidUntil ends the test codes; zero never does.
	TestOTPValidUntil time.Time
}

// MFAConfig says which second factors exist.
type MFAConfig struct {
	// TOTPEnroll and TOTPVerify default to true.
	TOTPEnroll, TOTPVerify bool
	// PhoneEnroll and PhoneVerify default to false.
	PhoneEnroll, PhoneVerify bool
	// PhoneOTPLength is the number of digits of a code to a phone, 6 to 10, default 6.
	PhoneOTPLength int
	// PhoneMaxFrequency is the least time between two codes to one phone, default 1 min. It is apart
	// from that of SMSConfig.
	PhoneMaxFrequency time.Duration
	// WebAuthnEnroll and WebAuthnVerify default to false.
	WebAuthnEnroll, WebAuthnVerify bool
	// MaxEnrolledFactors bounds the factors of a user, default 10. MaxVerifiedFactors those that are
	// verified, default 10.
	MaxEnrolledFactors, MaxVerifiedFactors int
	// ChallengeExpiry is how long a challenge can be answered, at least and by default 300 s.
	ChallengeExpiry time.Duration
	// FactorExpiry is how long an unverified factor is kept, at least and by default 300 s.
	FactorExpiry time.Duration
}

// PasswordConfig says which passwords are weak.
type PasswordConfig struct {
	// MinLength is in bytes, at least and by default 6.
	MinLength int
	// RequiredCharacters are sets of which a password needs one character each.
	RequiredCharacters []string
}

// SecurityConfig has rules about tokens and changes of accounts.
type SecurityConfig struct {
	// RefreshTokenRotation revokes the tokens of a session when an old one is used again, default true.
	RefreshTokenRotation bool
	// RefreshTokenReuseInterval is how many seconds a replaced token may be used again, default 0.
	RefreshTokenReuseInterval int
	// UpdatePasswordRequireReauthentication asks for a code when the session is older than a day.
	UpdatePasswordRequireReauthentication bool
	// UpdatePasswordRequireCurrentPassword asks for the old password.
	UpdatePasswordRequireCurrentPassword bool
	// ManualLinking lets users link and unlink identities.
	ManualLinking bool
	// EmailIdentityOnPassword gives a user that sets its first password an identity of its confirmed
	// address, unless it has one. Default false.
	EmailIdentityOnPassword bool
}

// SessionsConfig says when sessions end by themselves. Zero values mean never.
type SessionsConfig struct {
	Timebox, InactivityTimeout, AllowLowAAL time.Duration
	// SinglePerUser ends all sessions of a user but the one refreshed last.
	SinglePerUser bool
	// Tags are kinds of sessions; SinglePerUser then holds for each kind by itself. A session with
	// another tag, or with none, is of the first kind.
	Tags []string
}

// LimitsConfig bounds what the server sends.
type LimitsConfig struct {
	// EmailSent and SMSSent default to 30 an hour.
	EmailSent, SMSSent Rate
}

// Rate is a number of events within a time.
type Rate struct {
	Events float64
	Over   time.Duration
}

// ErrConfig is wrapped by every refusal of a configuration: by FromEnv and by Start.
var ErrConfig = errors.New("auth configuration")
