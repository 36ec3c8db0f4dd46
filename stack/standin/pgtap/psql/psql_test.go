package psql_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/standin/pgtap/psql"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// outcome is what a script did.
type outcome struct {
	Stdout, Stderr string
	Status         int
}

// script is a case: files by name, of which t.sql is run, and what psql makes of it.
type script struct {
	files map[string]string
	want  outcome
}

func one(sql string, want outcome) script { return script{map[string]string{"t.sql": sql}, want} }

// scripts are what psql and this package have to agree on. A file is run by its name alone, from its folder.
func scripts() map[string]script {
	return map[string]script{
		"rows become lines": one("select 1, null, 'a' || chr(10) || 'b'; values (2), (3);", outcome{Stdout: "1||a\nb\n2\n3\n"}),
		"statements without rows say nothing": one(
			"create temp table t (a int);\ninsert into t values (1);\nupdate t set a = 2 returning a;\ndo $$ begin end $$;\n-- the end", outcome{Stdout: "2\n"}),
		"the last query needs no semicolon":   one("select 1;\nselect 2", outcome{Stdout: "1\n2\n"}),
		"comments and semicolons are nothing": one("; -- a\n/* b */ ;\n;", outcome{}),
		"an error ends the script": one("select 1;\n\nselect 2\nfrom nope\nwhere true;\nselect 3;", outcome{
			Stdout: "1\n", Status: 3,
			Stderr: "psql:t.sql:5: ERROR:  relation \"nope\" does not exist\nLINE 2: from nope\n             ^\n",
		}),
		"an error is told with all that is known": one(
			"do $$ begin raise exception 'no' using detail = 'd', hint = 'h', errcode = 'P0099'; end $$;", outcome{
				Status: 3,
				Stderr: "psql:t.sql:1: ERROR:  no\nDETAIL:  d\nHINT:  h\nCONTEXT:  PL/pgSQL function inline_code_block line 1 at RAISE\n",
			}),
		"a place after letters of many bytes is right": one("select 'äöü', x;", outcome{
			Status: 3, Stderr: "psql:t.sql:1: ERROR:  column \"x\" does not exist\nLINE 1: select 'äöü', x;\n                      ^\n",
		}),
		"notices go to stderr": one("do $$ begin raise notice 'hello'; raise warning 'mind'; end $$;\nselect 1;", outcome{
			Stdout: "1\n", Stderr: "psql:t.sql:1: NOTICE:  hello\npsql:t.sql:1: WARNING:  mind\n",
		}),
		"errors are passed over when asked": one("\\set ON_ERROR_STOP off\nselect 1/0;\nselect :'ERROR', :'SQLSTATE', :'LAST_ERROR_MESSAGE';\nselect 2;", outcome{
			Stdout: "true|22012|division by zero\n2\n", Stderr: "psql:t.sql:2: ERROR:  division by zero\n",
		}),
		"ON_ERROR_ROLLBACK saves a transaction": one(
			"\\set ON_ERROR_STOP off\n\\set ON_ERROR_ROLLBACK on\nbegin;\nselect 1;\nselect 1/0;\nselect 2;\nrollback;\nselect 3;", outcome{
				Stdout: "1\n2\n3\n", Stderr: "psql:t.sql:5: ERROR:  division by zero\n",
			}),
		"without it the transaction is lost": one("\\set ON_ERROR_STOP off\nbegin;\nselect 1/0;\nselect 2;\nrollback;\nselect 3;", outcome{
			Stdout: "3\n", Stderr: "psql:t.sql:3: ERROR:  division by zero\n" +
				"psql:t.sql:4: ERROR:  current transaction is aborted, commands ignored until end of transaction block\n",
		}),
		"variables are put in": one(
			"\\set name 'it''s' ' ' \"b\"\n\\set id 7\nselect :id + 1, :'name', 1 as :\"name\", :'nope'::text;", outcome{
				Status: 3, Stderr: "psql:t.sql:3: ERROR:  syntax error at or near \":\"\n" +
					"LINE 1: select 7 + 1, 'it''s \"b\"', 1 as \"it's \"\"b\"\"\", :'nope'::text;\n" +
					"                                                      ^\n",
			}),
		"variables are put in, and colons of SQL are left": one(
			"\\set id 7\n\\set back 'a\\\\b'\nselect :id::text, (array[1,2,3])[1:2], ':id', $$:id$$, :'back', :{?id}, :{?no}, '{\"a\":1}'::jsonb -- :id\n;", outcome{
				Stdout: "7|{1,2}|:id|:id|a\\b|t|f|{\"a\": 1}\n",
			}),
		"variables can be part of a query":   one("\\set what 'select 1, 2'\n:what;", outcome{Stdout: "1|2\n"}),
		"a variable can be taken away":       one("\\set a 1\n\\unset a\n\\echo :a :{?a}\n\\unset ECHO", outcome{Stdout: ":a FALSE\n"}),
		"echo says its words":                one("\\echo a 'b  c' \"d e\" 'x\\ty'\n\\echo -n f\n\\qecho g\n\\warn h", outcome{Stdout: "a b  c \"d e\" x\ty\nfg\n", Stderr: "h\n"}),
		"several commands share a line":      one("\\set a 1 \\echo :a \\\\ select :a;", outcome{Stdout: "1\n1\n"}),
		"a command leaves the query alone":   one("select 1,\n\\echo between\n2;", outcome{Stdout: "between\n1|2\n"}),
		"a query can be thrown away":         one("select nonsense\n\\r\nselect 1;", outcome{Stdout: "1\n"}),
		"a separated semicolon ends nothing": one("select 1\\; select 2;", outcome{Stdout: "1\n2\n"}),
		"g sends the query":                  one("select 1 \\g\nselect 2\\g", outcome{Stdout: "1\n2\n"}),
		"gset keeps a row": one("select 1 as one, 'x y' as two, null as three \\gset my_\n\\echo :my_one :my_two :{?my_three}\nselect :'my_two';", outcome{
			Stdout: "1 x y FALSE\nx y\n",
		}),
		"gset wants a row":     one("select 1 where false \\gset\nselect 2;", outcome{Status: 3, Stderr: "psql:t.sql:1: error: no rows returned for \\gset\n"}),
		"gset wants one row":   one("values (1), (2)\n\\gset\nselect 2;", outcome{Status: 3, Stderr: "psql:t.sql:2: error: more than one row returned for \\gset\n"}),
		"gexec runs the cells": one("select 'select ' || i, null from generate_series(1, 2) i \\gexec", outcome{Stdout: "1\n2\n"}),
		"conditions choose lines": one("\\set a 1\n\\if :{?a}\nselect 'set';\n\\elif true\nselect 'not here';\n\\else\nselect 'nor here';\n\\endif\nselect 'after';", outcome{
			Stdout: "set\nafter\n",
		}),
		"the first condition that is true counts": one(
			"\\if off\nselect 1;\n\\elif ye\nselect 2;\n\\elif on\nselect 3;\n\\else\nselect 4;\n\\endif\n\\if 0\nselect 5;\n\\else\nselect 6;\n\\endif",
			outcome{Stdout: "2\n6\n"}),
		"conditions stand in each other": one(
			"\\if false\n\\if true\nselect 1;\n\\else\nselect 2;\n\\endif\n\\! never\n\\echo never\nselect ';' \\; select 1/0;\n\\else\n\\if true\nselect 3;\n\\endif\n\\endif",
			outcome{Stdout: "3\n"}),
		"conditions choose parts of a query": one("select\n\\if true\n1\n\\else\n2\n\\endif\n;", outcome{Stdout: "1\n"}),
		"a condition is true or false": one("\\if perhaps\nselect 1;\n\\endif", outcome{
			Stderr: "psql:t.sql:1: error: unrecognized value \"perhaps\" for \"\\if expression\": Boolean expected\n",
		}),
		"a condition has an end": one("\\if true\nselect 1;", outcome{
			Stdout: "1\n", Status: 3, Stderr: "psql:t.sql:2: error: reached EOF without finding closing \\endif(s)\n",
		}),
		"an end has a condition": one("\\endif\nselect 1;", outcome{Status: 3, Stderr: "psql:t.sql:1: error: \\endif: no matching \\if\n"}),
		"nothing follows else":   one("\\if true\n\\else\n\\elif true\n\\endif", outcome{Status: 3, Stderr: "psql:t.sql:3: error: \\elif: cannot occur after \\else\n"}),
		"a script can quit":      one("select 1;\n\\q\nselect 2;", outcome{Stdout: "1\n"}),
		"the format of pgTAP's manual is what it is": one(
			"\\unset ECHO\n\\set QUIET 1\n\\pset format unaligned\n\\pset tuples_only true\n\\pset pager off\n\\set ON_ERROR_ROLLBACK 1\n\\set ON_ERROR_STOP true\nselect 1, 2;",
			outcome{Stdout: "1|2\n"}),
		"NULL can be shown":         one("\\pset null '(none)'\nselect null, 1;", outcome{Stdout: "(none)|1\n"}),
		"a command lacks its words": one("\\i\nselect 1;", outcome{Status: 3, Stderr: "psql:t.sql:1: error: \\i: missing required argument\n"}),
		"files include files": {
			map[string]string{
				"t.sql": "\\i sub/a.sql\nselect 4;\n\\ir sub/b.sql", "sub/a.sql": "select 1;\n\\ir b.sql\nselect 3;\n\\q\nselect 99;",
				"sub/b.sql": "\\set seen yes\nselect 2;",
			},
			outcome{Stdout: "1\n2\n3\n4\n2\n"},
		},
		"an error in an included file names it": {
			map[string]string{"t.sql": "\n\\ir sub/a.sql\n", "sub/a.sql": "select 1;\nselect 1/0;"},
			outcome{Stdout: "1\n", Status: 3, Stderr: "psql:sub/a.sql:2: ERROR:  division by zero\n"},
		},
		"a file that is missing": one("select 1;\n\\i nope.sql\nselect 2;", outcome{Stdout: "1\n", Status: 3, Stderr: "psql:t.sql:2: error: nope.sql: No such file or directory\n"}),
	}
}

