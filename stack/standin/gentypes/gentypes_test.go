package gentypes_test

import (
	"context"
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
	"github.com/supascore/supascore/stack/standin/gentypes"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	server := postgrestest.Shared(t)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", postgrestest.Database(t, server)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the database goes too
	return conn
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// withSchema is a connection to a database with the schema of the recordings.
func withSchema(t *testing.T) *pgx.Conn {
	t.Helper()
	conn := connect(t)
	_, err := conn.Exec(t.Context(), read(t, "schema.sql"))
	require.NoError(t, err)
	return conn
}

// recorded is the part of a module that was recorded.
func recorded(module string) string {
	first, _, _ := strings.Cut(module, "type Schemas = ")
	_, last, _ := strings.Cut(module, "export const Constants")
	return first + "// The names that come here are the CLI's own text, and not recorded.\n\nexport const Constants" + last
}

func TestTheTypesAreThoseOfTheCLI(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	for name, schemas := range map[string][]string{
		"public.ts": {"public", "graphql_public"}, "both.ts": {"public", "other"}, "other.ts": {"other", "nowhere"},
	} {
		module, err := gentypes.TypeScript(t.Context(), conn, schemas)
		require.NoError(t, err)
		assert.Equal(t, read(t, name), recorded(module), name)
	}
}

// generate makes the types of schema public after some SQL.
func generate(t *testing.T, sql string) string {
	t.Helper()
	conn := connect(t)
	_, err := conn.Exec(t.Context(), sql)
	require.NoError(t, err)
	module, err := gentypes.TypeScript(t.Context(), conn, []string{"public"})
	require.NoError(t, err)
	return module
}

// Where the CLI's types are wrong, they are not followed.
func TestTheTypesAreRightWhereTheCLIErrs(t *testing.T) {
	t.Parallel()
	module := generate(t, `
		create schema aside;
		create type public.state as enum ('new', 'old');
		create type aside.state as enum ('solid', 'gas');
		create table public.t (ours public.state not null, theirs aside.state not null);
		create function public.between(a int, b int default 1, out c int, d int default 2) returns int language sql as 'select 1';
		create function public.one_text() returns setof text rows 1 language sql as 'select null';`)
	for claim, want := range map[string]string{
		"an enum is that of its schema, not one of the same name":   "          ours: Database[\"public\"][\"Enums\"][\"state\"]\n          theirs: \"solid\" | \"gas\"\n",
		"an OUT argument between others does not take a default":    "between: { Args: { a: number; b?: number; d?: number }; Returns: number }",
		"a set of one value is a list, as clients are told nothing": "one_text: { Args: never; Returns: string[] }",
	} {
		assert.Contains(t, module, want, claim)
	}
}

func TestAnEmptySchemaHasNothing(t *testing.T) {
	t.Parallel()
	assert.Contains(t, generate(t, "select"), `export type Database = {
  public: {
    Tables: {
      [_ in never]: never
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      [_ in never]: never
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}
`)
}

// What a role may not see at all is left out. postgres may read everything.
func TestRelationsOfOthersAreLeftOut(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	_, err := conn.Exec(t.Context(), `
		create table public.hidden (a int);
		create table public.half (seen int, unseen int);
		revoke all on public.hidden, public.half from anon;
		grant select (seen) on public.half to anon;
		set role anon`)
	require.NoError(t, err)
	module, err := gentypes.TypeScript(t.Context(), conn, []string{"public"})
	require.NoError(t, err)
	assert.NotContains(t, module, "hidden")
	assert.Contains(t, module, "half: {\n        Row: {\n          seen: number | null\n        }\n")
}

// Names are data: none of them ends a string or begins a comment.
func TestNamesOfAllKindsStayNames(t *testing.T) {
	t.Parallel()
	module := generate(t, `create table public."a'b""c */ \`+"`"+`${x}" ("new
line" int not null, "\u0022" text); create type public.e as enum ('*/ "; export const x = 1 //');`)
	assert.Contains(t, module, `      "a'b\"c */ \\`+"`"+`${x}": {`)
	assert.Contains(t, module, `"new\nline": number`)
	assert.Contains(t, module, `"\\u0022": string | null`)
	assert.Contains(t, module, `      e: '*/ "; export const x = 1 //'`)
}

// The compiler checks what testdata/compile/use.ts claims about the types, by themselves and in the hands of supabase-js.
func TestProgramsCompileWithTheTypes(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not there, so nothing is compiled: %v", program, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "compile")
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/compile")))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install the compiler: %v\n%s", err, out)
	}
	module, err := gentypes.TypeScript(ctx, withSchema(t), []string{"public", "other"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "types.ts"), []byte(module), 0o600))
	tsc := exec.CommandContext(ctx, "node", "node_modules/typescript/bin/tsc", "--project", ".")
	tsc.Dir = dir
	out, err := tsc.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}
