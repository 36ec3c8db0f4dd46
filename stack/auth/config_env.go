package auth

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/auth/hooks"
)

// FromEnv makes a configuration from the variables of the real server (GOTRUE_…, API_EXTERNAL_URL,
// DB_NAMESPACE), with their names and defaults. Variables of features that this server does not
// have are ignored. It fails on values that the real server refuses at start: those of a wrong type
// and hooks that no call could reach (recording cat_hook_config_startup). DatabaseURL is read from
// GOTRUE_DB_DATABASE_URL, else DATABASE_URL.
func FromEnv(env map[string]string) (Config, error) {
	r := &envReader{env: env}
	cfg := Config{
		DatabaseURL:    r.text("GOTRUE_DB_DATABASE_URL", env["DATABASE_URL"]),
		ExternalURL:    env["API_EXTERNAL_URL"],
		SiteURL:        env["GOTRUE_SITE_URL"],
		URIAllowList:   r.list("GOTRUE_URI_ALLOW_LIST"),
		DisableSignup:  r.bool("GOTRUE_DISABLE_SIGNUP", false),
		RequestTimeout: r.duration("GOTRUE_API_MAX_REQUEST_DURATION", 10*time.Second),
		JWT:            r.jwt(),
		External:       r.external(),
		Mailer:         r.mailer(),
		SMS:            r.sms(),
		MFA:            r.mfa(),
		Password: PasswordConfig{
			MinLength:          r.int("GOTRUE_PASSWORD_MIN_LENGTH", 0),
			RequiredCharacters: characterSets(env["GOTRUE_PASSWORD_REQUIRED_CHARACTERS"]),
		},
		Security: r.security(),
		Sessions: SessionsConfig{
			Timebox:           r.duration("GOTRUE_SESSIONS_TIMEBOX", 0),
			InactivityTimeout: r.duration("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", 0),
			AllowLowAAL:       r.duration("GOTRUE_SESSIONS_ALLOW_LOW_AAL", 0),
			SinglePerUser:     r.bool("GOTRUE_SESSIONS_SINGLE_PER_USER", false),
			Tags:              r.list("GOTRUE_SESSIONS_TAGS"),
		},
		Limits: LimitsConfig{
			EmailSent: r.rate("GOTRUE_RATE_LIMIT_EMAIL_SENT"),
			SMSSent:   r.rate("GOTRUE_RATE_LIMIT_SMS_SENT"),
		},
	}
	// The tables are named with their schema, so that no search_path can lead elsewhere.
	if namespace := r.text("DB_NAMESPACE", "auth"); namespace != "auth" {
		r.fail("DB_NAMESPACE", fmt.Errorf("the schema is auth, not %q", namespace))
	}
	// Version 2 signs refresh tokens instead of storing them. No local project has it switched on.
	if version := r.int("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", 0); version > 1 {
		r.fail("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", fmt.Errorf("version %d is not supported, unset it", version))
	}
	points, err := hooks.FromEnv(env)
	cfg.Hooks = points
	if err := errors.Join(append(r.errs, err)...); err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return cfg, nil
}

// jwt reads the settings of tokens.
func (r *envReader) jwt() JWTConfig {
	return JWTConfig{
		Secret:           r.env["GOTRUE_JWT_SECRET"],
		Exp:              r.int("GOTRUE_JWT_EXP", 0),
		Aud:              r.env["GOTRUE_JWT_AUD"],
		Issuer:           r.env["GOTRUE_JWT_ISSUER"],
		DefaultGroupName: r.env["GOTRUE_JWT_DEFAULT_GROUP_NAME"],
		AdminGroupName:   r.env["GOTRUE_JWT_ADMIN_GROUP_NAME"],
		AdminRoles:       r.list("GOTRUE_JWT_ADMIN_ROLES"),
		KeyID:            r.env["GOTRUE_JWT_KEY_ID"],
		Keys:             r.env["GOTRUE_JWT_KEYS"],
		ValidMethods:     r.list("GOTRUE_JWT_VALID_METHODS"),
	}
}

