package stack_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/native/nativetest"
	"github.com/supascore/supascore/stack/postgres"
)

// write changes a file of a workspace below supabase/.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, "supabase", filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

const (
	tableOfWords = "create table words (word text); grant select on words to anon; grant all on words to service_role;"
	oneWord      = "insert into words values ('first');"
)

// words is what clients see of the table.
func words(t *testing.T, s *stack.Stack) string {
	t.Helper()
	_, body := call(t, s, http.MethodGet, "/rest/v1/words?select=word&order=word", "")
	return body
}

// signUp makes an account and returns the status.
func signUp(t *testing.T, s *stack.Stack, email string) int {
	t.Helper()
	status, _ := call(t, s, http.MethodPost, "/auth/v1/signup", `{"email":"`+email+`","password":"secret-enough"}`)
	return status
}

func signIn(t *testing.T, s *stack.Stack, email string) int {
	t.Helper()
	status, _ := call(t, s, http.MethodPost, "/auth/v1/token?grant_type=password", `{"email":"`+email+`","password":"secret-enough"}`)
	return status
}

// sql runs statements as the owner of the database.
func sql(t *testing.T, s *stack.Stack, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.Endpoints().DBURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

func TestAResetGivesBackWhatTheWorkspaceSays(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords, "seed.sql": oneWord})
	s := start(t, stack.Config{Workspace: dir, RandomKeys: true})
	before := s.Endpoints()
	sql(t, s, "insert into words values ('by hand')", "create table strays ()", "create role stray")
	require.Equal(t, http.StatusOK, signUp(t, s, "old@example.com"))
	write(t, dir, "migrations/2_more.sql", "alter table words add column language text default 'en';")
	write(t, dir, "roles.sql", "create role wanted;")

	var files, phases []string
	var mu sync.Mutex
	require.NoError(t, s.Reset(t.Context(), stack.ResetOptions{
		OnFile: func(_ migrate.Kind, path string) { files = append(files, path) },
		OnPhase: func(name string) {
			mu.Lock()
			defer mu.Unlock()
			phases = append(phases, name)
		},
	}))
	assert.Equal(t, []string{"supabase/roles.sql", "supabase/migrations/1_words.sql", "supabase/migrations/2_more.sql", "supabase/seed.sql"}, files)
	assert.Equal(t, []string{"postgres", "exposure", "migrations"}, phases[:3])
	assert.Equal(t, before, s.Endpoints(), "clients need not be told anything")
	status, body := call(t, s, http.MethodGet, "/rest/v1/words?select=*", "")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `[{"word":"first","language":"en"}]`, body)
	assert.Equal(t, http.StatusBadRequest, signIn(t, s, "old@example.com"), "its users are gone")
	assert.Equal(t, http.StatusOK, signUp(t, s, "old@example.com"))
	conn, err := pgx.Connect(t.Context(), s.Endpoints().DBURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), "select rolname::text from pg_roles where rolname in ('stray', 'wanted')")
	require.NoError(t, err)
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	assert.Equal(t, []string{"wanted"}, roles)

	// Once more, now that everything was swapped: the stack still ends with a part of it.
	require.NoError(t, s.Reset(t.Context(), stack.ResetOptions{}))
	assert.JSONEq(t, `[{"word":"first"}]`, words(t, s))
}

func TestAStackIsWatchedAfterAReset(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal})
	s, err := stack.Start(t.Context(), stack.Config{Workspace: dir})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	require.NoError(t, s.Reset(t.Context(), stack.ResetOptions{}))
	conn, err := pgx.Connect(t.Context(), s.Endpoints().DBURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var pid int
	require.NoError(t, conn.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid))
	require.NoError(t, syscall.Kill(parentOf(t, pid), syscall.SIGKILL))
	select {
	case <-s.Done():
		assert.ErrorContains(t, s.Err(), "postgres ended")
	case <-time.After(30 * time.Second):
		t.Fatal("nobody noticed")
	}
	assert.ErrorIs(t, s.Reset(t.Context(), stack.ResetOptions{}), stack.ErrBusy)
}

func TestAResetCanStopEarlierAndWithoutSeed(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"config.toml": minimal, "migrations/1_words.sql": tableOfWords, "migrations/2_second.sql": "insert into words values ('second');",
		"migrations/3_third.sql": "insert into words values ('third');", "seed.sql": oneWord,
	})
	s := start(t, stack.Config{Workspace: dir})
	for name, c := range map[string]struct {
		options stack.ResetOptions
		want    string
	}{
		"all":               {stack.ResetOptions{}, `[{"word":"first"},{"word":"second"},{"word":"third"}]`},
		"no seed":           {stack.ResetOptions{NoSeed: true}, `[{"word":"second"},{"word":"third"}]`},
		"a version":         {stack.ResetOptions{Version: "2"}, `[{"word":"first"},{"word":"second"}]`},
		"without the last":  {stack.ResetOptions{Last: 2}, `[{"word":"first"}]`},
		"version over last": {stack.ResetOptions{Version: "3", Last: 2, NoSeed: true}, `[{"word":"second"},{"word":"third"}]`},
	} {
		require.NoError(t, s.Reset(t.Context(), c.options), name)
		assert.JSONEq(t, c.want, words(t, s), name)
	}
	require.ErrorIs(t, s.Reset(t.Context(), stack.ResetOptions{Version: "x"}), stack.ErrInvalidVersion)
	require.ErrorIs(t, s.Reset(t.Context(), stack.ResetOptions{Version: "9"}), os.ErrNotExist)
	assert.NotContains(t, words(t, s), "PGRST", "a refused reset changes nothing")
}