// write puts a script's files into a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func database(t *testing.T) string {
	t.Helper()
	server := postgrestest.Shared(t)
	return server.URL("postgres", postgrestest.Database(t, server))
}

func run(t *testing.T, url, dir, path string) (outcome, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status, err := psql.Run(t.Context(), psql.Config{URL: url, Root: dir, Dir: dir, Stdout: &stdout, Stderr: &stderr}, path)
	return outcome{stdout.String(), stderr.String(), status}, err
}

func TestScriptsDoWhatTheyDoInPsql(t *testing.T) {
	t.Parallel()
	url := database(t) // no script leaves anything in it
	for name, s := range scripts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := run(t, url, write(t, s.files), "t.sql")
			require.NoError(t, err)
			got.Stderr = strings.ReplaceAll(got.Stderr, "no such file", "No such file") // the system's words, or Go's
			assert.Equal(t, s.want, got)
		})
	}
}

// What the test above wants is what psql does.
func TestPsqlDoesWhatItsScriptsWant(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not in PATH")
	}
	url := database(t)
	for name, s := range scripts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program, url, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-f", "t.sql")
			var stdout, stderr bytes.Buffer
			cmd.Dir, cmd.Stdout, cmd.Stderr = write(t, s.files), &stdout, &stderr
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PGCLIENTENCODING=UTF8")
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil {
				require.ErrorAs(t, err, &exit)
			}
			assert.Equal(t, s.want, outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()})
		})
	}
}

