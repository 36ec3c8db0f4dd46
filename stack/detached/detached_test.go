package detached_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/cachedir"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// role says what the test binary is when it is not the tests.
const role = "DETACHED_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		os.Exit(child())
	}
	os.Exit(postgrestest.Main(m))
}

// child is a serving process: os.Args are its name, the workspace and the project.
func child() int {
	reporter, err := detached.OpenReporter()
	if err != nil {
		return 1
	}
	switch os.Getenv(role) {
	case "dies":
		fmt.Println("last words")
		return 7
	case "refuses":
		_ = reporter.Send(detached.Report{Error: "no", Hint: "try", Fault: "workspace", Port: 5, Owner: "somebody"})
		return 1
	case "hangs":
		select {}
	}
	cfg := stack.Config{Workspace: os.Args[1], OnFile: func(kind migrate.Kind, path string) {
		reporter.Progress(detached.Progress{Kind: kind, File: path})
	}}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err = detached.ServeProject(ctx, os.Args[2], cfg, func(s detached.State) { _ = reporter.Send(detached.Report{State: &s}) })
	if err != nil {
		_ = reporter.Send(detached.Report{Error: err.Error()})
		return 1
	}
	return 0
}

// folder is a workspace with one migration.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "supabase", "migrations"), 0o755))
	for name, text := range map[string]string{
		"config.toml":            "project_id = \"test\"\n",
		"migrations/1_words.sql": "create table words (word text);",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", filepath.FromSlash(name)), []byte(text), 0o600))
	}
	return dir
}

func asRole(dir, project, as string) detached.Child {
	return detached.Child{Workspace: dir, Path: os.Args[0], Args: []string{"child", dir, project}, Env: append(os.Environ(), role+"="+as)}
}

// spawn starts a served stack, which ends with the test.
func spawn(t *testing.T, c detached.Child) detached.State {
	t.Helper()
	state, err := detached.Spawn(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() {
		if _, err := detached.StopProject(context.Background(), "", c.Args[2]); !errors.Is(err, detached.ErrNotRunning) {
			assert.NoError(t, err)
		}
		root, err := cachedir.Root("")
		require.NoError(t, err)
		assert.NoError(t, os.RemoveAll(filepath.Join(root, "projects", c.Args[2]+".stack.lock")))
	})
	return state
}

func projectID() string { return "test-" + uuid.NewString() }

func TestASpawnedStackIsFoundByFolderAndByProject(t *testing.T) {
	t.Parallel()
	dir, project := folder(t), projectID()
	var files []string
	c := asRole(dir, project, "serves")
	c.OnProgress = func(p detached.Progress) { files = append(files, string(p.Kind)+" "+p.File) }
	state := spawn(t, c)
	assert.Equal(t, []string{"migration supabase/migrations/1_words.sql"}, files)
	assert.Equal(t, project, state.Project)
	for _, find := range []func() (detached.State, error){
		func() (detached.State, error) { return detached.Find(dir) },
		func() (detached.State, error) { return detached.FindProject("", project) },
	} {
		found, err := find()
		require.NoError(t, err)
		assert.Equal(t, state, found)
	}
	all, err := detached.Projects("")
	require.NoError(t, err)
	assert.Contains(t, all, state)

	_, err = detached.Spawn(t.Context(), c)
	var running *detached.RunningError
	require.ErrorAs(t, err, &running)
	assert.Equal(t, dir, running.Workspace)
	_, err = detached.Spawn(t.Context(), asRole(folder(t), project, "serves"))
	require.ErrorContains(t, err, "already running for project "+project, "another folder of the same project")

	// The workspace's files are gone, and it is found all the same.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "supabase", ".temp")))
	_, err = detached.Find(dir)
	require.ErrorIs(t, err, detached.ErrNotRunning)
	_, err = detached.StopProject(t.Context(), "", project)
	require.NoError(t, err)
	_, err = detached.FindProject("", project)
	require.ErrorIs(t, err, detached.ErrNotRunning)
	root, err := cachedir.Root("")
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(root, "projects", project+".stack.json"), "its keys are gone with it")
}

