package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
)

// recordedBase is the environment that every recording of Auth starts from, for the settings that config.toml decides.
const recordedBase = `
API_EXTERNAL_URL=http://127.0.0.1:54321/auth/v1
DB_NAMESPACE=auth
GOTRUE_API_HOST=127.0.0.1
GOTRUE_DB_DRIVER=postgres
GOTRUE_DISABLE_SIGNUP=false
GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED=false
GOTRUE_EXTERNAL_EMAIL_ENABLED=true
GOTRUE_EXTERNAL_PHONE_ENABLED=false
GOTRUE_JWT_AUD=authenticated
GOTRUE_JWT_DEFAULT_GROUP_NAME=authenticated
GOTRUE_JWT_EXP=3600
GOTRUE_JWT_ISSUER=http://127.0.0.1:54321/auth/v1
GOTRUE_JWT_SECRET=super-secret-jwt-token-with-at-least-32-characters-long
GOTRUE_MAILER_AUTOCONFIRM=true
GOTRUE_MAILER_OTP_EXP=3600
GOTRUE_MAILER_OTP_LENGTH=6
GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED=true
GOTRUE_MAILER_URLPATHS_CONFIRMATION=http://127.0.0.1:54321/auth/v1/verify
GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE=http://127.0.0.1:54321/auth/v1/verify
GOTRUE_MAILER_URLPATHS_INVITE=http://127.0.0.1:54321/auth/v1/verify
GOTRUE_MAILER_URLPATHS_RECOVERY=http://127.0.0.1:54321/auth/v1/verify
GOTRUE_MFA_MAX_ENROLLED_FACTORS=10
GOTRUE_MFA_TOTP_ENROLL_ENABLED=false
GOTRUE_MFA_TOTP_VERIFY_ENABLED=false
GOTRUE_PASSWORD_MIN_LENGTH=6
GOTRUE_PASSWORD_REQUIRED_CHARACTERS=
GOTRUE_RATE_LIMIT_EMAIL_SENT=360000
GOTRUE_SECURITY_MANUAL_LINKING_ENABLED=false
GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL=10
GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED=true
GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION=false
GOTRUE_SITE_URL=http://127.0.0.1:3000
GOTRUE_SMS_AUTOCONFIRM=true
GOTRUE_SMTP_MAX_FREQUENCY=1s
GOTRUE_URI_ALLOW_LIST=https://127.0.0.1:3000`

// recording is what this test needs of a recording of Auth: two statements of the same settings.
type recording struct {
	ConfigTOML string            `json:"config_toml"`
	Env        map[string]string `json:"env"`
}

func TestTheConfigurationOfEveryRecordingRendersToTheEnvironmentItWasMadeWith(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../fixtures/recordings/auth/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	base := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(recordedBase)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		base[name] = value
	}
	checked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var r recording
		require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), "{{hook_port}}", "7000")), &r))
		if r.ConfigTOML == "" {
			continue // the settings of cat_hook_config_startup are in its steps
		}
		want := maps.Clone(base)
		maps.Copy(want, r.Env)
		checked++
		compareWithRecording(t, filepath.Base(file), r.ConfigTOML, want)
	}
	assert.Greater(t, checked, 50)
}

func compareWithRecording(t *testing.T, name, text string, want map[string]string) {
	t.Helper()
	p := toml(text)
	if strings.Contains(text, "signing_keys_path") {
		p = p.with("supabase/signing_keys.json", want["GOTRUE_JWT_KEYS"])
	}
	c, err := p.load(t)
	if !assert.NoError(t, err, name) {
		return
	}
	got := c.AuthEnv(config.RenderInput{})
	for variable, value := range want {
		// The recordings say in a comment which of their settings have no key in config.toml.
		switch {
		case strings.Contains(text, variable+"="):
		case variable == "GOTRUE_JWT_KEYS":
			assert.JSONEq(t, value, got[variable], "%s: %s", name, variable)
		default:
			assert.Equal(t, value, got[variable], "%s: %s", name, variable)
		}
	}
	for variable := range got {
		if strings.HasPrefix(variable, "GOTRUE_HOOK_") && !strings.HasSuffix(variable, "_SECRETS") {
			assert.Contains(t, want, variable, name)
		}
	}
}
