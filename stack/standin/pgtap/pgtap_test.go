package pgtap_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/standin/extension"
	"github.com/supascore/supascore/stack/standin/pgtap"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// workspace writes tests into a workspace.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(dir, "supabase", "tests", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// database is a database on an installation that has pgTAP.
func database(t *testing.T) (*postgres.Server, string) {
	t.Helper()
	server := postgrestest.Shared(t)
	name := postgrestest.Database(t, server)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", name))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	if err := extension.Check(t.Context(), conn, extension.PgTAP()); err != nil {
		t.Skip(err)
	}
	return server, name
}

// withPgTAP is a database that has the extension, for runs side by side.
func withPgTAP(t *testing.T) (*postgres.Server, string) {
	t.Helper()
	server, name := database(t)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", name))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = extension.Ensure(t.Context(), conn, extension.PgTAP())
	require.NoError(t, err)
	return server, name
}

var times = regexp.MustCompile(`(?m)^(Files=\d+, Tests=\d+),.*$`)

// normal replaces what differs from run to run.
func normal(text, dir string) string {
	text = strings.ReplaceAll(text, filepath.Join(dir, "supabase", "tests"), "DIR")
	return times.ReplaceAllString(text, "$1")
}

func TestTestsAreReportedAsPgProveDoes(t *testing.T) {
	t.Parallel()
	server, name := withPgTAP(t)
	for claim, s := range suites() {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			dir := workspace(t, s.files)
			var stdout, stderr bytes.Buffer
			got, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: dir, Stdout: &stdout, Stderr: &stderr})
			require.NoError(t, err)
			assert.Equal(t, s.want, got)
			ours := strings.ReplaceAll(normal(stdout.String(), dir), "TAP syntax errors.\n", "TAP syntax errors.\nRe-run prove with the -p option to see them all.\n")
			assert.Equal(t, s.report, ours)
			assert.Equal(t, s.stderr, normal(stderr.String(), dir))
		})
	}
}

// What the test above wants is what pg_prove does.
func TestPgProveReportsWhatTheSuitesWant(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pg_prove")
	if err != nil {
		t.Skip("pg_prove is not in PATH")
	}
	server, name := withPgTAP(t)
	for claim, s := range suites() {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			if s.ours != "" {
				t.Skip(s.ours)
			}
			dir := workspace(t, s.files)
			cmd := exec.CommandContext(t.Context(), program, "--ext", ".pg", "--ext", ".sql", "-r", filepath.Join(dir, "supabase", "tests"))
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr, cmd.Dir = &stdout, &stderr, dir
			cmd.Env = append(os.Environ(), "PGHOST="+server.SocketDir(), "PGPORT="+strconv.Itoa(server.Port()), "PGUSER=postgres", "PGDATABASE="+name, "LC_ALL=C.UTF-8")
			err := cmd.Run()
			assert.Equal(t, s.want.OK, err == nil, "%v", err)
			assert.Equal(t, s.report, normal(stdout.String(), dir))
			assert.Equal(t, s.stderr, normal(stderr.String(), dir))
		})
	}
}

func TestEveryLineIsShownWhenAsked(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	dir := workspace(t, map[string]string{"a.sql": good})
	var stdout bytes.Buffer
	_, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: dir, Verbose: true, Stdout: &stdout, Stderr: io.Discard})
	require.NoError(t, err)
	assert.Equal(t, "DIR/a.sql .. \n1..2\nok 1 - fine\nok 2 - same\nok\nAll tests successful.\nFiles=1, Tests=2\nResult: PASS\n", normal(stdout.String(), dir))
}

func TestPathsChooseTests(t *testing.T) {
	t.Parallel()
	server, name := withPgTAP(t)
	dir := workspace(t, map[string]string{"a.sql": good, "sub/b.sql": "\\i helper\n" + good, "sub/helper": "\\set x 1", "c.txt": good})
	outside := workspace(t, map[string]string{"d.sql": good})
	for claim, c := range map[string]struct {
		paths []string
		want  string
	}{
		"a folder":                       {[]string{dir + "/supabase/tests/sub"}, dir + "/supabase/tests/sub/b.sql .. ok\n"},
		"a file, whatever its name":      {[]string{dir + "/supabase/tests/c.txt"}, dir + "/supabase/tests/c.txt .. ok\n"},
		"a folder outside the workspace": {[]string{outside}, outside + "/supabase/tests/d.sql .. ok\n"},
		"a file outside and one inside": {
			[]string{outside + "/supabase/tests/d.sql", dir + "/supabase/tests/a.sql"},
			outside + "/supabase/tests/d.sql .. ok\n" + dir + "/supabase/tests/a.sql .. ok\n",
		},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			got, err := pgtap.Run(t.Context(), pgtap.Config{
				URL: server.URL("postgres", name), Workspace: dir, Paths: c.paths, Stdout: &stdout, Stderr: &stderr,
			})
			require.NoError(t, err)
			assert.True(t, got.OK, "%s%s", &stdout, &stderr)
			lines := regexp.MustCompile(` \.+ ok`).ReplaceAllString(stdout.String(), " .. ok")
			assert.True(t, strings.HasPrefix(lines, c.want), "%s", lines)
		})
	}
	_, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: dir, Paths: []string{dir + "/nope"}, Stdout: io.Discard, Stderr: io.Discard})
	assert.ErrorContains(t, err, "nope: no such file or directory")
}