func TestResetsAreDoneByTheServingProcess(t *testing.T) {
	t.Parallel()
	dir, project := folder(t), projectID()
	state := spawn(t, asRole(dir, project, "serves"))
	config := filepath.Join(dir, "supabase", "config.toml")
	require.NoError(t, os.WriteFile(config, []byte("project_id = \"test\"\n[api]\nauto_expose_new_tables = true\n"), 0o600))
	var seen []detached.Progress
	require.NoError(t, detached.Reset(t.Context(), state, stack.ResetOptions{}, func(p detached.Progress) { seen = append(seen, p) }))
	assert.Contains(t, seen, detached.Progress{Phase: "postgres"})
	assert.Contains(t, seen, detached.Progress{Kind: migrate.KindMigration, File: "supabase/migrations/1_words.sql"})
	after, err := detached.FindProject("", project)
	require.NoError(t, err)
	assert.True(t, after.Settings.ExposeNewTables, "the record follows")
	assert.Equal(t, state.Endpoints, after.Endpoints)

	var refused *detached.ResetError
	require.ErrorAs(t, detached.Reset(t.Context(), state, stack.ResetOptions{Version: "9"}, nil), &refused)
	assert.Equal(t, "glob supabase/migrations/9_*.sql: file does not exist", refused.Error())

	// Nobody without the token is heard.
	other := state
	other.Control.Token = strings.ToLower(state.Control.Token)
	assert.ErrorContains(t, detached.Reset(t.Context(), other, stack.ResetOptions{}, nil), "403")
	resp, err := http.Post(state.Control.URL+"/reset", "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusForbidden, resp.StatusCode)
	other.Control = detached.Control{}
	assert.ErrorContains(t, detached.Reset(t.Context(), other, stack.ResetOptions{}, nil), "another version")
}

func TestAResetThatIsCalledOffLeavesTheStackUp(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	state := spawn(t, asRole(dir, projectID(), "serves"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "migrations", "2_slow.sql"), []byte("select pg_sleep(600);"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	err := detached.Reset(ctx, state, stack.ResetOptions{}, func(p detached.Progress) {
		if strings.HasSuffix(p.File, "2_slow.sql") {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.EventuallyWithT(t, func(c *assert.CollectT) {
		conn, err := pgx.Connect(t.Context(), state.Endpoints.DBURL)
		if assert.NoError(c, err) {
			defer conn.Close(context.Background())
			_, err = conn.Exec(t.Context(), "select from words")
			assert.NoError(c, err)
		}
	}, 30*time.Second, 20*time.Millisecond)
}

func TestAStackThatEndsInAResetSaysWhy(t *testing.T) {
	t.Parallel()
	dir, project := folder(t), projectID()
	state := spawn(t, asRole(dir, project, "serves"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "migrations", "2_end.sql"),
		[]byte("alter database postgres connection limit 0;"), 0o600))
	err := detached.Reset(t.Context(), state, stack.ResetOptions{}, func(detached.Progress) {})
	require.ErrorContains(t, err, "too many connections")
	assert.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := detached.FindProject("", project)
		assert.ErrorIs(c, err, detached.ErrNotRunning)
	}, 30*time.Second, 20*time.Millisecond)
}

func TestStopSweepsTheStateOfAKilledProcess(t *testing.T) {
	t.Parallel()
	dir, project := folder(t), projectID()
	state := spawn(t, asRole(dir, project, "serves"))
	require.NoError(t, syscall.Kill(state.PID, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		_, err := detached.Find(dir)
		return errors.Is(err, detached.ErrNotRunning)
	}, 20*time.Second, 10*time.Millisecond)
	file := filepath.Join(dir, "supabase", ".temp", "supascore", "stack.json")
	require.FileExists(t, file)
	_, err := detached.Stop(t.Context(), dir)
	require.ErrorIs(t, err, detached.ErrNotRunning)
	assert.NoFileExists(t, file)
	again := spawn(t, asRole(dir, project, "serves"))
	assert.NotEqual(t, state.PID, again.PID)
}

func TestASpawnThatFailsSaysHow(t *testing.T) {
	t.Parallel()
	_, err := detached.Spawn(t.Context(), asRole(folder(t), "x", "dies"))
	require.ErrorContains(t, err, "ended without a word")
	require.ErrorContains(t, err, "exit status 7")
	require.ErrorContains(t, err, "last words")

	_, err = detached.Spawn(t.Context(), asRole(folder(t), "x", "refuses"))
	var failed *detached.SpawnError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, detached.Report{Error: "no", Hint: "try", Fault: "workspace", Port: 5, Owner: "somebody"}, failed.Report)

	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("no patience"))
	defer cancel()
	_, err = detached.Spawn(ctx, asRole(folder(t), "x", "hangs"))
	require.ErrorContains(t, err, "no patience")

	_, err = detached.Spawn(t.Context(), asRole(t.TempDir(), "x", "serves"))
	require.ErrorContains(t, err, "there is no folder supabase")
}

func TestNamesThatAreNoProjectsAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "../x", "a/b", ".x"} {
		_, err := detached.FindProject("", name)
		assert.ErrorContains(t, err, "is no project id", name)
		_, err = detached.StopProject(t.Context(), "", name)
		assert.ErrorContains(t, err, "is no project id", name)
	}
	dir := t.TempDir()
	all, err := detached.Projects(dir)
	require.NoError(t, err)
	assert.Empty(t, all)
}
