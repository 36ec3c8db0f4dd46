package extension_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/standin/extension"
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

func TestAnInstallationWithoutTheExtensionIsTold(t *testing.T) {
	t.Parallel()
	lacking := extension.Extension{Name: "no_such", Debian: "postgresql-%d-no-such", Formula: "nosuch", Source: "https://example.org"}
	_, err := extension.Ensure(t.Context(), connect(t), lacking)
	var missing *extension.MissingError
	require.ErrorAs(t, err, &missing)
	assert.GreaterOrEqual(t, missing.Major, 15)

	e := &extension.MissingError{Extension: lacking, Major: 15}
	assert.EqualError(t, e, "this PostgreSQL 15 installation has no extension no_such")
	assert.Equal(t, "install it: Debian and Ubuntu have it as postgresql-15-no-such, Homebrew as nosuch; source: https://example.org\n"+
		"the stack has to run on the installation with it: SUPASCORE_POSTGRES_BIN names its bin folder", e.Hint())
}

func TestThePackagesAreNamed(t *testing.T) {
	t.Parallel()
	for e, wants := range map[extension.Extension][]string{
		extension.PgTAP():        {"postgresql-17-pgtap", "Homebrew as pgtap"},
		extension.PLpgSQLCheck(): {"postgresql-17-plpgsql-check"},
	} {
		for _, want := range wants {
			assert.Contains(t, (&extension.MissingError{Extension: e, Major: 17}).Hint(), want)
		}
	}
}

// citext comes with PostgreSQL itself and may be made by everybody.
func TestAnExtensionIsMadeOnce(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	for i, want := range []bool{true, false} {
		made, err := extension.Ensure(t.Context(), conn, extension.Extension{Name: "citext"})
		require.NoError(t, err)
		assert.Equal(t, want, made, "time %d", i+1)
	}
	var schema string
	require.NoError(t, conn.QueryRow(t.Context(), "select extnamespace::regnamespace::text from pg_extension where extname = 'citext'").Scan(&schema))
	assert.Equal(t, "extensions", schema)
}

func TestAnExtensionOfSuperusersIsAnotherError(t *testing.T) {
	t.Parallel()
	_, err := extension.Ensure(t.Context(), connect(t), extension.Extension{Name: "dblink"})
	assert.ErrorContains(t, err, "create extension dblink: ERROR: permission denied")
}
