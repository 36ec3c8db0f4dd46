package postgrestest_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func TestADatabaseSeesNothingOfAnother(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Shared(t)
	one, other := postgrestest.Database(t, srv), postgrestest.Database(t, srv)
	postgrestest.Exec(t, srv, "postgres", one, "create table public.notes (id int)")

	conn, err := pgx.Connect(t.Context(), srv.URL("postgres", other))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	var there bool
	require.NoError(t, conn.QueryRow(t.Context(), "select to_regclass('public.notes') is not null").Scan(&there))
	assert.False(t, there)
}
