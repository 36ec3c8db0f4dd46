package arena_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/nativetest"
)

func TestMain(m *testing.M) {
	nativetest.Main()
	os.Exit(m.Run())
}

// onFakes is an arena whose clones are served by executables that behave as told.
func onFakes(t *testing.T, behaviour ...nativetest.Behaviour) (*arena.Arena, native.Programs) {
	t.Helper()
	programs := native.Programs{
		PostgREST: native.Program{Path: nativetest.PostgREST(t, behaviour...)},
		Auth:      native.Program{Path: nativetest.Auth(t)},
	}
	a, err := arena.New(arena.Config{Engine: arena.Native{Programs: programs, StartTimeout: 10 * time.Second}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return a, programs
}

func TestExecutablesServeAClone(t *testing.T) {
	t.Parallel()
	a, programs := onFakes(t)
	c := enter(t, a, notes())
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", policies))
	api, err := c.Serve(t.Context(), true)
	require.NoError(t, err)
	again, err := c.Serve(t.Context(), true)
	require.NoError(t, err)
	assert.Same(t, api, again)
	assert.Equal(t, "native", c.Engine())
	postgrest, auth := c.ServerVersions()
	assert.Equal(t, []string{"14.17", "2.196.0"}, []string{postgrest, auth})
	assert.Positive(t, c.Timing.Serve)

	token, err := api.Token(map[string]any{"role": "authenticated", "sub": alice})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, api.URL+"/notes?select=id", nil)
	require.NoError(t, err)
	req.Header.Set("Apikey", api.Key)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := api.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.JSONEq(t, `[{"id": 1}]`, string(body))

	_, env := nativetest.Traces(t, programs.PostgREST.Path)
	for name, want := range map[string]string{
		"PGRST_DB_SCHEMAS": "public,graphql_public,supascore_api", "PGRST_DB_EXTRA_SEARCH_PATH": "public,extensions",
		"PGRST_DB_MAX_ROWS": "1000", "PGRST_DB_ANON_ROLE": "anon", "PGRST_DB_CHANNEL_ENABLED": "false", "PGRST_DB_CONFIG": "false",
		"PGRST_DB_PREPARED_STATEMENTS": "false", "PGRST_DB_POOL": "2",
	} {
		assert.Equal(t, want, env[name], name)
	}
	_, env = nativetest.Traces(t, programs.Auth.Path)
	assert.Equal(t, "true", env["GOTRUE_MAILER_AUTOCONFIRM"])
	assert.Equal(t, "true", env["GOTRUE_MFA_TOTP_VERIFY_ENABLED"])
}

func TestADatabaseThatTheDataAPICannotServeIsTheCandidatesError(t *testing.T) {
	t.Parallel()
	programs := native.Programs{PostgREST: native.Program{Path: nativetest.PostgREST(t, nativetest.Unready)}}
	a, err := arena.New(arena.Config{Engine: arena.Native{Programs: programs, StartTimeout: 2 * time.Second}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	c := enter(t, a, notes())
	_, err = c.Serve(t.Context(), false)
	var refused *arena.SQLError
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Message, "the Data API does not get ready on it: ")
	assert.Contains(t, refused.Message, "503")
	assert.Contains(t, refused.Message, "Starting PostgREST 14.17", "the end of its log")
}

func TestAnExecutableThatCrashesIsNobodysError(t *testing.T) {
	t.Parallel()
	a, _ := onFakes(t, nativetest.CrashAtStart)
	c := enter(t, a, notes())
	_, err := c.Serve(t.Context(), false)
	var refused *arena.SQLError
	require.Error(t, err)
	assert.NotErrorAs(t, err, &refused)
	assert.ErrorContains(t, err, "nothing works", "the end of its log")
	require.NoError(t, c.Close(t.Context()), "what did start ends with the clone")
}
