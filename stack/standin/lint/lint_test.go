package lint_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/standin/extension"
	"github.com/supascore/supascore/stack/standin/lint"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// connect gives a fresh database with functions good and bad, and a superuser's connection to it. It skips the test where the
// installation lacks the extension.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	server := postgrestest.Shared(t)
	name := postgrestest.Database(t, server)
	owner, err := pgx.Connect(t.Context(), server.URL("postgres", name))
	require.NoError(t, err)
	defer owner.Close(context.Background())
	_, err = owner.Exec(t.Context(), `
		create table public.pets (id int);
		create function public.good() returns int language plpgsql as 'begin return (select count(*) from pets); end';
		create function public.gone() returns int language plpgsql as $$
		begin
		  return (select count(*) from petz);
		end $$;
		create function public.unused() returns int language plpgsql as 'declare never int; begin return 1; end';
		create function public.on_pets() returns trigger language plpgsql as 'begin perform nope(); return new; end';
		create function public.plain() returns int language sql as 'select 1';
		create schema aside;
		create function aside.broken() returns void language plpgsql as 'begin perform nowhere(); end'`)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), server.URL("supabase_admin", name))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the database goes too
	if err := extension.Check(t.Context(), conn, extension.PLpgSQLCheck()); err != nil {
		t.Skip(err)
	}
	return conn
}

func TestFunctionsThatCannotRunAreFound(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	var seen []string
	found, err := lint.Check(t.Context(), conn, lint.Options{Role: "postgres", OnSchema: func(s string) { seen = append(seen, s) }})
	require.NoError(t, err)
	assert.Equal(t, []string{"aside", "public"}, seen)

	errors := lint.AtLeast(found, lint.Error)
	require.Len(t, errors, 2)
	assert.Equal(t, "aside.broken", errors[0].Function)
	assert.Equal(t, lint.Finding{Function: "public.gone", Issues: []lint.Issue{{
		Level: "error", Message: `relation "petz" does not exist`, SQLState: "42P01",
		Statement: &lint.Statement{LineNumber: "3", Text: "RETURN"},
		Query:     &lint.Query{Position: "23", Text: "(select count(*) from petz)"},
	}}}, errors[1])

	all := lint.AtLeast(found, lint.Warning)
	require.Len(t, all, 3)
	assert.Equal(t, "public.unused", all[2].Function)
	assert.Equal(t, "warning", all[2].Issues[0].Level)
	assert.Equal(t, `unused variable "never"`, all[2].Issues[0].Message)
}

func TestSchemasCanBeChosen(t *testing.T) {
	t.Parallel()
	found, err := lint.Check(t.Context(), connect(t), lint.Options{Schemas: []string{"aside", "nowhere"}})
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "aside.broken", found[0].Function)
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	_, err := lint.Check(t.Context(), conn, lint.Options{Role: "postgres"})
	require.NoError(t, err)
	var there bool
	var path string
	require.NoError(t, conn.QueryRow(t.Context(), `select exists (select from pg_extension where extname = 'plpgsql_check'), current_setting('search_path')`).Scan(&there, &path))
	assert.False(t, there)
	assert.Equal(t, `"$user", public, auth, extensions`, path)

	_, err = conn.Exec(t.Context(), "create extension plpgsql_check with schema public")
	require.NoError(t, err)
	found, err := lint.Check(t.Context(), conn, lint.Options{Schemas: []string{"aside"}})
	require.NoError(t, err)
	assert.Len(t, found, 1, "where the extension is makes no difference")
}

func TestLevelsAreOrdered(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]lint.Level{"error": lint.Error, "warning": lint.Warning, "warning extra": lint.Warning, "performance": -1, "": -1} {
		assert.Equal(t, want, lint.LevelOf(text), text)
	}
	findings := []lint.Finding{
		{Function: "a", Issues: []lint.Issue{{Level: "warning extra"}, {Level: "error"}, {Level: "performance"}}},
		{Function: "b", Issues: []lint.Issue{{Level: "performance"}}},
	}
	assert.Equal(t, []lint.Finding{{Function: "a", Issues: []lint.Issue{{Level: "error"}}}}, lint.AtLeast(findings, lint.Error))
	assert.Equal(t, []lint.Finding{{Function: "a", Issues: []lint.Issue{{Level: "warning extra"}, {Level: "error"}}}}, lint.AtLeast(findings, lint.Warning))
	assert.Len(t, findings[0].Issues, 3, "what is given stays")
}
