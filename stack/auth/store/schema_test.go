package store_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

//go:embed testdata/catalog.sql
var catalogQuery string

// catalogGolden is what catalogQuery answers in a database that the migrations of Supabase Auth
// 2.196 have made.
//
//go:embed testdata/catalog.golden
var catalogGolden string

func TestTheSchemaAuthIsThatOfAMigratedProject(t *testing.T) {
	t.Parallel()
	conn := connect(t, "supabase_admin", postgrestest.Database(t, postgrestest.Shared(t)))
	_, err := conn.Exec(t.Context(), "set search_path = pg_catalog")
	require.NoError(t, err)
	rows, err := conn.Query(t.Context(), catalogQuery)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	assert.Equal(t, strings.Split(strings.TrimSpace(catalogGolden), "\n"), lines)
}

func TestTheSchemaAuthIsOpenToPostgresAndClosedToTheAPIRoles(t *testing.T) {
	t.Parallel()
	conn := connect(t, "supabase_admin", postgrestest.Database(t, postgrestest.Shared(t)))
	for role, may := range map[string]bool{"postgres": true, "anon": false, "authenticated": false, "service_role": false} {
		var reads, writes, uses bool
		err := conn.QueryRow(t.Context(), `select has_table_privilege($1, 'auth.users', 'select'),
			has_table_privilege($1, 'auth.sessions', 'insert, update, delete'), has_schema_privilege($1, 'auth', 'usage')`,
			role).Scan(&reads, &writes, &uses)
		require.NoError(t, err)
		assert.Equal(t, may, reads, "%s reads auth.users", role)
		assert.Equal(t, may, writes, "%s writes auth.sessions", role)
		assert.True(t, uses, "%s uses the schema", role)
	}
}

func TestARealServerFindsNothingToMigrate(t *testing.T) {
	t.Parallel()
	conn := connect(t, "supabase_auth_admin", postgrestest.Database(t, postgrestest.Shared(t)))
	var versions int
	var last string
	err := conn.QueryRow(t.Context(), `select count(*), max(version) from auth.schema_migrations`).Scan(&versions, &last)
	require.NoError(t, err)
	assert.Equal(t, 70, versions)
	assert.Equal(t, "20260625000000", last)
}

// connect opens a connection that the test's end closes.
func connect(t *testing.T, role, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), postgrestest.Shared(t).URL(role, database))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}
