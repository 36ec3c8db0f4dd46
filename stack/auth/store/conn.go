package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotFound is what the finders of this package return for a row that does not exist, or that is
// locked where they say so.
var ErrNotFound = errors.New("not found")

// Config says how the database is reached.
type Config struct {
	// URL is a postgres:// URL of the role supabase_auth_admin.
	URL string
	// MaxConns bounds the connections, default 16. A request never holds more than one.
	MaxConns int32
	// Now gives the time in rows, default time.Now. Times are stored with microseconds.
	Now func() time.Time
	// Rand makes identifiers and tokens. It must be set.
	Rand io.Reader
}

// Store is the database of one Auth server. Its own methods run outside a transaction and are
// repeated when they meet a connection that has died; Tx opens a transaction.
type Store struct{ *Conn }

// Conn runs statements, in a transaction or not.
type Conn struct {
	db     querier
	tx     pgx.Tx        // nil outside a transaction
	pool   *pgxpool.Pool // nil in a transaction
	random io.Reader
	clock  func() time.Time
}

// querier is what a pool and a transaction have in common.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// Open connects. It fails when the database cannot be reached or has no migrated schema auth.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.MaxConns == 0 {
		cfg.MaxConns = 16
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	settings, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("the database URL of Auth: %w", err)
	}
	settings.MaxConns = cfg.MaxConns
	settings.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		// Times leave the API in UTC, whatever zone this machine is in.
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("open the database of Auth: %w", err)
	}
	s := &Store{&Conn{db: pool, pool: pool, random: cfg.Rand, clock: cfg.Now}}
	if err := s.exec(ctx, `select id from auth.users limit 0`); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database of Auth: %w", err)
	}
	return s, nil
}

// Close waits for running statements and closes all connections.
func (s *Store) Close() { s.pool.Close() }

// Begin opens a transaction that is not one of Tx, for hooks that are called outside of any.
func (s *Store) Begin(ctx context.Context) (pgx.Tx, error) {
	var tx pgx.Tx
	err := retry(s.pool, func() (err error) {
		tx, err = s.pool.Begin(ctx)
		return err
	})
	return tx, err
}

// CommitError makes Tx commit although its function fails, and is then what Tx returns. Its text is
// the error's. A reused refresh token is answered with an error, but its revocations must stay.
type CommitError struct{ Err error }

// Error returns the text of the wrapped error.
func (e *CommitError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *CommitError) Unwrap() error { return e.Err }

// Tx runs fn in a transaction and commits, unless fn returns an error that is no *CommitError. The
// connection passed to fn is only valid until fn returns. fn must not use the Store meanwhile:
// holding one connection while waiting for a second one can starve the pool.
func (s *Store) Tx(ctx context.Context, fn func(*Conn) error) error {
	tx, err := s.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	// After a commit this does nothing. The request may be over, its transaction must end anyhow.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	fnErr := fn(&Conn{db: tx, tx: tx, random: s.random, clock: s.clock})
	var commit *CommitError
	if fnErr != nil && !errors.As(fnErr, &commit) {
		return fnErr
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit a transaction: %w", err)
	}
	return fnErr
}

// PGX is the transaction, nil outside one. Hooks run on it.
func (c *Conn) PGX() pgx.Tx { return c.tx }

// now is the time to store. PostgreSQL keeps microseconds; what is sent must be what is read back.
func (c *Conn) now() time.Time { return c.clock().UTC().Truncate(time.Microsecond) }

// newID is a random UUID. It panics when the source of randomness fails, as uuid.New does.
func (c *Conn) newID() uuid.UUID { return uuid.Must(uuid.NewRandomFromReader(c.random)) }

// exec runs a statement without a result.
func (c *Conn) exec(ctx context.Context, sql string, args ...any) error {
	return c.run(func() error {
		_, err := c.db.Exec(ctx, sql, args...)
		return err
	})
}

// run repeats f on a fresh connection when there is no transaction that would be lost by it.
func (c *Conn) run(f func() error) error {
	if c.tx != nil {
		return f()
	}
	return retry(c.pool, f)
}

// one is the first row of a query, or ErrNotFound.
func one[T any](ctx context.Context, c *Conn, sql string, args ...any) (*T, error) {
	var out *T
	err := c.run(func() error {
		rows, err := c.db.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectOneRow(rows, pgx.RowToAddrOfStructByName[T])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	return out, err
}

// many are all rows of a query, an empty slice when there are none.
func many[T any](ctx context.Context, c *Conn, sql string, args ...any) ([]T, error) {
	var out []T
	err := c.run(func() error {
		rows, err := c.db.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return err
	})
	return out, err
}

// attempts is how often a statement is tried when it meets dead connections.
const attempts = 3

// retry repeats f while its error says that the connection had died before f. After the first such
// error the pool drops its idle connections: after a restart of PostgreSQL all of them are dead.
func retry(pool *pgxpool.Pool, f func() error) error {
	var err error
	for range attempts {
		if err = f(); err == nil || !lost(err) {
			return err
		}
		pool.Reset()
	}
	return err
}

// lost tells whether an error is a connection that ended before the statement had an effect: never
// sent, or answered with the notice of an administrator's termination (57P01 to 57P05).
func lost(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "57P01", "57P02", "57P03", "57P05":
			return true
		}
		return false
	}
	return pgconn.SafeToRetry(err)
}