func TestWhatIsNotDoneHereIsRefusedByName(t *testing.T) {
	t.Parallel()
	url := database(t)
	for _, line := range []string{
		`\! ls`, `\copy t from x.csv`, `\c other`, `\connect`, `\o out.txt`, `\d`, `\dt public.*`, `\crosstabview`, `\watch 1`,
		`\pset format aligned`, `\pset tuples_only off`, `\t`, `\timing`, `\x`, `\a`, `\set ECHO all`, `\set AUTOCOMMIT off`, "\\set a `date`",
		`select 1 \g out.txt`, `\echo 'open`, `\encoding latin1`, `\set FETCH_COUNT 1`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			// Also where errors are passed over: what follows could not be judged.
			got, err := run(t, url, write(t, map[string]string{"t.sql": "\\set ON_ERROR_STOP off\n" + line + "\nselect 'went on';"}), "t.sql")
			require.NoError(t, err)
			assert.Equal(t, 3, got.Status)
			assert.Regexp(t, `^psql:t.sql:2: error: .+\n$`, got.Stderr)
			assert.NotContains(t, got.Stdout, "went on")
		})
	}
}

func TestDataOfCopyIsRefused(t *testing.T) {
	t.Parallel()
	got, err := run(t, database(t), write(t, map[string]string{"t.sql": "create temp table t (a int);\ncopy t from stdin;\n1\n\\.\n"}), "t.sql")
	require.NoError(t, err)
	assert.Equal(t, outcome{Status: 3, Stderr: "psql:t.sql:2: error: COPY … FROM STDIN is not supported by supascore's stand-in for psql; write the rows as INSERT\n"}, got)
}

