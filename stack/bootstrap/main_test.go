package bootstrap_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// connect opens a session of a role on the shared server.
func connect(t *testing.T, role, database string) *pgx.Conn {
	t.Helper()
	return connectTo(t, postgrestest.Shared(t), role, database)
}

func connectTo(t *testing.T, srv *postgres.Server, role, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), srv.URL(role, database))
	require.NoError(t, err)
	// The test's context has ended by then; closing needs none.
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// run executes any number of statements and returns the SQLSTATE and message
// of the first failure, empty when there was none.
func run(t *testing.T, conn *pgx.Conn, sql string) (state, message string) {
	t.Helper()
	_, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err == nil {
		return "", ""
	}
	var pgErr *pgconn.PgError
	require.True(t, errors.As(err, &pgErr), "not a server's error: %s", err)
	return pgErr.Code, pgErr.Message
}

// value is the one value that a query gives, as text; null is "<null>".
func value(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	var got *string
	require.NoError(t, conn.QueryRow(t.Context(), query, pgx.QueryExecModeSimpleProtocol).Scan(&got), query)
	if got == nil {
		return "<null>"
	}
	return *got
}

// expired is a context that lets through only what has already arrived.
func expired(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
