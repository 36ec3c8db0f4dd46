package attach_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
)

func isNotRunning(err error) bool { return errors.Is(err, attach.ErrNotRunning) }

// inspected is what `docker inspect` prints of two projects, shortened.
const inspected = `[
 {"Name": "/supabase_kong_one", "Config": {"Env": ["KONG_X=1"], "Labels": {"com.supabase.cli.project": "one"}},
  "NetworkSettings": {"Ports": {"8000/tcp": [{"HostIp": "0.0.0.0", "HostPort": "54321"}], "8443/tcp": null}}},
 {"Name": "/supabase_auth_one", "Config": {"Env": ["GOTRUE_JWT_SECRET=s", "PATH=/bin"], "Labels": {"com.supabase.cli.project": "one"}}},
 {"Name": "/supabase_rest_one", "Config": {"Env": ["PGRST_JWT_SECRET=s"], "Labels": {"com.supabase.cli.project": "one"}}},
 {"Name": "/supabase_kong_two", "Config": {"Env": [], "Labels": {"com.supabase.cli.project": "two"}},
  "NetworkSettings": {"Ports": {"8000/tcp": [{"HostPort": "54421"}]}}},
 {"Name": "/supabase_auth_two", "Config": {"Env": ["GOTRUE_JWT_SECRET=s", "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED=true",
  "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI=pg-functions://postgres/public/hook?a=b", "GOTRUE_HOOK_SEND_SMS_ENABLED=false",
  "GOTRUE_HOOK_SEND_SMS_URI=http://x"], "Labels": {"com.supabase.cli.project": "two"}}},
 {"Name": "/supabase_kong_three", "Config": {"Labels": {"com.supabase.cli.project": "three"}},
  "NetworkSettings": {"Ports": {"8000/tcp": [{"HostPort": "80"}]}}}
]`

func docker(t *testing.T) *attach.Docker {
	t.Helper()
	return &attach.Docker{Path: program(t, `case "$1" in
ps) test "$*" = "ps --quiet --filter label=com.supabase.cli.project" || exit 9; printf 'a1\nb2\n' ;;
inspect) test "$*" = "inspect a1 b2" || exit 9
`+prints(inspected)+`
;; esac`)}
}

func TestTheContainerBehindTheAPIsPortSaysWhatItWasStartedWith(t *testing.T) {
	t.Parallel()
	one, err := docker(t).AuthStart(t.Context(), "http://127.0.0.1:54321")
	require.NoError(t, err)
	assert.Equal(t, &attach.AuthStart{
		Hooks: map[string]attach.Hook{}, Settings: map[string]string{},
		From: "docker inspect supabase_auth_one", Container: "supabase_auth_one",
	}, one)
	two, err := docker(t).AuthStart(t.Context(), "http://localhost:54421")
	require.NoError(t, err)
	assert.Equal(t, &attach.AuthStart{
		Hooks: map[string]attach.Hook{"custom_access_token": {URI: "pg-functions://postgres/public/hook?a=b"}},
		Settings: map[string]string{
			"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true", "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI": "pg-functions://postgres/public/hook?a=b",
			"GOTRUE_HOOK_SEND_SMS_ENABLED": "false", "GOTRUE_HOOK_SEND_SMS_URI": "http://x",
		},
		From: "docker inspect supabase_auth_two", Container: "supabase_auth_two",
	}, two)
}

func TestDockerThatCannotTellSaysWhy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		docker *attach.Docker
		api    string
		want   string
	}{
		"another stack's port": {docker(t), "http://127.0.0.1:1", "no container of the Supabase CLI publishes port 1"},
		"no Auth":              {docker(t), "http://127.0.0.1", "project three has no running container of Auth"},
		"no containers":        {&attach.Docker{Path: program(t, "true")}, "http://127.0.0.1:54321", "no container of the Supabase CLI is running"},
		"no docker":            {&attach.Docker{Path: "/nonexistent/docker"}, "http://127.0.0.1:54321", "there is no program /nonexistent/docker"},
		"no daemon":            {&attach.Docker{Path: program(t, "echo 'Cannot connect to the Docker daemon' >&2; exit 1")}, "http://127.0.0.1:54321", "Cannot connect to the Docker daemon"},
		"garbage":              {&attach.Docker{Path: program(t, "echo x")}, "http://127.0.0.1:54321", "printed what cannot be read"},
		"hanging":              {&attach.Docker{Path: program(t, "exec sleep 300"), Timeout: 200 * time.Millisecond}, "http://127.0.0.1:54321", "did not end within 200ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.docker.AuthStart(t.Context(), test.api)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestAContainersLinesOfBothOutputsAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := &attach.Docker{Path: program(t, `echo "$@" >`+dir+`/asked; echo one; echo two >&2; echo; printf 'three\r\n'`)}
	lines, err := d.Logs(t.Context(), "supabase_auth_x", time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("x", 3600)))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"one", "two", "three"}, lines)
	assert.Equal(t, "logs --since 2026-01-02T02:04:05.000006Z supabase_auth_x\n", read(t, dir+"/asked"))
	_, err = (&attach.Docker{Path: program(t, "exit 1")}).Logs(t.Context(), "x", time.Now())
	assert.ErrorContains(t, err, "exit status 1")
}

func TestSettingsThatAreKeptHoldNoSecrets(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]string{"GOTRUE_SMTP_USER": "u", "GOTRUE_JWT_EXP": "3600"}, attach.SettingsOf(map[string]string{
		"GOTRUE_SMTP_USER": "u", "GOTRUE_JWT_EXP": "3600",
		"GOTRUE_JWT_SECRET": "a", "GOTRUE_JWT_KEYS": "[]", "GOTRUE_DB_DATABASE_URL": "postgres://u:p@h/d", "DATABASE_URL": "postgres://u:p@h/d",
		"GOTRUE_SMTP_PASS": "p", "GOTRUE_HOOK_SEND_EMAIL_SECRETS": "v1,whsec_x", "GOTRUE_SMS_TWILIO_AUTH_TOKEN": "t",
		"GOTRUE_EXTERNAL_APPLE_SECRET": "s", "GOTRUE_SMS_TEST_OTP": "1555:123456", "GOTRUE_SMS_MESSAGEBIRD_ACCESS_KEY": "k",
	}))
}

func TestTheHashOfASettingIgnoresSecretsAndAddresses(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"GOTRUE_JWT_SECRET": "a", "GOTRUE_DB_DATABASE_URL": "x", "GOTRUE_SMTP_PASS": "p", "GOTRUE_API_PORT": "1",
		"GOTRUE_PASSWORD_MIN_LENGTH": "6", "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED": "true",
	}
	hash := attach.HashOf(base)
	with := func(name, value string) string {
		other := map[string]string{}
		for n, v := range base {
			other[n] = v
		}
		other[name] = value
		return attach.HashOf(other)
	}
	for _, name := range []string{"GOTRUE_JWT_SECRET", "GOTRUE_DB_DATABASE_URL", "GOTRUE_SMTP_PASS", "GOTRUE_API_PORT"} {
		assert.Equal(t, hash, with(name, "other"), name)
	}
	for _, name := range []string{"GOTRUE_PASSWORD_MIN_LENGTH", "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", "GOTRUE_HOOK_SEND_SMS_ENABLED"} {
		assert.NotEqual(t, hash, with(name, "other"), name)
	}
}
