package config_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
)

func TestAuthIsStartedWithWhatTheFileSays(t *testing.T) {
	t.Parallel()
	c := toml(`
[auth]
enable_signup = false
enable_anonymous_sign_ins = true
password_requirements = "letters_digits"
[auth.email]
enable_confirmations = true
[auth.sessions]
timebox = "1h"
[auth.sms.test_otp]
2 = "22"
1 = "11"
[auth.rate_limit]
sign_in_sign_ups = 7
[auth.email.template.invite]
subject = "Come in"
`).mustLoad(t)
	env := c.AuthEnv(config.RenderInput{AuthDBURL: "postgres://db", APIURL: "http://127.0.0.1:7000", JWTSecret: "another-secret-of-length", AuthPort: 9})

	for name, want := range map[string]string{
		"API_EXTERNAL_URL":                        "http://127.0.0.1:7000/auth/v1",
		"GOTRUE_JWT_ISSUER":                       "http://127.0.0.1:7000/auth/v1",
		"GOTRUE_MAILER_URLPATHS_RECOVERY":         "http://127.0.0.1:7000/auth/v1/verify",
		"GOTRUE_DB_DATABASE_URL":                  "postgres://db",
		"GOTRUE_API_PORT":                         "9",
		"GOTRUE_DISABLE_SIGNUP":                   "true",
		"GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
		"GOTRUE_MAILER_AUTOCONFIRM":               "false",
		"GOTRUE_PASSWORD_REQUIRED_CHARACTERS":     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
		"GOTRUE_SESSIONS_TIMEBOX":                 "1h0m0s",
		"GOTRUE_SMS_TEST_OTP":                     "1:11,2:22",
		"GOTRUE_RATE_LIMIT_OTP":                   "7",
		"GOTRUE_RATE_LIMIT_EMAIL_SENT":            "360000",
		"GOTRUE_JWT_SECRET":                       "another-secret-of-length",
		"GOTRUE_MAILER_SUBJECTS_INVITE":           "Come in",
		"GOTRUE_EXTERNAL_APPLE_REDIRECT_URI":      "http://127.0.0.1:7000/auth/v1/callback",
	} {
		assert.Equal(t, want, env[name], name)
	}
	for name := range env {
		assert.NotContains(t, name, "GOTRUE_HOOK_", "no hook is configured")
		assert.NotContains(t, name, "GOTRUE_SMTP_HOST")
	}
}

func TestOnlyEnabledHooksReachAuth(t *testing.T) {
	t.Parallel()
	c := toml("[auth.hook.custom_access_token]\nenabled = false\nuri = \"" + hookURI + "\"\n" + httpHook +
		"secrets = \"v1,whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\"\n").mustLoad(t)
	env := c.AuthEnv(config.RenderInput{})
	assert.NotContains(t, env, "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED")
	assert.NotContains(t, env, "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI")
	assert.Equal(t, "true", env["GOTRUE_HOOK_SEND_EMAIL_ENABLED"])
	assert.Equal(t, "https://example.com/hook", env["GOTRUE_HOOK_SEND_EMAIL_URI"])
	assert.Equal(t, "v1,whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", env["GOTRUE_HOOK_SEND_EMAIL_SECRETS"])
}

func TestAnExternalURLOfTheFileBeatsTheGatewaysAddress(t *testing.T) {
	t.Parallel()
	env := toml("[api]\nexternal_url = \"https://api.example.com/\"\n").mustLoad(t).
		AuthEnv(config.RenderInput{APIURL: "http://127.0.0.1:7000"})
	assert.Equal(t, "https://api.example.com/auth/v1", env["API_EXTERNAL_URL"])

	env = toml("[auth]\njwt_issuer = \"https://issuer.example.com\"\n").mustLoad(t).
		AuthEnv(config.RenderInput{APIURL: "http://127.0.0.1:7000"})
	assert.Equal(t, "http://127.0.0.1:7000/auth/v1", env["API_EXTERNAL_URL"])
	assert.Equal(t, "https://issuer.example.com", env["GOTRUE_JWT_ISSUER"])
}

func TestPostgRESTIsStartedWithWhatTheFileSays(t *testing.T) {
	t.Parallel()
	c := toml("[api]\nschemas = [\"api\", \"public\"]\nextra_search_path = []\nmax_rows = 5\n").mustLoad(t)
	assert.Equal(t, map[string]string{
		"PGRST_DB_URI":               "postgres://rest",
		"PGRST_DB_SCHEMAS":           "api,public",
		"PGRST_DB_EXTRA_SEARCH_PATH": "",
		"PGRST_DB_MAX_ROWS":          "5",
		"PGRST_DB_ANON_ROLE":         "anon",
		"PGRST_JWT_SECRET":           `{"keys":[{"k":"c2VjcmV0LXNlY3JldC1zZWNyZXQ","kty":"oct"}]}`,
	}, c.RESTEnv(config.RenderInput{RESTDBURL: "postgres://rest", JWTSecret: "secret-secret-secret"}))
}

// The public half is the CLI's constant for local development; the private half is made up and signs nothing.
const signingKey = `[{"kty":"EC","kid":"k1","use":"sig","key_ops":["sign","verify"],"alg":"ES256","ext":true,"crv":"P-256",` +
	`"x":"M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4","y":"P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ","d":"AQAB"}]`

func TestSigningKeysReachAuthWholeAndPostgRESTWithoutTheirPrivatePart(t *testing.T) {
	t.Parallel()
	c := toml("[auth]\nsigning_keys_path = \"./signing_keys.json\"\n").with("supabase/signing_keys.json", signingKey).mustLoad(t)
	require.Len(t, c.SigningKeys(), 1)
	assert.Equal(t, `ES256 key "k1"`, c.SigningKeys()[0].String())

	var keys []map[string]any
	env := c.AuthEnv(config.RenderInput{})
	require.NoError(t, json.Unmarshal([]byte(env["GOTRUE_JWT_KEYS"]), &keys))
	assert.Equal(t, "AQAB", keys[0]["d"])
	assert.Equal(t, "HS256,RS256,ES256", env["GOTRUE_JWT_VALID_METHODS"])

	var set struct{ Keys []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(c.RESTEnv(config.RenderInput{})["PGRST_JWT_SECRET"]), &set))
	require.Len(t, set.Keys, 1)
	assert.NotContains(t, set.Keys[0], "d")
	assert.Equal(t, []any{"verify"}, set.Keys[0]["key_ops"])
}

func TestSigningKeysThatCannotSignAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                           "is not a JSON list of keys",
		`[]`:                           "holds no key",
		`[{"kty":"oct","k":"abc"}]`:    `has kty "oct" and alg ""`,
		`[{"kty":"EC","alg":"ES256"}]`: `is on the curve ""`,
		`[{"kty":"EC","alg":"ES256","crv":"P-256","x":"!","y":"AQAB","d":"AQAB"}]`: "has no valid member x",
	} {
		problems := toml("[auth]\nsigning_keys_path = \"keys.json\"\n").with("supabase/keys.json", text).problems(t)
		assert.Contains(t, problems[0].Message, want)
		assert.Equal(t, 2, problems[0].Line)
	}
}
