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

// Some files, and how their report ends.
type suite struct {
	files  map[string]string
	report string // without the line of times; DIR stands for the workspace's folder of tests
	stderr string
	want   pgtap.Summary
	// ours says that pg_prove does otherwise, and why that is not followed.
	ours string
}

const good = "begin;\nselect plan(2);\nselect ok(true, 'fine');\nselect is(1, 1, 'same');\nselect * from finish();\nrollback;\n"

func suites() map[string]suite {
	return map[string]suite{
		"all good": {
			files: map[string]string{"b.sql": good, "database/a.test.sql": good, "z.pg": good, "notes.md": "select 1;"},
			report: "DIR/b.sql ................ ok\nDIR/database/a.test.sql .. ok\nDIR/z.pg ................. ok\n" +
				"All tests successful.\nFiles=3, Tests=6\nResult: PASS\n",
			want: pgtap.Summary{Files: 3, Tests: 6, OK: true},
		},
		"one fails": {
			files: map[string]string{"a.sql": good, "long_name.sql": "begin; select plan(3); select ok(true); select is(1, 2, 'numbers'); select pass('p'); select * from finish(); rollback;"},
			report: "DIR/a.sql .......... ok\nDIR/long_name.sql .. \n# Failed test 2: \"numbers\"\n#         have: 1\n#         want: 2\n" +
				"# Looks like you failed 1 test of 3\nFailed 1/3 subtests \n" +
				"\nTest Summary Report\n-------------------\nDIR/long_name.sql (Wstat: 0 Tests: 3 Failed: 1)\n  Failed test:  2\nFiles=2, Tests=5\nResult: FAIL\n",
			want: pgtap.Summary{Files: 2, Tests: 5},
		},
		"many fail": {
			files: map[string]string{"a.sql": "\\echo 1..60\nselect case when i % 3 = 0 then '' else 'not ' end || 'ok ' || i from generate_series(1, 60) i;"},
			report: "DIR/a.sql .. \nFailed 40/60 subtests \n\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 60 Failed: 40)\n" +
				"  Failed tests:  1-2, 4-5, 7-8, 10-11, 13-14, 16-17, 19-20\n                22-23, 25-26, 28-29, 31-32, 34-35, 37-38\n" +
				"                40-41, 43-44, 46-47, 49-50, 52-53, 55-56\n                58-59\nFiles=1, Tests=60\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1, Tests: 60},
		},
		"an error in SQL": {
			files: map[string]string{"a.sql": "begin;\nselect plan(2);\nselect pass('p');\nselect nope();\nselect pass('q');\nselect * from finish();\nrollback;", "b.sql": good},
			report: "DIR/a.sql .. \nDubious, test returned 3 (wstat 768, 0x300)\nFailed 1/2 subtests \nDIR/b.sql .. ok\n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 768 (exited 3) Tests: 1 Failed: 0)\n  Non-zero exit status: 3\n" +
				"  Parse errors: Bad plan.  You planned 2 tests but ran 1.\nFiles=2, Tests=3\nResult: FAIL\n",
			stderr: "psql:DIR/a.sql:4: ERROR:  function nope() does not exist\nLINE 1: select nope();\n               ^\n" +
				"HINT:  No function matches the given name and argument types. You might need to add explicit type casts.\n",
			want: pgtap.Summary{Files: 2, Tests: 3},
		},
		"an error after all tests passed": {
			files: map[string]string{"a.sql": "begin;\nselect plan(1);\nselect pass('p');\nselect 1/0;"},
			report: "DIR/a.sql .. \nDubious, test returned 3 (wstat 768, 0x300)\nAll 1 subtests passed \n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 768 (exited 3) Tests: 1 Failed: 0)\n  Non-zero exit status: 3\nFiles=1, Tests=1\nResult: FAIL\n",
			stderr: "psql:DIR/a.sql:4: ERROR:  division by zero\n",
			want:   pgtap.Summary{Files: 1, Tests: 1},
		},
		"nothing of the protocol": {
			files: map[string]string{"a.sql": "select 'hello';"},
			report: "DIR/a.sql .. \nNo subtests run \n\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 0 Failed: 0)\n" +
				"  Parse errors: No plan found in TAP output\nFiles=1, Tests=0\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1},
		},
		"tests to do and to skip": {
			files: map[string]string{"a.sql": "begin;\nselect plan(4);\nselect * from todo('later', 2);\nselect ok(true, 'early');\nselect ok(false, 'late');\nselect * from skip('not here', 1);\nselect pass('p');\nselect * from finish();\nrollback;"},
			report: "DIR/a.sql .. \n# Failed (TODO) test 2: \"late\"\nok\nAll tests successful.\n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 4 Failed: 0)\n  TODO passed:   1\nFiles=1, Tests=4\nResult: PASS\n",
			want: pgtap.Summary{Files: 1, Tests: 4, OK: true},
		},
		"failures beside tests to do and to skip": {
			files: map[string]string{"a.sql": "\\echo 1..5\n\\echo ok 1 # TODO x\n\\echo ok 2 # SKIP y\n\\echo ok 3 # SKIP y\n\\echo not ok 4\n\\echo ok 5 # TODO x"},
			report: "DIR/a.sql .. \nFailed 1/5 subtests \n\t(less 2 skipped subtests: 2 okay)\n\t(2 TODO tests unexpectedly succeeded)\n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 5 Failed: 1)\n  Failed test:  4\n  TODO passed:   1, 5\nFiles=1, Tests=5\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1, Tests: 5},
		},
		"all skipped": {
			files:  map[string]string{"a.sql": "\\echo '1..0 # SKIP not today'"},
			report: "DIR/a.sql .. skipped: not today\nFiles=1, Tests=0\nResult: NOTESTS\n",
			want:   pgtap.Summary{Files: 1, OK: true},
		},
		"no plan, and no end": {
			files:  map[string]string{"a.sql": "begin;\nselect * from no_plan();\nselect pass('p');\nselect * from finish();\nrollback;"},
			report: "DIR/a.sql .. ok\nAll tests successful.\nFiles=1, Tests=1\nResult: PASS\n",
			want:   pgtap.Summary{Files: 1, Tests: 1, OK: true},
		},
		"contradictions": {
			files: map[string]string{"a.sql": "\\echo 1..9\nselect 'ok ' || i * 2 from generate_series(1, 8) i;"},
			report: "DIR/a.sql .. \nFailed 1/9 subtests \n\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 8 Failed: 0)\n" +
				"  Parse errors: Tests out of sequence.  Found (2) but expected (1)\n                Tests out of sequence.  Found (4) but expected (2)\n" +
				"                Tests out of sequence.  Found (6) but expected (3)\n                Tests out of sequence.  Found (8) but expected (4)\n" +
				"                Tests out of sequence.  Found (10) but expected (5)\nDisplayed the first 5 of 9 TAP syntax errors.\n" +
				"Re-run prove with the -p option to see them all.\nFiles=1, Tests=8\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1, Tests: 8},
		},
		"giving up": {
			files:  map[string]string{"a.sql": "\\echo 1..2\n\\echo ok 1\n\\echo Bail out! No more.\n\\echo ok 2", "b.sql": good},
			report: "DIR/a.sql .. Bailout called.  Further testing stopped:  No more.\n",
			stderr: "FAILED--Further testing stopped: No more.\n",
			want:   pgtap.Summary{Files: 1, Tests: 1},
			ours:   `it goes on to read, and ends with "Result: PASS" before it exits with 255`,
		},
	}
}

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
