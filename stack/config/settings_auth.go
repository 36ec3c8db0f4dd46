package config

import "time"

// Auth is the section [auth].
type Auth struct {
	Enabled                    bool      `toml:"enabled" default:"true"`
	SiteURL                    string    `toml:"site_url" default:"http://127.0.0.1:3000"`
	ExternalURL                string    `toml:"external_url"` // default: the API's external URL + /auth/v1
	AdditionalRedirectURLs     []string  `toml:"additional_redirect_urls" default:"https://127.0.0.1:3000"`
	JWTExpiry                  uint      `toml:"jwt_expiry" default:"3600"` // seconds
	JWTIssuer                  string    `toml:"jwt_issuer"`                // default: the external URL of Auth
	EnableRefreshTokenRotation bool      `toml:"enable_refresh_token_rotation" default:"true"`
	RefreshTokenReuseInterval  uint      `toml:"refresh_token_reuse_interval" default:"10"` // seconds
	EnableManualLinking        bool      `toml:"enable_manual_linking" default:"false"`
	EnableSignup               bool      `toml:"enable_signup" default:"true"`
	EnableAnonymousSignIns     bool      `toml:"enable_anonymous_sign_ins" default:"false"`
	MinimumPasswordLength      uint      `toml:"minimum_password_length" default:"6"`
	PasswordRequirements       string    `toml:"password_requirements" enum:"|letters_digits|lower_upper_letters_digits|lower_upper_letters_digits_symbols"`
	SigningKeysPath            string    `toml:"signing_keys_path"` // relative to supabase/; empty: no signing keys
	Passkey                    *Toggle   `toml:"passkey"`
	WebAuthn                   *WebAuthn `toml:"webauthn"`

	RateLimit   RateLimit           `toml:"rate_limit"`
	Captcha     *Captcha            `toml:"captcha"`
	Hook        Hooks               `toml:"hook"`
	MFA         MFA                 `toml:"mfa"`
	Sessions    Sessions            `toml:"sessions"`
	Email       Email               `toml:"email"`
	SMS         SMS                 `toml:"sms"`
	External    map[string]Provider `toml:"external"` // by provider name
	Web3        Web3                `toml:"web3"`
	OAuthServer OAuthServer         `toml:"oauth_server"`

	PublishableKey Secret `toml:"publishable_key"`  // empty: the local development key
	SecretKey      Secret `toml:"secret_key"`       // empty: the local development key
	JWTSecret      Secret `toml:"jwt_secret"`       // empty: the local development secret
	AnonKey        Secret `toml:"anon_key"`         // empty: signed with the JWT secret
	ServiceRoleKey Secret `toml:"service_role_key"` // empty: signed with the JWT secret

	ThirdParty ThirdParty `toml:"third_party"`
}

// WebAuthn is the section [auth.webauthn].
type WebAuthn struct {
	RPDisplayName string   `toml:"rp_display_name"`
	RPID          string   `toml:"rp_id"`
	RPOrigins     []string `toml:"rp_origins"`
}

// RateLimit is the section [auth.rate_limit]; emails and SMS count per hour, the others per five minutes and address.
type RateLimit struct {
	AnonymousUsers     uint `toml:"anonymous_users" default:"30"`
	TokenRefresh       uint `toml:"token_refresh" default:"150"`
	SignInSignUps      uint `toml:"sign_in_sign_ups" default:"30"`
	TokenVerifications uint `toml:"token_verifications" default:"30"`
	EmailSent          uint `toml:"email_sent" default:"2"`
	SMSSent            uint `toml:"sms_sent" default:"30"`
	Web3               uint `toml:"web3" default:"30"`
}

// Captcha is the section [auth.captcha].
type Captcha struct {
	Enabled  bool   `toml:"enabled" default:"false"`
	Provider string `toml:"provider" enum:"hcaptcha|turnstile"`
	Secret   Secret `toml:"secret"`
}

