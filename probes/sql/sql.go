// Package sql looks at a stack's database as its owner: it writes the rows that
// probes act on, counts what came of them, and reads the catalog for what explains
// an outcome. What Postgres refuses is an observation; only a broken connection is
// an error. Every name is quoted, every value is a parameter, and the session's
// search_path is pg_catalog, so that nothing a candidate defines can stand in for
// what a statement means.
package sql

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
)

// DB is a connection as the database's owner, made again when it breaks. It is
// safe for concurrent use; statements wait for each other.
type DB struct {
	config  *pgx.ConnConfig
	timeout time.Duration

	mu   sync.Mutex
	conn *pgx.Conn
}

// New returns a DB for a postgres:// URL. It does not connect yet. The timeout
// bounds every statement, and a connect.
func New(url string, timeout time.Duration) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The library's error may quote the URL, and with it the password.
		return nil, errors.New("the owner's database URL cannot be read")
	}
	config.ConnectTimeout = timeout
	config.RuntimeParams["application_name"] = "supascore probes"
	config.RuntimeParams["search_path"] = "pg_catalog"
	config.RuntimeParams["statement_timeout"] = strconv.FormatInt(timeout.Milliseconds(), 10)
	// A count that row level security filters would read as a deleted row. With
	// this, Postgres refuses to filter: it answers in full or with an error.
	config.RuntimeParams["row_security"] = "off"
	return &DB{config: config, timeout: timeout}, nil
}

// Close ends the connection.
func (d *DB) Close(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil {
		return nil
	}
	return d.conn.Close(ctx)
}

// Alive returns why the database does not answer; empty when it does.
func (d *DB) Alive(ctx context.Context) string {
	if _, err := query(ctx, d, pgx.RowTo[int], "select 1"); err != nil {
		return err.Error()
	}
	return ""
}

// refusal turns an error of a statement into Postgres' refusal, or returns the
// error when it is one of the connection: class 08 (connection), 57P (the server
// ends) and 53 (it has no resources) are no answers to a statement.
func refusal(err error) (*probes.SQLError, error) {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return nil, err
	}
	switch {
	case refused.Code[:2] == "08", refused.Code[:2] == "53", refused.Code[:3] == "57P":
		return nil, err
	}
	return &probes.SQLError{
		SQLState: refused.Code, Message: refused.Message, Detail: refused.Detail, Hint: refused.Hint,
	}, nil
}

// query runs a statement and returns its rows.
func query[T any](ctx context.Context, d *DB, scan pgx.RowToFunc[T], statement string, args ...any) (found []T, err error) {
	err = d.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, statement, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, scan)
		return err
	})
	return found, err
}

// rolledBack runs a statement, with the constraints that wait for the end of its
// transaction, and takes back what it did.
func rolledBack(ctx context.Context, d *DB, statement string, args ...any) error {
	return d.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, statement, args...)
		if err == nil {
			_, err = tx.Exec(ctx, "set constraints all immediate")
		}
		if undo := tx.Rollback(ctx); err == nil {
			err = undo
		}
		return err
	})
}

// do runs a function on the connection, which it makes when there is none.
func (d *DB) do(ctx context.Context, work func(context.Context, *pgx.Conn) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if d.conn == nil || d.conn.IsClosed() {
		conn, err := pgx.ConnectConfig(ctx, d.config.Copy())
		if err != nil {
			return fmt.Errorf("connect to the database as its owner: %w", withoutConfig(err))
		}
		d.conn = conn
	}
	return work(ctx, d.conn)
}

// withoutConfig drops the connection's parameters from a connect error's text.
func withoutConfig(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && connect.Unwrap() != nil {
		return connect.Unwrap()
	}
	return err
}