// external reads which kinds of users there are. Only the switch of an OAuth provider is read: its
// address and secrets are of no use here.
func (r *envReader) external() ExternalConfig {
	cfg := ExternalConfig{
		AnonymousUsers:  r.bool("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", false),
		Email:           r.bool("GOTRUE_EXTERNAL_EMAIL_ENABLED", true),
		MagicLink:       r.bool("GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED", true),
		Phone:           r.bool("GOTRUE_EXTERNAL_PHONE_ENABLED", false),
		FlowStateExpiry: r.duration("GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION", 0),
		Providers:       map[string]bool{},
	}
	for _, name := range providerNames() {
		cfg.Providers[name] = r.bool("GOTRUE_EXTERNAL_"+strings.ToUpper(name)+"_ENABLED", false)
	}
	return cfg
}

// providerNames are the OAuth providers of GET /settings, by the names that it has for them.
func providerNames() []string {
	return []string{
		"apple", "azure", "bitbucket", "discord", "facebook", "snapchat", "figma", "fly", "github", "gitlab",
		"google", "keycloak", "kakao", "linkedin", "linkedin_oidc", "notion", "spotify", "slack", "slack_oidc",
		"workos", "twitch", "twitter", "zoom",
	}
}

// mailer reads the settings of mails. The least time between two of them is a setting of SMTP in the
// real server and holds for mails that a hook sends as well. Addresses and secrets of a mail server
// are not read: mails stay in the mailbox.
func (r *envReader) mailer() MailerConfig {
	return MailerConfig{
		Autoconfirm:            r.bool("GOTRUE_MAILER_AUTOCONFIRM", false),
		AllowUnverifiedSignIns: r.bool("GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", false),
		SecureEmailChange:      r.bool("GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED", true),
		OTPExp:                 r.int("GOTRUE_MAILER_OTP_EXP", 0),
		OTPLength:              r.int("GOTRUE_MAILER_OTP_LENGTH", 0),
		MaxFrequency:           r.duration("GOTRUE_SMTP_MAX_FREQUENCY", 0),
		Notifications:          r.notifications(),
		Paths: MailerPaths{
			Invite:       r.env["GOTRUE_MAILER_URLPATHS_INVITE"],
			Confirmation: r.env["GOTRUE_MAILER_URLPATHS_CONFIRMATION"],
			Recovery:     r.env["GOTRUE_MAILER_URLPATHS_RECOVERY"],
			EmailChange:  r.env["GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE"],
		},
	}
}

// sms reads the settings of text messages.
func (r *envReader) notifications() map[string]bool {
	on := map[string]bool{}
	for _, name := range notices() {
		on[name] = r.bool("GOTRUE_MAILER_NOTIFICATIONS_"+strings.ToUpper(name)+"_ENABLED", false)
	}
	return on
}

func (r *envReader) sms() SMSConfig {
	return SMSConfig{
		Autoconfirm:       r.bool("GOTRUE_SMS_AUTOCONFIRM", false),
		MaxFrequency:      r.duration("GOTRUE_SMS_MAX_FREQUENCY", 0),
		OTPExp:            r.int("GOTRUE_SMS_OTP_EXP", 0),
		OTPLength:         r.int("GOTRUE_SMS_OTP_LENGTH", 0),
		Provider:          r.env["GOTRUE_SMS_PROVIDER"],
		TestOTP:           r.pairs("GOTRUE_SMS_TEST_OTP"),
		TestOTPValidUntil: r.time("GOTRUE_SMS_TEST_OTP_VALID_UNTIL"),
	}
}

// mfa reads which second factors there are. An authenticator app is on unless it is switched off,
// which is what a default config.toml does.
func (r *envReader) mfa() MFAConfig {
	return MFAConfig{
		TOTPEnroll:         r.bool("GOTRUE_MFA_TOTP_ENROLL_ENABLED", true),
		TOTPVerify:         r.bool("GOTRUE_MFA_TOTP_VERIFY_ENABLED", true),
		PhoneEnroll:        r.bool("GOTRUE_MFA_PHONE_ENROLL_ENABLED", false),
		PhoneVerify:        r.bool("GOTRUE_MFA_PHONE_VERIFY_ENABLED", false),
		PhoneOTPLength:     r.int("GOTRUE_MFA_PHONE_OTP_LENGTH", 0),
		PhoneMaxFrequency:  r.duration("GOTRUE_MFA_PHONE_MAX_FREQUENCY", 0),
		WebAuthnEnroll:     r.bool("GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", false),
		WebAuthnVerify:     r.bool("GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", false),
		MaxEnrolledFactors: r.int("GOTRUE_MFA_MAX_ENROLLED_FACTORS", 0),
		MaxVerifiedFactors: r.int("GOTRUE_MFA_MAX_VERIFIED_FACTORS", 0),
		ChallengeExpiry:    time.Duration(r.int("GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION", 0)) * time.Second,
		FactorExpiry:       r.duration("GOTRUE_MFA_FACTOR_EXPIRY_DURATION", 0),
	}
}