func TestAWorkspaceWithoutTestsHasNone(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	var stdout bytes.Buffer
	got, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: t.TempDir(), Stdout: &stdout, Stderr: io.Discard})
	require.NoError(t, err)
	assert.Equal(t, pgtap.Summary{OK: true}, got)
	assert.Equal(t, "Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n", stdout.String())
}

func TestTheExtensionIsTakenAwayUnlessItWasThere(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", name))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	run := func() (there bool) {
		dir := workspace(t, map[string]string{"a.sql": good})
		got, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: dir, Stdout: io.Discard, Stderr: io.Discard})
		require.NoError(t, err)
		require.True(t, got.OK)
		require.NoError(t, conn.QueryRow(t.Context(), "select exists (select from pg_extension where extname = 'pgtap')").Scan(&there))
		return there
	}
	assert.False(t, run())
	_, err = conn.Exec(t.Context(), "create extension pgtap with schema extensions")
	require.NoError(t, err)
	assert.True(t, run())
}

func TestTheRunTakesTheTimeOfTheClock(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	var stdout bytes.Buffer
	_, err := pgtap.Run(t.Context(), pgtap.Config{
		URL: server.URL("postgres", name), Workspace: workspace(t, map[string]string{"a.sql": good}), Stdout: &stdout, Stderr: io.Discard,
		Now: func() time.Time { now = now.Add(12 * time.Second); return now },
	})
	require.NoError(t, err)
	assert.Contains(t, stdout.String(), "Files=1, Tests=2, 12 wallclock secs\n")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAReportThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	_, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: t.TempDir(), Stdout: broken{}, Stderr: io.Discard})
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestADatabaseThatCannotBeReachedIsAnError(t *testing.T) {
	t.Parallel()
	_, err := pgtap.Run(t.Context(), pgtap.Config{URL: "postgres://postgres@127.0.0.1:1/postgres", Workspace: t.TempDir(), Stdout: io.Discard, Stderr: io.Discard})
	assert.ErrorContains(t, err, "failed to connect")
}

func TestACancelledRunTakesTheExtensionAway(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", name))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	count := func(sql string) (n int) {
		require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	dir := workspace(t, map[string]string{"a.sql": "select plan(1);\nselect pg_sleep(600) /* until cancelled */;", "b.sql": good})
	ended := make(chan error, 1)
	var stdout bytes.Buffer
	go func() {
		_, err := pgtap.Run(ctx, pgtap.Config{URL: server.URL("postgres", name), Workspace: dir, Stdout: &stdout, Stderr: io.Discard})
		ended <- err
	}()
	const sleeping = `select count(*) from pg_stat_activity where datname = current_database() and state = 'active' and query like 'select pg_sleep(600) /* until%'`
	const extensions = `select count(*) from pg_extension where extname = 'pgtap'`
	require.Eventually(t, func() bool { return count(sleeping) == 1 }, 30*time.Second, 5*time.Millisecond)
	assert.Equal(t, 1, count(extensions))
	cause := errors.New("enough")
	cancel(cause)
	assert.ErrorIs(t, <-ended, cause)
	assert.Equal(t, 0, count(extensions))
	assert.NotContains(t, stdout.String(), "Result", "a run that did not end has none")
	require.Eventually(t, func() bool { return count(sleeping) == 0 }, 30*time.Second, 5*time.Millisecond)
}

func TestAnExtensionThatIsInUseStays(t *testing.T) {
	t.Parallel()
	server, name := database(t)
	dir := workspace(t, map[string]string{"a.sql": "create view public.uses_it as select pg_version_num();\n" + good})
	var stderr bytes.Buffer
	got, err := pgtap.Run(t.Context(), pgtap.Config{URL: server.URL("postgres", name), Workspace: dir, Stdout: io.Discard, Stderr: &stderr})
	require.NoError(t, err)
	assert.True(t, got.OK)
	assert.Contains(t, stderr.String(), "failed to disable pgTAP: ERROR: cannot drop extension pgtap because other objects depend on it")
}