func TestAMigrationThatFailsInAResetLeavesTheStackUp(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords + oneWord})
	s := start(t, stack.Config{Workspace: dir})
	write(t, dir, "migrations/2_bad.sql", "select 1;\nselect * from nothing;\n")
	err := s.Reset(t.Context(), stack.ResetOptions{})
	var start *stack.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, stack.FaultWorkspace, start.Fault)
	assert.ErrorContains(t, err, "supabase/migrations/2_bad.sql:2:15")
	assert.ErrorContains(t, err, "42P01")
	assert.JSONEq(t, `[{"word":"first"}]`, words(t, s), "what came before it is there")
	assert.Equal(t, http.StatusOK, signUp(t, s, "new@example.com"))

	write(t, dir, "config.toml", "project_id = \n")
	sql(t, s, "insert into words values ('by hand')")
	require.ErrorAs(t, s.Reset(t.Context(), stack.ResetOptions{}), &start)
	assert.JSONEq(t, `[{"word":"by hand"},{"word":"first"}]`, words(t, s), "what cannot be read changes nothing")
}

// What Auth was started with stays in force; what the database is made with does not.
func TestAResetDoesNotConfigureAuthAnew(t *testing.T) {
	t.Parallel()
	hook := "create function public.hook(event jsonb) returns jsonb language plpgsql as " +
		"$$ begin raise exception 'called'; end $$; grant execute on function public.hook to supabase_auth_admin;"
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_hook.sql": hook})
	s := start(t, stack.Config{Workspace: dir})
	write(t, dir, "config.toml", minimal+"[api]\nauto_expose_new_tables = true\n"+
		"[auth.hook.custom_access_token]\nenabled = true\nuri = \"pg-functions://postgres/public/hook\"\n")
	require.False(t, s.Settings().ExposeNewTables)
	write(t, dir, "migrations/2_t.sql", "create table seen (n int); insert into seen values (1);")
	require.NoError(t, s.Reset(t.Context(), stack.ResetOptions{}))
	assert.Equal(t, http.StatusOK, signUp(t, s, "a@example.com"), "the hook is not called")
	assert.True(t, s.Settings().ExposeNewTables)
	_, body := call(t, s, http.MethodGet, "/rest/v1/seen?select=n", "")
	assert.JSONEq(t, `[{"n":1}]`, body, "new tables are exposed")
}

func TestAResetThatNobodyWaitsForLeavesTheStackWhole(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords + oneWord})
	s := start(t, stack.Config{Workspace: dir})
	write(t, dir, "migrations/2_slow.sql", "select pg_sleep(600);")
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Reset(ctx, stack.ResetOptions{OnFile: func(_ migrate.Kind, path string) {
		if path == "supabase/migrations/2_slow.sql" {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.JSONEq(t, `[{"word":"first"}]`, words(t, s))
}

func TestAStackThatStopsDoesNotWaitForAReset(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal})
	s := start(t, stack.Config{Workspace: dir})
	write(t, dir, "migrations/1_slow.sql", "select pg_sleep(600);")
	began, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.Reset(context.Background(), stack.ResetOptions{OnFile: func(migrate.Kind, string) { close(began) }})
	}()
	<-began
	require.ErrorIs(t, s.Reset(t.Context(), stack.ResetOptions{}), stack.ErrBusy, "one at a time")
	require.NoError(t, s.Stop(t.Context()))
	require.Error(t, <-ended)
	<-s.Done()
}

func TestRequestsDuringResetsGetAnAnswer(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords + oneWord})
	s := start(t, stack.Config{Workspace: dir})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2 {
			assert.NoError(t, s.Reset(context.Background(), stack.ResetOptions{}))
		}
	}()
	answers := map[int]int{}
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		status, _ := call(t, s, http.MethodGet, "/rest/v1/words?select=word", "")
		answers[status]++
	}
	assert.Positive(t, answers[http.StatusOK])
	assert.Positive(t, answers[http.StatusServiceUnavailable], "%v", answers)
	for status := range answers {
		assert.True(t, status == http.StatusOK || status >= http.StatusInternalServerError, "%v", answers)
	}
}

