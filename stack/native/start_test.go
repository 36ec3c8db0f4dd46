package native_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/nativetest"
)

func TestAServerHasAnsweredWhenItsStartReturns(t *testing.T) {
	t.Parallel()
	for name, behaviour := range map[string][]nativetest.Behaviour{
		"a good one": nil, "a slow one": {nativetest.SlowStart}, "one behind a shell": {nativetest.Forked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startREST(t, native.Config{Path: nativetest.PostgREST(t, behaviour...), Env: restEnv(t)})
			status, _, _ := ask(t, r, http.MethodGet, "/", "")
			assert.Equal(t, http.StatusOK, status)
			status, _, _ = ask(t, r.Admin(), http.MethodGet, "/ready", "")
			assert.Equal(t, http.StatusOK, status)
			assert.Equal(t, "14.17", r.Version())
			assert.Empty(t, r.Warnings())
			a := startAuth(t, native.Config{Path: nativetest.Auth(t, behaviour...), Env: authEnv(t)})
			status, _, body := ask(t, a, http.MethodGet, "/health", "")
			assert.Equal(t, http.StatusOK, status, body)
			assert.Equal(t, "2.196.0", a.Version())
			assert.Empty(t, a.Warnings())
		})
	}
}

func TestAuthMigratesBeforeItServes(t *testing.T) {
	t.Parallel()
	executable := nativetest.Auth(t)
	startAuth(t, native.Config{Path: executable, Env: authEnv(t)})
	starts, _ := nativetest.Traces(t, executable)
	assert.Equal(t, []string{"migrate", "serve"}, starts)
}

func TestAChildGetsItsSettingsAndNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("GOTRUE_DISABLE_SIGNUP", "true")
	t.Setenv("PGRST_DB_MAX_ROWS", "1")
	t.Setenv("SUPASCORE_OF_OURS", "x")
	auth, rest := nativetest.Auth(t), nativetest.PostgREST(t)
	a := startAuth(t, native.Config{Path: auth, Env: authEnv(t)})
	r := startREST(t, native.Config{Path: rest, Env: restEnv(t)})
	_, ofAuth := nativetest.Traces(t, auth)
	_, ofREST := nativetest.Traces(t, rest)
	for _, env := range []map[string]string{ofAuth, ofREST} {
		assert.NotContains(t, env, "GOTRUE_DISABLE_SIGNUP")
		assert.NotContains(t, env, "PGRST_DB_MAX_ROWS")
		assert.NotContains(t, env, "SUPASCORE_OF_OURS")
		assert.NotEmpty(t, env["PATH"])
		assert.NotEmpty(t, env["LANG"], "without it PostgREST cannot write what is not ASCII")
		assert.NoDirExists(t, "/"+env["CWD"])
	}
	assert.Equal(t, secret, ofAuth["GOTRUE_JWT_SECRET"])
	assert.Equal(t, "127.0.0.1", ofAuth["GOTRUE_API_HOST"])
	assert.Equal(t, "http://127.0.0.1:"+ofAuth["GOTRUE_API_PORT"], a.URL())
	assert.Equal(t, "127.0.0.1", ofREST["PGRST_SERVER_HOST"])
	assert.Equal(t, "http://127.0.0.1:"+ofREST["PGRST_SERVER_PORT"], r.URL())
	assert.NotEqual(t, ofREST["PGRST_SERVER_PORT"], ofREST["PGRST_ADMIN_SERVER_PORT"])
	assert.NotEqual(t, ofAuth["CWD"], ofREST["CWD"], "each has an empty folder of its own")
}

func TestACrashAtTheStartEndsItAtOnceWithTheLogButWithoutSecrets(t *testing.T) {
	t.Parallel()
	log, lines := newLog()
	executable := nativetest.PostgREST(t, nativetest.CrashAtStart)
	began := time.Now()
	_, err := native.StartREST(t.Context(), native.Config{Path: executable, Env: restEnv(t), Log: log, StartTimeout: time.Minute})
	e := failure(t, err)
	assert.Less(t, time.Since(began), 50*time.Second, "nobody waits for a server that is gone")
	assert.Equal(t, "ended: exit status 3", e.What)
	assert.Contains(t, e.Tail, "nothing works")
	assert.Contains(t, e.Tail, "the secret is [hidden]")
	assert.NotContains(t, err.Error(), secret)
	assert.NotContains(t, lines.String(), secret)
	assert.NotErrorIs(t, err, native.ErrRefused)
	assert.Contains(t, err.Error(), executable)
}

