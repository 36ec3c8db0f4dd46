package postgres_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/cachedir"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/proc"
)

// keptConfig is for a kept cluster that no other test uses, in the cache that all share.
func keptConfig(t *testing.T) postgres.Config {
	t.Helper()
	cfg := sharedImage(t).config()
	cfg.Kept = "test-" + uuid.NewString()
	t.Cleanup(func() {
		_, err := postgres.RemoveKept(context.Background(), cfg, cfg.Kept)
		assert.NoError(t, err)
	})
	return cfg
}

// keptDir is the folder of its cluster.
func keptDir(t *testing.T, cfg postgres.Config) string {
	t.Helper()
	root, err := cachedir.Root(cfg.CacheDir)
	require.NoError(t, err)
	return filepath.Join(root, "kept", cfg.Kept+".d")
}

func startKept(t *testing.T, cfg postgres.Config) *postgres.Server {
	t.Helper()
	s, err := postgres.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	return s
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	for _, sql := range statements {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
}

const rowsOfKept = "select string_agg(word, ',' order by word) from public.kept"

// makeKept starts a server with a table, a row and a role, and keeps its cluster.
func makeKept(t *testing.T, cfg postgres.Config) *postgres.Server {
	t.Helper()
	s := startKept(t, cfg)
	require.True(t, s.Fresh())
	execute(t, s.URL("supabase_admin", "postgres"),
		"create table public.kept (word text)", "insert into public.kept values ('first')", "create role keeper")
	require.NoError(t, s.Keep())
	return s
}

func TestAKeptClusterGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	s := makeKept(t, cfg)
	execute(t, s.URL("supabase_admin", "postgres"), "insert into public.kept values ('second')")
	require.NoError(t, s.Stop(t.Context()))
	assert.False(t, alive(s.PID()))

	again := startKept(t, cfg)
	assert.False(t, again.Fresh())
	assert.Equal(t, "on", query(t, again.URL("supabase_admin", "postgres"), "show autovacuum"))
	assert.Equal(t, "first,second", query(t, again.URL("supabase_admin", "postgres"), rowsOfKept))
	assert.Equal(t, "keeper", query(t, again.URL("supabase_admin", "postgres"), "select rolname::text from pg_roles where rolname = 'keeper'"))
	require.NoError(t, again.Stop(t.Context()))

	cfg.Kept += ".lock"
	assert.True(t, startKept(t, cfg).Fresh(), "names are told apart")
}

func TestWhatNobodyKeepsIsGone(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	require.NoError(t, startKept(t, cfg).Stop(t.Context()))
	assert.NoDirExists(t, keptDir(t, cfg))

	again := startKept(t, cfg)
	assert.True(t, again.Fresh())
	cfg.Kept = ""
	throwaway := startKept(t, cfg)
	assert.True(t, throwaway.Fresh())
	assert.ErrorContains(t, throwaway.Keep(), "without a name")
}

func TestAKeptClusterSurvivesThatEverybodyIsKilled(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	kept := func(c *exec.Cmd) { c.Env = append(c.Env, helperKept+"="+cfg.Kept) }
	cmd, _, say := runHelper(t, dirs{cache: cfg.CacheDir, run: cfg.RunDir}, kept)
	execute(t, say.URL, "create table public.kept (word text)", "insert into public.kept values ('first')")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool { return !alive(say.PID) }, 20*time.Second, 10*time.Millisecond, "the server ends with its parent")

	again := startKept(t, cfg)
	assert.False(t, again.Fresh())
	assert.Equal(t, "first", query(t, again.URL("supabase_admin", "postgres"), rowsOfKept))
}

func TestAServerThatOutlivedItsParentIsEndedBeforeTheNextOne(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	s := makeKept(t, cfg)
	require.NoError(t, s.Stop(t.Context()))
	// The server of nobody: started by hand on the folder.
	data := filepath.Join(keptDir(t, cfg), "data")
	stray := strayServer(t, s.BinDir(), data)

	again := startKept(t, cfg)
	assert.False(t, again.Fresh())
	assert.Equal(t, "first", query(t, again.URL("supabase_admin", "postgres"), rowsOfKept))
	select {
	case <-stray:
	case <-time.After(20 * time.Second):
		t.Fatal("the stray server still runs")
	}
}

// strayServer starts a server on a data folder as its owner, and closes the channel
// when it has ended.
func strayServer(t *testing.T, binDir, data string) <-chan struct{} {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(binDir, "postgres"), "-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories=")
	cmd.Dir = data
	asOwner(t, cmd, data)
	require.NoError(t, cmd.Start())
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(data, "postmaster.pid"))
		return err == nil
	}, 20*time.Second, 10*time.Millisecond)
	return done
}