func TestNoFileOutsideOfTheFolderIsRead(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.sql")
	require.NoError(t, os.WriteFile(outside, []byte("select 'secret'"), 0o600))
	dir := write(t, map[string]string{"t.sql": ""})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.sql")))
	url := database(t)
	for _, command := range []string{`\i ` + outside, `\i ../` + filepath.Base(filepath.Dir(outside)) + "/secret.sql", `\ir link.sql`, `\i link.sql`, `\i .`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "t.sql"), []byte(command+"\nselect 1;"), 0o600))
		got, err := run(t, url, dir, "t.sql")
		require.NoError(t, err)
		assert.Equal(t, 3, got.Status, command)
		assert.Empty(t, got.Stdout, command)
		assert.Regexp(t, `^psql:t.sql:1: error: .+\n$`, got.Stderr, command)
	}
	got, err := run(t, url, dir, outside)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Status)
	assert.Contains(t, got.Stderr, "is outside of")
}

func TestAScriptThatIncludesItselfEnds(t *testing.T) {
	t.Parallel()
	got, err := run(t, database(t), write(t, map[string]string{"t.sql": `\i t.sql`}), "t.sql")
	require.NoError(t, err)
	assert.Equal(t, outcome{Status: 3, Stderr: "psql:t.sql:1: error: t.sql: files include each other more than 16 deep\n"}, got)
}

func TestALostConnectionIsStatus2(t *testing.T) {
	t.Parallel()
	got, err := run(t, database(t), write(t, map[string]string{"t.sql": "select 1;\nselect pg_terminate_backend(pg_backend_pid());\nselect 2;"}), "t.sql")
	require.NoError(t, err)
	assert.Equal(t, 2, got.Status)
	assert.Equal(t, "1\n", got.Stdout)
	assert.Contains(t, got.Stderr, "psql:t.sql:2: FATAL:  terminating connection due to administrator command\n")
	assert.Contains(t, got.Stderr, "connection to server was lost")
}

func TestADatabaseThatIsNotThereIsStatus2(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	dir := write(t, map[string]string{"t.sql": "select 1"})
	status, err := psql.Run(t.Context(), psql.Config{
		URL: postgrestest.Shared(t).URL("postgres", "nowhere"), Root: dir, Dir: dir, Stdout: io.Discard, Stderr: &stderr,
	}, "t.sql")
	require.NoError(t, err)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr.String(), `database "nowhere" does not exist`)
}

func TestACancelledScriptStopsTheServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	dir := write(t, map[string]string{"t.sql": "\\echo going\nselect pg_sleep(600) /* the long one */;"})
	url := database(t)
	started := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := psql.Run(ctx, psql.Config{URL: url, Root: dir, Dir: dir, Stdout: signal(started), Stderr: io.Discard}, "t.sql")
		ended <- err
	}()
	<-started
	watcher, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer watcher.Close(context.Background())
	running := func() int {
		var n int
		const sql = `select count(*) from pg_stat_activity where datname = current_database() and query like 'select pg_sleep(600) /* the%' and state = 'active'`
		require.NoError(t, watcher.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return running() == 1 }, 30*time.Second, 5*time.Millisecond)
	cause := errors.New("enough")
	cancel(cause)
	assert.ErrorIs(t, <-ended, cause)
	require.Eventually(t, func() bool { return running() == 0 }, 30*time.Second, 5*time.Millisecond)
}

// signal closes a channel at the first write.
type signal chan struct{}

func (s signal) Write(p []byte) (int, error) {
	select {
	case <-s:
	default:
		close(s)
	}
	return len(p), nil
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"t.sql": "select 1;\nselect 2;"})
	_, err := psql.Run(t.Context(), psql.Config{URL: database(t), Root: dir, Dir: dir, Stdout: brokenPipe{}, Stderr: io.Discard}, "t.sql")
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}