// Hooks is the section [auth.hook]. A hook whose section the file lacks is nil.
type Hooks struct {
	MFAVerificationAttempt      *Hook `toml:"mfa_verification_attempt"`
	PasswordVerificationAttempt *Hook `toml:"password_verification_attempt"`
	CustomAccessToken           *Hook `toml:"custom_access_token"`
	SendSMS                     *Hook `toml:"send_sms"`
	SendEmail                   *Hook `toml:"send_email"`
	BeforeUserCreated           *Hook `toml:"before_user_created"`
}

// Hook is a section [auth.hook.<name>].
type Hook struct {
	Enabled bool   `toml:"enabled" default:"false"`
	URI     string `toml:"uri"`     // pg-functions://<database>/<schema>/<function>, http:// or https://
	Secrets Secret `toml:"secrets"` // of an HTTP hook: v1,whsec_<base64>, several separated by |
}

// MFA is the section [auth.mfa].
type MFA struct {
	TOTP               Factor      `toml:"totp"`
	Phone              PhoneFactor `toml:"phone"`
	WebAuthn           Factor      `toml:"web_authn"`
	MaxEnrolledFactors uint        `toml:"max_enrolled_factors" default:"10"`
}

// Factor is one kind of second factor.
type Factor struct {
	EnrollEnabled bool `toml:"enroll_enabled" default:"false"`
	VerifyEnabled bool `toml:"verify_enabled" default:"false"`
}

// PhoneFactor is the section [auth.mfa.phone].
type PhoneFactor struct {
	Factor
	OTPLength    uint          `toml:"otp_length" default:"6"`
	Template     string        `toml:"template" default:"Your code is {{ .Code }}"`
	MaxFrequency time.Duration `toml:"max_frequency" default:"5s"`
}

// Sessions is the section [auth.sessions]; zero means no limit.
type Sessions struct {
	Timebox           time.Duration `toml:"timebox"`
	InactivityTimeout time.Duration `toml:"inactivity_timeout"`
}

// Email is the section [auth.email].
type Email struct {
	EnableSignup         bool                         `toml:"enable_signup" default:"true"`
	DoubleConfirmChanges bool                         `toml:"double_confirm_changes" default:"true"`
	EnableConfirmations  bool                         `toml:"enable_confirmations" default:"false"`
	SecurePasswordChange bool                         `toml:"secure_password_change" default:"false"`
	Template             map[string]EmailTemplate     `toml:"template"`
	Notification         map[string]EmailNotification `toml:"notification"`
	SMTP                 *SMTP                        `toml:"smtp"`
	MaxFrequency         time.Duration                `toml:"max_frequency" default:"1s"`
	OTPLength            uint                         `toml:"otp_length" default:"6"`
	OTPExpiry            uint                         `toml:"otp_expiry" default:"3600"` // seconds
}

// SMTP is the section [auth.email.smtp]; the section alone switches it on.
type SMTP struct {
	Enabled    bool   `toml:"enabled" default:"true"`
	Host       string `toml:"host"`
	Port       uint16 `toml:"port"`
	User       string `toml:"user"`
	Pass       Secret `toml:"pass"`
	AdminEmail string `toml:"admin_email"`
	SenderName string `toml:"sender_name"`
}

// EmailTemplate is a section [auth.email.template.<name>].
type EmailTemplate struct {
	Subject     *string `toml:"subject"`
	Content     *string `toml:"content"`      // refused by the CLI without a content_path
	ContentPath string  `toml:"content_path"` // relative to the workspace folder
}

// EmailNotification is a section [auth.email.notification.<name>].
type EmailNotification struct {
	Enabled     bool    `toml:"enabled" default:"false"`
	Subject     *string `toml:"subject"`
	Content     *string `toml:"content"`
	ContentPath string  `toml:"content_path"` // relative to supabase/, unlike that of a template
}

