package auth

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// required are the variables that a server does not start without.
func required(changes map[string]string) map[string]string {
	out := map[string]string{
		"API_EXTERNAL_URL": "http://127.0.0.1:54321/auth/v1", "GOTRUE_SITE_URL": "http://127.0.0.1:3000",
		"GOTRUE_DB_DATABASE_URL": "postgres://x", "GOTRUE_JWT_SECRET": "secret",
	}
	maps.Copy(out, changes)
	return out
}

func TestTheDefaultsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	cfg, err := FromEnv(required(nil))
	require.NoError(t, err)
	cfg = cfg.withDefaults()
	require.NoError(t, cfg.validate())
	assert.True(t, cfg.External.Email)
	assert.True(t, cfg.External.MagicLink)
	assert.False(t, cfg.External.Phone)
	assert.False(t, cfg.External.AnonymousUsers)
	assert.False(t, cfg.Mailer.Autoconfirm)
	assert.True(t, cfg.Mailer.SecureEmailChange)
	assert.Equal(t, MailerPaths{"/verify", "/verify", "/verify", "/verify"}, cfg.Mailer.Paths)
	assert.Equal(t, 86400, cfg.Mailer.OTPExp)
	assert.Equal(t, time.Minute, cfg.Mailer.MaxFrequency)
	assert.Equal(t, 3600, cfg.JWT.Exp)
	assert.Equal(t, []string{"service_role", "supabase_admin"}, cfg.JWT.AdminRoles)
	assert.True(t, cfg.MFA.TOTPEnroll)
	assert.Equal(t, 10, cfg.MFA.MaxEnrolledFactors)
	assert.Equal(t, 300*time.Second, cfg.MFA.ChallengeExpiry)
	assert.Equal(t, 6, cfg.Password.MinLength)
	assert.True(t, cfg.Security.RefreshTokenRotation)
	assert.Equal(t, Rate{Events: 30, Over: time.Hour}, cfg.Limits.EmailSent)
	assert.Equal(t, 10*time.Second, cfg.RequestTimeout)
	assert.Equal(t, 4, cfg.BcryptCost)
}

func TestTheEnvironmentIsRead(t *testing.T) {
	t.Parallel()
	cfg, err := FromEnv(required(map[string]string{
		"GOTRUE_URI_ALLOW_LIST":               "https://a.example,https://*.example/**",
		"GOTRUE_JWT_EXP":                      "60",
		"GOTRUE_EXTERNAL_GITHUB_ENABLED":      "true",
		"GOTRUE_PASSWORD_REQUIRED_CHARACTERS": `abc:01:\:;`,
		"GOTRUE_SESSIONS_TIMEBOX":             "24h",
		"GOTRUE_RATE_LIMIT_EMAIL_SENT":        "2",
		"GOTRUE_RATE_LIMIT_SMS_SENT":          "5/10m",
		"GOTRUE_SMS_TEST_OTP":                 "+1 555 123:000000,1555124:111111",
		"GOTRUE_MAILER_OTP_LENGTH":            "12",
		"GOTRUE_PASSWORD_MIN_LENGTH":          "3",
	}))
	require.NoError(t, err)
	assert.Equal(t, []string{"https://a.example", "https://*.example/**"}, cfg.URIAllowList)
	assert.Equal(t, 60, cfg.JWT.Exp)
	assert.True(t, cfg.External.Providers["github"])
	assert.False(t, cfg.External.Providers["google"])
	assert.Equal(t, []string{"abc", "01", ":;"}, cfg.Password.RequiredCharacters)
	assert.Equal(t, 24*time.Hour, cfg.Sessions.Timebox)
	assert.Equal(t, Rate{Events: 2, Over: time.Hour}, cfg.Limits.EmailSent)
	assert.Equal(t, Rate{Events: 5, Over: 10 * time.Minute}, cfg.Limits.SMSSent)
	assert.Equal(t, map[string]string{"1555123": "000000", "1555124": "111111"}, cfg.SMS.TestOTP)
	cfg = cfg.withDefaults()
	assert.Equal(t, 6, cfg.Mailer.OTPLength, "a length that no code can have is replaced")
	assert.Equal(t, 6, cfg.Password.MinLength, "no setting allows shorter passwords")
}