func TestTwoServersNeverShareAKeptCluster(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	s := makeKept(t, cfg)
	_, err := postgres.Start(t.Context(), cfg)
	require.ErrorIs(t, err, postgres.ErrKeptInUse)
	_, err = postgres.RemoveKept(t.Context(), cfg, cfg.Kept)
	require.ErrorIs(t, err, postgres.ErrKeptInUse)
	assert.Equal(t, "first", query(t, s.URL("supabase_admin", "postgres"), rowsOfKept))
}

func TestARemovedClusterIsGone(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	require.NoError(t, makeKept(t, cfg).Stop(t.Context()))
	dir, err := postgres.FindKept(t.Context(), cfg, cfg.Kept)
	require.NoError(t, err)
	assert.Equal(t, keptDir(t, cfg), dir)
	names, err := postgres.KeptNames(cfg)
	require.NoError(t, err)
	assert.Contains(t, names, cfg.Kept)
	there, err := postgres.RemoveKept(t.Context(), cfg, cfg.Kept)
	require.NoError(t, err)
	assert.True(t, there)
	dir, err = postgres.FindKept(t.Context(), cfg, cfg.Kept)
	require.NoError(t, err)
	assert.Empty(t, dir)
	there, err = postgres.RemoveKept(t.Context(), cfg, cfg.Kept)
	require.NoError(t, err)
	assert.False(t, there)
	assert.True(t, startKept(t, cfg).Fresh())
}

func TestADiscardedClusterIsGone(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	s := makeKept(t, cfg)
	require.NoError(t, s.Discard(t.Context()))
	require.NoError(t, s.Stop(t.Context()))
	assert.True(t, startKept(t, cfg).Fresh())
}

func TestAHalfMadeClusterIsMadeAnew(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	require.NoError(t, makeKept(t, cfg).Stop(t.Context()))
	require.NoError(t, os.Remove(filepath.Join(keptDir(t, cfg), "kept.json")))
	s := startKept(t, cfg)
	assert.True(t, s.Fresh())
	assert.Equal(t, "", query(t, s.URL("supabase_admin", "postgres"), "select coalesce(to_regclass('public.kept')::text, '')"))
}

func TestAClusterOfAnotherKindIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	require.NoError(t, makeKept(t, cfg).Stop(t.Context()))
	path := filepath.Join(keptDir(t, cfg), "kept.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for key, change := range map[string]struct {
		value  any
		reason string
	}{
		"format":   {99, "another version of this program"},
		"postgres": {14, "made by PostgreSQL 14"},
		"uid":      {4242, "belongs to user 4242"},
		"scripts":  {"other", "another one when it was made"},
		"boot":     {"another", "the machine went down"},
	} {
		if key == "boot" && runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
			continue
		}
		note := map[string]any{}
		require.NoError(t, json.Unmarshal(text, &note))
		note[key] = change.value
		changed, err := json.Marshal(note)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		_, err = postgres.Start(t.Context(), cfg)
		var refused *postgres.KeptError
		if assert.ErrorAs(t, err, &refused, key) {
			assert.Contains(t, refused.Error(), change.reason)
			assert.Contains(t, refused.Hint(), filepath.Dir(path))
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.JSONEq(t, string(changed), string(after), "the note stays as it was")
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
	s := startKept(t, cfg)
	assert.Equal(t, "first", query(t, s.URL("supabase_admin", "postgres"), rowsOfKept))
}

func TestADamagedClusterIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	cfg := keptConfig(t)
	require.NoError(t, makeKept(t, cfg).Stop(t.Context()))
	control := filepath.Join(keptDir(t, cfg), "data", "global", "pg_control")
	require.NoError(t, os.Rename(control, control+".away"))
	_, err := postgres.Start(t.Context(), cfg)
	var refused *postgres.KeptError
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Error(), "its server does not start")
	assert.Contains(t, refused.Error(), "pg_control", "the server's own words")

	require.NoError(t, os.Rename(control+".away", control))
	busy, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	taken := cfg
	taken.Port = busy.Addr().(*net.TCPAddr).Port
	_, err = postgres.Start(t.Context(), taken)
	var port *proc.PortError
	require.ErrorAs(t, err, &port)
	require.NotErrorAs(t, err, &refused, "a busy port is not the cluster's fault")
	require.NoError(t, busy.Close())
	assert.Equal(t, "first", query(t, startKept(t, cfg).URL("supabase_admin", "postgres"), rowsOfKept))
}

func TestABadNameForAClusterIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"..", "../x", "a/b", ".hidden", "a b", "-x"} {
		_, err := postgres.Start(t.Context(), postgres.Config{Kept: name})
		assert.ErrorContains(t, err, "cannot name a cluster", name)
		_, err = postgres.RemoveKept(t.Context(), postgres.Config{}, name)
		assert.ErrorContains(t, err, "cannot name a cluster", name)
	}
}

// asOwner lets a command run as the owner of a folder.
func asOwner(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	info, err := os.Stat(dir)
	require.NoError(t, err)
	st, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	if int(st.Uid) != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: st.Uid, Gid: st.Gid}}
	}
}