// security reads the rules of refresh tokens and of changes to accounts. The interval in which a
// refresh token may be used again is 0 here and 10 seconds in a default config.toml.
func (r *envReader) security() SecurityConfig {
	return SecurityConfig{
		RefreshTokenRotation:                  r.bool("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", true),
		RefreshTokenReuseInterval:             r.int("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", 0),
		UpdatePasswordRequireReauthentication: r.bool("GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", false),
		UpdatePasswordRequireCurrentPassword:  r.bool("GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD", false),
		ManualLinking:                         r.bool("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", false),
		EmailIdentityOnPassword:               r.bool("GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED", false),
	}
}

// envReader reads variables and collects what is wrong with them, so that a person sees all mistakes at
// once. An empty variable is unset: config.toml renders switches that are not there as empty ones.
type envReader struct {
	env  map[string]string
	errs []error
}

func (r *envReader) fail(name string, err error) {
	r.errs = append(r.errs, fmt.Errorf("%s: %w", name, err))
}

func (r *envReader) text(name, otherwise string) string {
	if value := r.env[name]; value != "" {
		return value
	}
	return otherwise
}

// parsed is a variable read by parse, or otherwise when it is unset or unreadable.
func parsed[T any](r *envReader, name string, otherwise T, parse func(string) (T, error)) T {
	text := r.env[name]
	if text == "" {
		return otherwise
	}
	value, err := parse(text)
	if err != nil {
		r.fail(name, err)
		return otherwise
	}
	return value
}

func (r *envReader) bool(name string, otherwise bool) bool {
	return parsed(r, name, otherwise, strconv.ParseBool)
}

func (r *envReader) int(name string, otherwise int) int {
	return parsed(r, name, otherwise, strconv.Atoi)
}

func (r *envReader) duration(name string, otherwise time.Duration) time.Duration {
	return parsed(r, name, otherwise, time.ParseDuration)
}

func (r *envReader) time(name string) time.Time {
	return parsed(r, name, time.Time{}, func(text string) (time.Time, error) { return time.Parse(time.RFC3339, text) })
}

// list reads values separated by commas.
func (r *envReader) list(name string) []string {
	return parsed(r, name, nil, func(text string) ([]string, error) { return strings.Split(text, ","), nil })
}

// pairs reads "key:value,key:value". Keys are phone numbers, kept as digits.
func (r *envReader) pairs(name string) map[string]string {
	return parsed(r, name, nil, func(text string) (map[string]string, error) {
		out := map[string]string{}
		for pair := range strings.SplitSeq(text, ",") {
			key, value, ok := strings.Cut(pair, ":")
			if !ok {
				return nil, fmt.Errorf("%q is not number:code", pair)
			}
			out[formatPhone(key)] = value
		}
		return out, nil
	})
}

// rate reads "30", events an hour, or "30/1m".
func (r *envReader) rate(name string) Rate {
	return parsed(r, name, Rate{}, func(text string) (Rate, error) {
		events, over, timed := strings.Cut(text, "/")
		rate := Rate{Over: time.Hour}
		var err error
		if rate.Events, err = strconv.ParseFloat(events, 64); err != nil {
			return Rate{}, err
		}
		if timed {
			rate.Over, err = time.ParseDuration(over)
		}
		return rate, err
	})
}

// characterSets reads sets separated by colons; `\:` is a colon that belongs to a set.
func characterSets(text string) []string {
	const escaped = "\x00" // no password has it: it cannot be written in a variable
	var sets []string
	for set := range strings.SplitSeq(strings.ReplaceAll(text, `\:`, escaped), ":") {
		if set != "" {
			sets = append(sets, strings.ReplaceAll(set, escaped, ":"))
		}
	}
	return sets
}