func TestAnEnvironmentThatIsRefusedNamesTheVariable(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"GOTRUE_DISABLE_SIGNUP":                           "yes",
		"GOTRUE_JWT_EXP":                                  "1h",
		"GOTRUE_SESSIONS_TIMEBOX":                         "1",
		"GOTRUE_RATE_LIMIT_EMAIL_SENT":                    "many",
		"GOTRUE_SMS_TEST_OTP":                             "123",
		"GOTRUE_SMS_TEST_OTP_VALID_UNTIL":                 "tomorrow",
		"DB_NAMESPACE":                                    "other",
		"GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION": "2",
		"GOTRUE_HOOK_SEND_EMAIL_ENABLED":                  "maybe",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := FromEnv(required(map[string]string{name: text}))
			require.ErrorContains(t, err, name)
			require.ErrorIs(t, err, ErrConfig)
		})
	}
}

func TestAConfigurationThatCannotRunIsRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		edit func(*Config)
		want string
	}{
		"without a database":          {func(c *Config) { c.DatabaseURL = "" }, "GOTRUE_DB_DATABASE_URL"},
		"without a secret":            {func(c *Config) { c.JWT.Secret = "" }, "GOTRUE_JWT_SECRET"},
		"without an address":          {func(c *Config) { c.ExternalURL = "" }, "API_EXTERNAL_URL"},
		"with a relative site":        {func(c *Config) { c.SiteURL = "localhost" }, "GOTRUE_SITE_URL"},
		"with a cost beyond bcrypt's": {func(c *Config) { c.BcryptCost = 32 }, "bcrypt cost 32"},
		"with a key that is none":     {func(c *Config) { c.JWT.Keys = "[]" }, "exactly one key"},
		"with two minds about confirmation": {
			func(c *Config) { c.Mailer.Autoconfirm, c.Mailer.AllowUnverifiedSignIns = true, true },
			"cannot enable both",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := FromEnv(required(nil))
			require.NoError(t, err)
			c.edit(&cfg)
			_, err = Start(t.Context(), cfg)
			require.ErrorContains(t, err, c.want)
			require.ErrorIs(t, err, ErrConfig)
		})
	}
}

func FuzzFromEnv(f *testing.F) {
	for _, seed := range [][2]string{
		{"GOTRUE_PASSWORD_REQUIRED_CHARACTERS", `a:\::`},
		{"GOTRUE_RATE_LIMIT_EMAIL_SENT", "1/0s"},
		{"GOTRUE_SMS_TEST_OTP", ":,:"},
		{"GOTRUE_JWT_ADMIN_ROLES", ",,"},
		{"GOTRUE_HOOK_SEND_SMS_URI", "pg-functions://x/y/z"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		cfg, err := FromEnv(required(map[string]string{name: text}))
		if err != nil {
			return
		}
		for _, set := range cfg.Password.RequiredCharacters {
			if set == "" {
				t.Fatal("an empty set of characters, which no password satisfies")
			}
		}
	})
}

func FuzzCheckEmail(f *testing.F) {
	for _, seed := range []string{"a@example.com", "A@B", "a@@b", "", " a@b", "a@b.", "o'neil@x.y", "a@ex\u00e4mple.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		email, err := checkEmail(text)
		if err != nil {
			return
		}
		again, err := checkEmail(email)
		if err != nil || again != email {
			t.Fatalf("%q became %q, which is no address of its own: %v", text, email, err)
		}
	})
}

func FuzzPasswordHash(f *testing.F) {
	for _, seed := range []string{
		"$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk",
		"$fbscrypt$v=1,n=1,r=1,p=1,ss=Bw==,sk=AA==$AA==$AA==", "$argon2i$v=19$m=,t=,p=$$", "$2a$04$", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, hash string) {
		// Deriving is as costly as the hash says; reading it must neither panic nor accept nonsense.
		foreign, err := parseForeignHash(hash)
		if err == nil && foreign != nil && foreign.derive == nil {
			t.Fatal("a hash without a way to derive")
		}
		_ = checkHash(hash)
	})
}
