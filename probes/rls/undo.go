package rls

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// rollbackLimit bounds the end of a test's transaction.
const rollbackLimit = 2 * time.Second

// beginning is the statement that a test begins with.
func (r *runner) beginning() string {
	if r.Target.Savepoint != "" {
		return r.ending()
	}
	return "begin isolation level read committed read write"
}

// ending is the statement that takes back what a test did.
func (r *runner) ending() string {
	if r.Target.Savepoint == "" {
		return "rollback"
	}
	return "rollback to savepoint " + pgx.Identifier{r.Target.Savepoint}.Sanitize()
}

// rollback takes back what a test did, whatever that was. Behind a savepoint it is the
// next test that goes back, as each does.
func (r *runner) rollback(conn *pgconn.PgConn) error {
	if r.Target.Savepoint != "" {
		return nil
	}
	return rollback(conn)
}

// rollback ends a session's transaction whatever happened in it. A session that cannot
// is closed.
func rollback(conn *pgconn.PgConn) error {
	if conn.IsClosed() || conn.TxStatus() == 'I' {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
	defer cancel()
	_, err := conn.Exec(ctx, "rollback").ReadAll()
	if err != nil {
		_ = conn.Close(ctx) // gone one way or the other
	}
	return err
}
