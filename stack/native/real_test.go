package native_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// realServer is the server that a variable names; without one the test is skipped.
func realServer(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s names no real server", variable)
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

func mails(t *testing.T, a *native.Auth, to string) []mailbox.Message {
	t.Helper()
	_, _, body := ask(t, a.Mailbox(), http.MethodGet, "/?to="+to, "")
	var list []mailbox.Message
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	return list
}

func TestTheRealAuthMigratesServesAndSendsItsMailsHere(t *testing.T) {
	t.Parallel()
	log, lines := newLog()
	a := startAuth(t, native.Config{Path: realServer(t, native.EnvAuth), Env: authEnv(t, map[string]string{
		"GOTRUE_SMTP_MAX_FREQUENCY": "1ms", "GOTRUE_MAILER_OTP_LENGTH": "6", "GOTRUE_MAILER_OTP_EXP": "3600",
		"GOTRUE_RATE_LIMIT_EMAIL_SENT": "360000",
	}), Log: log})
	assert.Regexp(t, `^\d+\.\d+\.\d+$`, a.Version())
	assert.Empty(t, a.Warnings())
	assert.Contains(t, lines.String(), "migrations applied successfully")
	status, _, body := ask(t, a, http.MethodPost, "/signup", `{"email":"ann@example.com","password":"secret123"}`)
	require.Equal(t, http.StatusOK, status, body)
	list := mails(t, a, "ann@example.com")
	require.Len(t, list, 1)
	assert.Equal(t, "signup", list[0].Kind)
	assert.Regexp(t, `^\d{6}$`, list[0].Code)
	assert.Equal(t, queryOf(t, list[0].Link).Get("token"), list[0].TokenHash)
	status, _, body = ask(t, a, http.MethodPost, "/verify",
		`{"type":"signup","email":"ann@example.com","token":"`+list[0].Code+`"}`)
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `"access_token"`)
	status, _, body = ask(t, a, http.MethodPost, "/recover", `{"email":"ann@example.com"}`)
	require.Equal(t, http.StatusOK, status, body)
	list = mails(t, a, "ann@example.com")
	require.Len(t, list, 2)
	assert.Equal(t, "recovery", list[1].Kind)
	assert.NotContains(t, lines.String(), secret)
}

func TestTheRealAuthSaysWhyAHookFailedBeforeItsAnswerArrives(t *testing.T) {
	t.Parallel()
	log, lines := newLog()
	env := authEnv(t, map[string]string{
		"GOTRUE_MAILER_AUTOCONFIRM":               "true",
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true",
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI":     "pg-functions://postgres/public/hook",
	})
	postgrestest.Exec(t, postgrestest.Shared(t), "postgres", databaseOf(t, env["GOTRUE_DB_DATABASE_URL"]), `
		create function hook(event jsonb) returns jsonb language plpgsql as $$ begin raise exception 'not you'; end $$;
		grant execute on function hook to supabase_auth_admin;`)
	a := startAuth(t, native.Config{Path: realServer(t, native.EnvAuth), Env: env, Log: log})
	status, _, body := ask(t, a, http.MethodPost, "/signup", `{"email":"ann@example.com","password":"secret123"}`)
	require.Equal(t, http.StatusInternalServerError, status, body)
	for _, line := range lines.lines(t) {
		if line["msg"] == "Hook errored out" {
			assert.Contains(t, line["error"], "not you")
			assert.Equal(t, "P0001", line["sqlstate"])
			assert.Equal(t, "pg-functions://postgres/public/hook", line["hook"])
			return
		}
	}
	assert.Fail(t, "the log does not say why", lines.String())
}

func TestTheRealAuthRefusesBadSettings(t *testing.T) {
	t.Parallel()
	_, err := native.StartAuth(t.Context(), native.Config{Path: realServer(t, native.EnvAuth), Env: authEnv(t, map[string]string{
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true", "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI": "pg-functions://postgres/public/1f",
	})})
	require.ErrorIs(t, err, native.ErrRefused)
	assert.ErrorContains(t, err, "invalid table name: 1f")
}

func TestTheRealAuthIsMissedWhenItIsKilled(t *testing.T) {
	t.Parallel()
	executable := realServer(t, native.EnvAuth)
	a := startAuth(t, native.Config{Path: executable, Env: authEnv(t)})
	kill(t, executable, strings.TrimPrefix(a.URL(), "http://127.0.0.1:"))
	ended(t, a.Done())
	assert.ErrorContains(t, a.Err(), "ended: signal: killed")
	assert.ErrorContains(t, a.Err(), "GoTrue API started")
}

// kill ends the process that runs an executable and has a port in its environment.
func kill(t *testing.T, executable, port string) {
	t.Helper()
	list := processesOf(t, executable, port)
	require.Len(t, list, 1)
	for _, pid := range list {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
}

func TestTheRealPostgRESTServesAndReadsItsSchemaAgain(t *testing.T) {
	t.Parallel()
	log, lines := newLog()
	env := restEnv(t)
	server, database := postgrestest.Shared(t), databaseOf(t, env["PGRST_DB_URI"])
	postgrestest.Exec(t, server, "postgres", database, `create table notes (id int primary key, text text); insert into notes values (1, 'naïve');`)
	r := startREST(t, native.Config{Path: realServer(t, native.EnvPostgREST), Env: env, Log: log})
	assert.Regexp(t, `^\d+\.\d+`, r.Version())
	status, _, body := ask(t, r, http.MethodGet, "/notes", "")
	assert.Equal(t, http.StatusOK, status, body)
	assert.JSONEq(t, `[{"id":1,"text":"naïve"}]`, body)
	postgrestest.Exec(t, server, "postgres", database, "alter table notes add other int")
	require.NoError(t, r.Reload(t.Context()))
	status, _, body = ask(t, r, http.MethodGet, "/notes?select=other", "")
	assert.Equal(t, http.StatusOK, status, body)
	status, _, _ = ask(t, r.Admin(), http.MethodGet, "/live", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, lines.String(), "Starting PostgREST")
	assert.NotContains(t, lines.String(), secret)
	_, err := native.StartREST(t.Context(), native.Config{Path: realServer(t, native.EnvPostgREST), Env: map[string]string{
		"PGRST_DB_URI": env["PGRST_DB_URI"], "PGRST_JWT_SECRET": "short",
	}})
	assert.ErrorIs(t, err, native.ErrRefused)
}