// SMS is the section [auth.sms].
type SMS struct {
	EnableSignup        bool              `toml:"enable_signup" default:"false"`
	EnableConfirmations bool              `toml:"enable_confirmations" default:"false"`
	Template            string            `toml:"template" default:"Your code is {{ .Code }}"`
	Twilio              Twilio            `toml:"twilio"`
	TwilioVerify        Twilio            `toml:"twilio_verify"`
	Messagebird         Messagebird       `toml:"messagebird"`
	Textlocal           Textlocal         `toml:"textlocal"`
	Vonage              Vonage            `toml:"vonage"`
	TestOTP             map[string]string `toml:"test_otp"` // code by phone number
	MaxFrequency        time.Duration     `toml:"max_frequency" default:"5s"`
}

// Twilio is [auth.sms.twilio] and [auth.sms.twilio_verify].
type Twilio struct {
	Enabled           bool   `toml:"enabled" default:"false"`
	AccountSID        string `toml:"account_sid"`
	MessageServiceSID string `toml:"message_service_sid"`
	AuthToken         Secret `toml:"auth_token"`
}

// Messagebird is [auth.sms.messagebird].
type Messagebird struct {
	Enabled    bool   `toml:"enabled" default:"false"`
	Originator string `toml:"originator"`
	AccessKey  Secret `toml:"access_key"`
}

// Textlocal is [auth.sms.textlocal].
type Textlocal struct {
	Enabled bool   `toml:"enabled" default:"false"`
	Sender  string `toml:"sender"`
	APIKey  Secret `toml:"api_key"`
}

// Vonage is [auth.sms.vonage].
type Vonage struct {
	Enabled   bool   `toml:"enabled" default:"false"`
	From      string `toml:"from"`
	APIKey    string `toml:"api_key"`
	APISecret Secret `toml:"api_secret"`
}

// Provider is a section [auth.external.<name>].
type Provider struct {
	Enabled        bool   `toml:"enabled" default:"false"`
	ClientID       string `toml:"client_id"`
	Secret         Secret `toml:"secret"`
	URL            string `toml:"url"`
	RedirectURI    string `toml:"redirect_uri"` // empty: <jwt_issuer>/callback
	SkipNonceCheck bool   `toml:"skip_nonce_check" default:"false"`
	EmailOptional  bool   `toml:"email_optional" default:"false"`
}

// Web3 is the section [auth.web3].
type Web3 struct {
	Solana   Toggle `toml:"solana"`
	Ethereum Toggle `toml:"ethereum"`
}

// OAuthServer is the section [auth.oauth_server].
type OAuthServer struct {
	Enabled                  bool   `toml:"enabled" default:"false"`
	AllowDynamicRegistration bool   `toml:"allow_dynamic_registration" default:"false"`
	AuthorizationURLPath     string `toml:"authorization_url_path" default:"/oauth/consent"`
}

// ThirdParty is the section [auth.third_party]; at most one may be enabled.
type ThirdParty struct {
	Firebase Firebase `toml:"firebase"`
	Auth0    Auth0    `toml:"auth0"`
	Cognito  Cognito  `toml:"aws_cognito"`
	Clerk    Clerk    `toml:"clerk"`
	WorkOS   WorkOS   `toml:"workos"`
}

// Firebase is [auth.third_party.firebase].
type Firebase struct {
	Enabled   bool   `toml:"enabled" default:"false"`
	ProjectID string `toml:"project_id"`
}

// Auth0 is [auth.third_party.auth0].
type Auth0 struct {
	Enabled      bool   `toml:"enabled" default:"false"`
	Tenant       string `toml:"tenant"`
	TenantRegion string `toml:"tenant_region"`
}

// Cognito is [auth.third_party.aws_cognito].
type Cognito struct {
	Enabled        bool   `toml:"enabled" default:"false"`
	UserPoolID     string `toml:"user_pool_id"`
	UserPoolRegion string `toml:"user_pool_region"`
}

// Clerk is [auth.third_party.clerk].
type Clerk struct {
	Enabled bool   `toml:"enabled" default:"false"`
	Domain  string `toml:"domain"`
}

// WorkOS is [auth.third_party.workos].
type WorkOS struct {
	Enabled   bool   `toml:"enabled" default:"false"`
	IssuerURL string `toml:"issuer_url"`
}
