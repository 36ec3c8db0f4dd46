package hooks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/hooks"
)

// The cases are those of the recording cat_hook_config_startup.
func TestTheServerRefusesSettingsAtStart(t *testing.T) {
	t.Parallel()
	const good = "pg-functions://postgres/public/custom_access_token_hook"
	const secret = "v1,whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	const long = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
	tests := []struct{ enabled, uri, secrets, want string }{
		{"true", "", "", ""},
		{"false", good, "", ""},
		{"true", good, "", ""},
		{"true", good + "/extra", "", ""},
		{"true", "PG-FUNCTIONS://postgres/public/f", "", ""},
		{"true", "pg-functions:/postgres/public/f", "", ""},
		{"true", "pg-functions:///public/f", "", ""},
		{"true", "http://localhost:1/hook", "", ""},
		{"true", "https://example.com/hook", "", ""},
		{"true", "https://example.com/hook", secret + "||" + secret, ""},
		{"true", good, secret, ""},
		{"false", "postgres://postgres/public/f", "", "only postgres hooks and HTTPS functions are supported at the moment"},
		{"true", "public.f", "", "only postgres hooks and HTTPS functions are supported at the moment"},
		{"true", "pg-functions://postgres/public", "", "URI path does not contain enough parts"},
		{"true", "pg-functions://postgres/public/", "", "invalid table name: "},
		{"true", "pg-functions://postgres/auth/a-b", "", "invalid table name: a-b"},
		{"true", "pg-functions://postgres/my-hooks/f", "", "invalid schema name: my-hooks"},
		{"true", "pg-functions://postgres/public/1f", "", "invalid table name: 1f"},
		{"true", `pg-functions://postgres/public/"f"`, "", `invalid table name: "f"`},
		{"true", "pg-functions://postgres/public/" + long, "", "invalid table name: " + long},
		{"true", "http://example.com/hook", "", "only localhost, 127.0.0.1, and ::1 are supported with http"},
		{"true", "https://example.com/hook", "v1,whsec_short", "invalid secret format"},
		{"true", "https://example.com/hook", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "invalid secret format"},
		{"true", " " + good, "", `parse " ` + good + `": first path segment in URL cannot contain colon`},
		{"yes", good, "", `envconfig.Process: assigning GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED to Enabled: ` +
			`converting 'yes' to type bool. details: strconv.ParseBool: parsing "yes": invalid syntax`},
	}
	for _, test := range tests {
		t.Run(test.enabled+" "+test.uri+" "+test.secrets, func(t *testing.T) {
			t.Parallel()
			cfg, err := hooks.FromEnv(map[string]string{
				"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": test.enabled,
				"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI":     test.uri,
				"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS": test.secrets,
			})
			if test.want != "" {
				require.EqualError(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.enabled == "true", cfg.Points[hooks.CustomAccessToken].Enabled)
		})
	}
}

func TestEveryHookHasItsVariables(t *testing.T) {
	t.Parallel()
	variables := map[hooks.Name]string{
		hooks.CustomAccessToken:    "CUSTOM_ACCESS_TOKEN",
		hooks.BeforeUserCreated:    "BEFORE_USER_CREATED",
		hooks.AfterUserCreated:     "AFTER_USER_CREATED",
		hooks.PasswordVerification: "PASSWORD_VERIFICATION_ATTEMPT",
		hooks.MFAVerification:      "MFA_VERIFICATION_ATTEMPT",
		hooks.SendEmail:            "SEND_EMAIL",
		hooks.SendSMS:              "SEND_SMS",
	}
	assert.Len(t, hooks.Names(), len(variables))
	for name, middle := range variables {
		cfg, err := hooks.FromEnv(map[string]string{
			"GOTRUE_HOOK_" + middle + "_ENABLED": "true",
			"GOTRUE_HOOK_" + middle + "_URI":     "pg-functions://postgres/public/f",
		})
		require.NoError(t, err)
		for _, other := range hooks.Names() {
			assert.Equal(t, other == name, cfg.Points[other].Enabled, "%s set, %s looked at", name, other)
		}
	}
}
