package auth

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// withDefaults fills the empty values. Switches are not touched: FromEnv has their defaults. Values
// that the real server replaces instead of refusing them, such as a minimal length of 3, are replaced.
func (c Config) withDefaults() Config {
	if c.MaxConns == 0 {
		c.MaxConns = 16
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = 10 * time.Second
	}
	if c.BcryptCost == 0 {
		// Sign-ups dominate a run's time, and these passwords protect nothing.
		c.BcryptCost = bcrypt.MinCost
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	c.JWT = c.JWT.withDefaults()
	c.Mailer = c.Mailer.withDefaults()
	c.SMS.OTPExp = orInt(c.SMS.OTPExp, 60)
	c.SMS.OTPLength = otpLength(c.SMS.OTPLength)
	c.SMS.MaxFrequency = orDuration(c.SMS.MaxFrequency, time.Minute)
	c.MFA.PhoneOTPLength = otpLength(c.MFA.PhoneOTPLength)
	c.MFA.PhoneMaxFrequency = orDuration(c.MFA.PhoneMaxFrequency, time.Minute)
	c.MFA.MaxEnrolledFactors = orInt(c.MFA.MaxEnrolledFactors, 10)
	c.MFA.MaxVerifiedFactors = orInt(c.MFA.MaxVerifiedFactors, 10)
	// These three can only be made longer, as in the real server.
	c.MFA.ChallengeExpiry = max(c.MFA.ChallengeExpiry, 300*time.Second)
	c.MFA.FactorExpiry = max(c.MFA.FactorExpiry, 300*time.Second)
	c.External.FlowStateExpiry = max(c.External.FlowStateExpiry, 300*time.Second)
	c.Password.MinLength = max(c.Password.MinLength, 6)
	for _, limit := range []*Rate{&c.Limits.EmailSent, &c.Limits.SMSSent} {
		if *limit == (Rate{}) {
			*limit = Rate{Events: 30, Over: time.Hour}
		}
	}
	return c
}

// withDefaults fills the empty values. Audience and role stay empty when nobody sets them: new users
// then have none, and no token of theirs is good for REST.
func (c JWTConfig) withDefaults() JWTConfig {
	c.Exp = orInt(c.Exp, 3600)
	if c.AdminGroupName == "" {
		c.AdminGroupName = "admin"
	}
	if len(c.AdminRoles) == 0 {
		c.AdminRoles = []string{"service_role", "supabase_admin"}
	}
	return c
}

// withDefaults fills the empty values.
func (c MailerConfig) withDefaults() MailerConfig {
	c.OTPExp = orInt(c.OTPExp, 86400)
	c.OTPLength = otpLength(c.OTPLength)
	c.MaxFrequency = orDuration(c.MaxFrequency, time.Minute)
	for _, path := range []*string{&c.Paths.Invite, &c.Paths.Confirmation, &c.Paths.Recovery, &c.Paths.EmailChange} {
		if *path == "" {
			*path = "/verify"
		}
	}
	return c
}

// validate tells what a server cannot start with, in the words of the variable to change. Keys and the
// database are checked by whoever opens them.
func (c Config) validate() error {
	switch {
	case c.DatabaseURL == "":
		return fmt.Errorf("%w: no database URL (GOTRUE_DB_DATABASE_URL)", ErrConfig)
	case c.JWT.Secret == "":
		return fmt.Errorf("%w: no JWT secret (GOTRUE_JWT_SECRET)", ErrConfig)
	case c.BcryptCost < bcrypt.MinCost || c.BcryptCost > bcrypt.MaxCost:
		return fmt.Errorf("%w: bcrypt cost %d is not between %d and %d", ErrConfig, c.BcryptCost, bcrypt.MinCost, bcrypt.MaxCost)
	case c.Mailer.Autoconfirm && c.Mailer.AllowUnverifiedSignIns:
		return fmt.Errorf("%w: cannot enable both GOTRUE_MAILER_AUTOCONFIRM and GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", ErrConfig)
	}
	for name, text := range map[string]string{"API_EXTERNAL_URL": c.ExternalURL, "GOTRUE_SITE_URL": c.SiteURL} {
		if _, err := url.ParseRequestURI(text); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrConfig, name, err)
		}
	}
	// A hook that is switched off is checked too: the real server does not start with a bad one either.
	if err := c.Hooks.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// orInt is a number, or another one when it is zero.
func orInt(value, otherwise int) int {
	if value == 0 {
		return otherwise
	}
	return value
}

// orDuration is a time, or another one when it is zero.
func orDuration(value, otherwise time.Duration) time.Duration {
	if value == 0 {
		return otherwise
	}
	return value
}

// otpLength is the number of digits of a code: six, unless another usable number is set.
func otpLength(digits int) int {
	if digits < 6 || digits > 10 {
		return 6
	}
	return digits
}