// kept is the configuration of a stack whose data stays under a name of its own.
func kept(t *testing.T, dir string) stack.Config {
	t.Helper()
	cfg := stack.Config{Workspace: dir, Postgres: postgres.Config{Kept: "test-" + uuid.NewString()}}
	t.Cleanup(func() {
		_, err := postgres.RemoveKept(context.Background(), cfg.Postgres, cfg.Postgres.Kept)
		assert.NoError(t, err)
	})
	return cfg
}

func phaseNames(s *stack.Stack) []string {
	var names []string
	for _, p := range s.Phases() {
		names = append(names, p.Name)
	}
	return names
}

func TestAKeptStackGoesOnWithItsData(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords, "seed.sql": oneWord})
	cfg := kept(t, dir)
	s := start(t, cfg)
	require.Equal(t, http.StatusOK, signUp(t, s, "a@example.com"))
	sql(t, s, "insert into words values ('by hand')")
	require.NoError(t, s.Stop(t.Context()))

	write(t, dir, "migrations/2_bad.sql", "select * from nothing;")
	s = start(t, cfg)
	assert.Contains(t, phaseNames(s), "kept-data")
	assert.NotContains(t, phaseNames(s), "migrations")
	assert.JSONEq(t, `[{"word":"by hand"},{"word":"first"}]`, words(t, s))
	assert.Equal(t, http.StatusOK, signIn(t, s, "a@example.com"))

	// A reset makes it anew, and that is kept as well, though a file of it failed.
	require.Error(t, s.Reset(t.Context(), stack.ResetOptions{}))
	require.NoError(t, s.Stop(t.Context()))
	s = start(t, cfg)
	assert.Equal(t, `[]`, words(t, s))
	assert.Equal(t, http.StatusBadRequest, signIn(t, s, "a@example.com"))
}

func TestAKeptStackThatDoesNotStartLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords, "migrations/2_bad.sql": "select * from nothing;"})
	cfg := kept(t, dir)
	_, err := stack.Start(t.Context(), cfg)
	require.Error(t, err)
	write(t, dir, "migrations/2_bad.sql", oneWord)
	s := start(t, cfg)
	assert.JSONEq(t, `[{"word":"first"}]`, words(t, s), "all migrations are applied anew")
}

func TestPartsCanBeLeftOut(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_words.sql": tableOfWords + oneWord})
	noAuth := start(t, stack.Config{Workspace: dir, Without: []stack.Part{stack.PartAuth}})
	assert.JSONEq(t, `[{"word":"first"}]`, words(t, noAuth))
	assert.Equal(t, http.StatusServiceUnavailable, signUp(t, noAuth, "a@example.com"))
	versions := noAuth.Endpoints().Versions
	assert.NotContains(t, versions, "auth")
	require.NoError(t, noAuth.Reset(t.Context(), stack.ResetOptions{}))
	assert.Equal(t, http.StatusServiceUnavailable, signUp(t, noAuth, "a@example.com"), "a reset does not bring it")

	noREST := start(t, stack.Config{Workspace: dir, Without: []stack.Part{stack.PartREST}})
	assert.Equal(t, http.StatusOK, signUp(t, noREST, "a@example.com"))
	status, _ := call(t, noREST, http.MethodGet, "/rest/v1/words", "")
	assert.Equal(t, http.StatusServiceUnavailable, status)

	bare := start(t, stack.Config{Workspace: dir, Without: []stack.Part{stack.PartGateway}})
	assert.Empty(t, bare.Endpoints().APIURL)
	assert.NotContains(t, phaseNames(bare), "auth")
	sql(t, bare, "insert into words values ('second')")
	require.NoError(t, bare.Reset(t.Context(), stack.ResetOptions{}))
	sql(t, bare, "create unique index on words (word)", "insert into words values ('second')")
}

// Executables read the environment again; it is that of their first start.
func TestAResetGivesExecutablesTheSettingsOfTheirStart(t *testing.T) {
	t.Parallel()
	dir := forum(t)
	cfg := onFakes(t, dir, nil, nil)
	s := start(t, cfg)
	_, before := nativetest.Traces(t, cfg.AuthServer)
	write(t, dir, "config.toml", minimal+"[auth]\njwt_expiry = 60\n")
	write(t, dir, "migrations/2_more.sql", "insert into notes values (2, 'me too');")
	require.NoError(t, s.Reset(t.Context(), stack.ResetOptions{}))
	_, body := call(t, s, http.MethodGet, "/rest/v1/notes?select=id&order=id", "")
	assert.JSONEq(t, `[{"id":1},{"id":2}]`, body)
	starts, after := nativetest.Traces(t, cfg.AuthServer)
	assert.GreaterOrEqual(t, len(starts), 2)
	for name, value := range before {
		if strings.HasPrefix(name, "GOTRUE_HOOK_") || strings.HasPrefix(name, "GOTRUE_JWT_") {
			assert.Equal(t, value, after[name], name)
		}
	}
	assert.Equal(t, "true", after["GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED"])
	assert.Equal(t, "3600", after["GOTRUE_JWT_EXP"])
	assert.Equal(t, http.StatusOK, signUp(t, s, "ann@example.com"))
}
