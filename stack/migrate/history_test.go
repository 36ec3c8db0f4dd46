package migrate_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/migrate"
)

func applied(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	versions, err := migrate.History(t.Context(), conn)
	require.NoError(t, err)
	return versions
}

func TestADatabaseWithoutAHistoryHasNoMigrations(t *testing.T) {
	t.Parallel()
	assert.Empty(t, applied(t, connect(t)))
}

func TestTheHistoryIsReadInTheOrderOfTheText(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	require.Nil(t, apply(t, conn, plan(migration("10_b.sql", "select 1"), migration("9_a.sql", "select 1"), migration("20240101000000_c.sql", ""))))
	assert.Equal(t, []string{"10", "20240101000000", "9"}, applied(t, conn))
}

func TestAHistoryThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	_, err := conn.Exec(t.Context(), `create schema supabase_migrations; create table supabase_migrations.schema_migrations (id int)`)
	require.NoError(t, err)
	_, err = migrate.History(t.Context(), conn)
	assert.ErrorContains(t, err, `column "version" does not exist`)
}

func TestRecordingAMigrationRunsNothing(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	m := migration("1_a.sql", "create table public.never (); select ';';")
	require.NoError(t, migrate.Record(t.Context(), conn, plan(m).Migrations, false))
	assert.Equal(t, []string{"1"}, applied(t, conn))

	var name string
	var statements []string
	var there bool
	row := conn.QueryRow(t.Context(), "select name, statements, to_regclass('public.never') is not null from supabase_migrations.schema_migrations")
	require.NoError(t, row.Scan(&name, &statements, &there))
	assert.Equal(t, "a", name)
	assert.Equal(t, []string{"create table public.never ()", "select ';'"}, statements)
	assert.False(t, there)
}

func TestRecordingKeepsOrReplacesTheRestOfTheHistory(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	require.Nil(t, apply(t, conn, plan(migration("1_a.sql", "select 1"), migration("2_b.sql", "select 2"))))
	again := migration("2_renamed.sql", "select 22")
	require.NoError(t, migrate.Record(t.Context(), conn, plan(again).Migrations, false))
	assert.Equal(t, []string{"1", "2"}, applied(t, conn))

	var name string
	require.NoError(t, conn.QueryRow(t.Context(), "select name from supabase_migrations.schema_migrations where version = '2'").Scan(&name))
	assert.Equal(t, "renamed", name)

	require.NoError(t, migrate.Record(t.Context(), conn, plan(again).Migrations, true))
	assert.Equal(t, []string{"2"}, applied(t, conn))
}

func TestForgettingTakesOutTheNamedVersionsOrAll(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	require.Nil(t, apply(t, conn, plan(migration("1_a.sql", "create table public.kept ()"), migration("2_b.sql", ""), migration("3_c.sql", ""))))
	require.NoError(t, migrate.Forget(t.Context(), conn, []string{"1", "77"}))
	assert.Equal(t, []string{"2", "3"}, applied(t, conn))
	require.NoError(t, migrate.Forget(t.Context(), conn, nil))
	assert.Empty(t, applied(t, conn))

	var there bool
	require.NoError(t, conn.QueryRow(t.Context(), "select to_regclass('public.kept') is not null").Scan(&there))
	assert.True(t, there, "what a migration did stays")
}