func TestSettingsThatAServerRefusesAreToldFromOtherFailures(t *testing.T) {
	t.Parallel()
	_, err := native.StartAuth(t.Context(), native.Config{
		Path: nativetest.Auth(t, nativetest.RefuseSettings), Env: authEnv(t),
	})
	require.ErrorIs(t, err, native.ErrRefused)
	assert.Contains(t, err.Error(), "refuses its settings: invalid table name: 1f")
	_, err = native.StartREST(t.Context(), native.Config{
		Path: nativetest.PostgREST(t, nativetest.RefuseSettings), Env: restEnv(t),
	})
	require.ErrorIs(t, err, native.ErrRefused)
	assert.Contains(t, err.Error(), "The JWT secret must be at least 32 characters long")
}

func TestAMigrationThatFailsOrHangsEndsTheStart(t *testing.T) {
	t.Parallel()
	_, err := native.StartAuth(t.Context(), native.Config{
		Path: nativetest.Auth(t, nativetest.FailMigration), Env: authEnv(t),
	})
	assert.Equal(t, "migrate ended: exit status 1", failure(t, err).What)
	assert.Contains(t, err.Error(), "permission denied for schema auth")
	_, err = native.StartAuth(t.Context(), native.Config{
		Path: nativetest.Auth(t, nativetest.HangMigration), Env: authEnv(t), StartTimeout: 300 * time.Millisecond,
	})
	assert.Equal(t, "migrate does not end within 300ms", failure(t, err).What)
}

func TestAServerThatNeverAnswersIsGivenUp(t *testing.T) {
	t.Parallel()
	_, err := native.StartREST(t.Context(), native.Config{
		Path: nativetest.PostgREST(t, nativetest.NeverReady), Env: restEnv(t), StartTimeout: 300 * time.Millisecond,
	})
	assert.Contains(t, failure(t, err).What, "does not answer within 300ms: ")
	assert.Contains(t, err.Error(), "connection refused")
}

func TestACancelledStartLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	executable := nativetest.Auth(t, nativetest.NeverReady)
	go func() {
		assert.Eventually(t, func() bool { return exists(filepath.Join(filepath.Dir(executable), "starts")) },
			30*time.Second, 5*time.Millisecond)
		cancel(context.Canceled)
	}()
	_, err := native.StartAuth(ctx, native.Config{Path: executable, Env: authEnv(t)})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, processesOf(t, executable, ""))
}

func TestALostPortIsTriedAgainAndNotForEver(t *testing.T) {
	t.Parallel()
	executable := nativetest.Auth(t, nativetest.PortTaken)
	startAuth(t, native.Config{Path: executable, Env: authEnv(t)})
	starts, _ := nativetest.Traces(t, executable)
	assert.Equal(t, []string{"migrate", "serve", "serve"}, starts)
	executable = nativetest.PostgREST(t, nativetest.AlwaysTaken)
	_, err := native.StartREST(t.Context(), native.Config{Path: executable, Env: restEnv(t)})
	assert.Contains(t, failure(t, err).Tail, "address already in use")
	starts, _ = nativetest.Traces(t, executable)
	assert.Len(t, starts, 5)
}

func TestOtherVersionsAreWarnedOf(t *testing.T) {
	t.Parallel()
	r := startREST(t, native.Config{Path: nativetest.PostgREST(t, nativetest.OldVersion), Env: restEnv(t)})
	assert.Equal(t, "12.2.3", r.Version())
	assert.Equal(t, []string{"PostgREST 12.2.3 is too old: results can differ from those of 14 or later"}, r.Warnings())
	a := startAuth(t, native.Config{Path: nativetest.Auth(t, nativetest.OldVersion), Env: authEnv(t)})
	assert.Equal(t, "2.60.1", a.Version())
	assert.Equal(t, []string{"Auth 2.60.1 is too old: results can differ from those of 2.180 or later"}, a.Warnings())
	a = startAuth(t, native.Config{Path: nativetest.Auth(t, nativetest.NoVersion), Env: authEnv(t)})
	assert.Equal(t, "unknown", a.Version())
	assert.Equal(t, []string{"Auth does not tell its version; 2.180 or later is needed"}, a.Warnings())
}

func TestAnExecutableThatCannotBeRunSaysSo(t *testing.T) {
	t.Parallel()
	_, err := native.StartREST(t.Context(), native.Config{Path: filepath.Join(t.TempDir(), "none"), Env: restEnv(t)})
	assert.True(t, strings.HasPrefix(failure(t, err).What, "cannot be started: "), err)
	_, err = native.StartREST(t.Context(), native.Config{Path: "postgrest", Env: restEnv(t)})
	assert.ErrorContains(t, err, "has to be absolute")
}
