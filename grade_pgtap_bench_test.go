package supascore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/tasks"
)

// BenchmarkAgainstPgTAP grades the reference of three tasks, and runs the same
// assertions as a pgTAP script under pg_prove on a copy of the same database: the SQL
// path alone, no Data API, no tamper checks. It needs the packages
// postgresql-15-pgtap and libtap-parser-sourcehandler-pgtap-perl.
func BenchmarkAgainstPgTAP(b *testing.B) {
	prove, err := exec.LookPath("pg_prove")
	if err != nil {
		b.Skip("pg_prove is not installed")
	}
	g, server := newGrader(b), postgrestest.Start(b, postgres.Config{})
	if _, err := os.Stat(filepath.Join(shareDir(b, server), "extension", "pgtap.control")); err != nil {
		b.Skip("the extension pgtap is not installed")
	}
	for _, id := range []string{"T001", "T002", "T007"} {
		task := builtin(b, id)
		solution := tasks.NamedSQL{Name: "solution", SQL: task.Solution}
		grade, err := g.Grade(b.Context(), task, solution, supascore.GradeOptions{KeepRun: true})
		require.NoError(b, err)
		require.True(b, grade.Passed())
		b.Run("supascore/"+id, func(b *testing.B) {
			for b.Loop() {
				_, err := g.Grade(b.Context(), task, solution, supascore.GradeOptions{})
				require.NoError(b, err)
			}
		})
		b.Run("pgtap/"+id, func(b *testing.B) {
			tap := newTap(b, server, task, grade)
			for b.Loop() {
				tap.prove(b, prove, task.Solution)
			}
		})
	}
}

// shareDir is where the server's extensions are.
func shareDir(b *testing.B, server *postgres.Server) string {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), server.URL(bootstrap.Superuser, "postgres"))
	require.NoError(b, err)
	defer conn.Close(context.Background())
	var dir string
	require.NoError(b, conn.QueryRow(b.Context(), "select setting from pg_config where name = 'SHAREDIR'").Scan(&dir))
	return dir
}

// tap is a task as a pgTAP user has it: a template database and a script.
type tap struct {
	server   *postgres.Server
	template string
	script   string
}

func newTap(b *testing.B, server *postgres.Server, task *tasks.Task, grade *supascore.TaskGrade) *tap {
	b.Helper()
	t := &tap{server: server, template: postgrestest.ExposedDatabase(b, server, grade.Exposed), script: filepath.Join(b.TempDir(), "tests.sql")}
	postgrestest.Exec(b, server, bootstrap.Superuser, t.template, "create extension pgtap schema extensions")
	postgrestest.Exec(b, server, "postgres", t.template, task.Schema)
	postgrestest.Exec(b, server, "postgres", t.template, task.Seed)
	var asserts []string
	for i := range task.Tests {
		for _, o := range grade.Run.Observations {
			if o.Test == task.Tests[i].ID && o.Path == probes.RLSPathSQL {
				asserts = append(asserts, assertions(&task.Tests[i], &o)...)
			}
		}
	}
	plan := 0
	for _, line := range asserts {
		if strings.HasPrefix(line, "select extensions.") {
			plan++
		}
	}
	text := fmt.Sprintf("begin;\nselect extensions.plan(%d);\n%s\nrollback;\n", plan, strings.Join(asserts, "\n"))
	require.NoError(b, os.WriteFile(t.script, []byte(text), 0o600))
	return t
}

// prove runs the script on a copy with the solution.
func (t *tap) prove(b *testing.B, prove, solution string) {
	b.Helper()
	const database = "pgtap_run"
	admin, err := pgx.Connect(b.Context(), t.server.URL(bootstrap.Superuser, "postgres"))
	require.NoError(b, err)
	defer admin.Close(context.Background())
	_, err = admin.Exec(b.Context(), "create database "+database+" template "+pgx.Identifier{t.template}.Sanitize()+" strategy file_copy owner postgres")
	require.NoError(b, err)
	postgrestest.Exec(b, t.server, "postgres", database, solution)
	out, err := exec.CommandContext(b.Context(), prove, "-h", t.server.SocketDir(), "-p", strconv.Itoa(t.server.Port()),
		"-U", "postgres", "-d", database, t.script).CombinedOutput()
	require.NoError(b, err, string(out))
	_, err = admin.Exec(b.Context(), "drop database "+database+" with (force)")
	require.NoError(b, err)
}

// assertions are a test as pgTAP says it. What is expected is what the reference gave,
// which is what the task expects.
func assertions(test *tasks.Test, o *probes.RLSObservation) []string {
	claims, _ := json.Marshal(test.As.TokenClaims(tasks.ClaimsToken)) // plain data
	query := strings.TrimRight(strings.TrimSpace(test.Query), ";")
	lines := []string{
		"savepoint test;",
		fmt.Sprintf("select set_config('role', '%s', true), set_config('request.jwt.claims', $c$%s$c$, true);", test.As.Role, claims),
	}
	writes := fmt.Sprintf("with w as (%s returning 1) select 1 from w", query)
	switch {
	case o.Failed != nil:
		lines = append(lines, fmt.Sprintf("select extensions.throws_ok($q$%s$q$, '%s', null, $n$%s$n$);", query, o.Failed.SQLState, test.Name))
	case o.Result != nil && len(o.Result.Rows) > 0:
		lines = append(lines, fmt.Sprintf("select extensions.bag_eq($q$select q::text from (%s) q$q$, $v$values %s$v$, $n$%s$n$);",
			query, rowTexts(o.Result.Rows), test.Name))
	case o.Result != nil:
		lines = append(lines, fmt.Sprintf("select extensions.is_empty($q$%s$q$, $n$%s$n$);", query, test.Name))
	case o.Affected == 0:
		lines = append(lines, fmt.Sprintf("select extensions.is_empty($q$%s$q$, $n$%s$n$);", writes, test.Name))
	default:
		lines = append(lines, fmt.Sprintf("select extensions.bag_eq($q$%s$q$, $v$select 1 from generate_series(1, %d)$v$, $n$%s$n$);", writes, o.Affected, test.Name))
	}
	if o.After != nil {
		lines = append(lines, "select set_config('role', 'postgres', true);",
			fmt.Sprintf("select extensions.bag_eq($q$select to_jsonb(q) from (%s) q$q$, $v$values %s$v$, 'afterwards');",
				strings.TrimRight(strings.TrimSpace(test.After.Query), ";"), objects(&o.After.Table)))
	}
	return append(lines, "rollback to test;")
}

// rowTexts are rows as texts of composite values.
func rowTexts(rows [][]any) string {
	var out []string
	for _, row := range rows {
		var values []string
		for _, v := range row {
			if v == nil {
				values = append(values, "null")
				continue
			}
			values = append(values, fmt.Sprintf("$t$%s$t$::text", v))
		}
		out = append(out, "(row("+strings.Join(values, ", ")+")::text)")
	}
	return strings.Join(out, ", ")
}

// objects are rows as JSON.
func objects(table *probes.RLSTable) string {
	var out []string
	for _, row := range table.Rows {
		object := map[string]any{}
		for i, v := range row {
			object[table.Columns[i].Name] = v
		}
		raw, _ := json.Marshal(object) // plain data
		out = append(out, fmt.Sprintf("($j$%s$j$::jsonb)", raw))
	}
	return strings.Join(out, ", ")
}
