package rest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/supascore/supascore/stack/rest/dberror"
)

// connections is where the connections of requests come from.
type connections interface {
	// lend returns a connection for one request and what gives it back.
	lend(ctx context.Context) (*pgx.Conn, func(), error)
	// reset replaces connections that know the schema as it was.
	reset()
	close()
}

// pool is connections of the server's own.
type pool struct{ *pgxpool.Pool }

func (p pool) lend(ctx context.Context) (*pgx.Conn, func(), error) {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	return conn.Conn(), conn.Release, nil
}

func (p pool) reset() { p.Reset() }
func (p pool) close() { p.Close() }

// session is the one connection of Config.Session, which stays its owner's.
type session func(ctx context.Context) (*pgx.Conn, error)

func (s session) lend(ctx context.Context) (*pgx.Conn, func(), error) {
	conn, err := s(ctx)
	return conn, func() {}, err
}

func (session) reset() {}
func (session) close() {}

// newConnections makes a pool of connections of the login role, unless there is a session. Connections are made when
// they are needed.
func newConnections(ctx context.Context, c *Config) (connections, error) {
	if c.Session != nil {
		return session(c.Session), nil
	}
	pc, err := pgxpool.ParseConfig(c.DatabaseURI)
	if err != nil {
		return nil, fmt.Errorf("rest: database connection: %w", err)
	}
	pc.MaxConns = int32(c.PoolSize)
	pc.MaxConnIdleTime, pc.MaxConnLifetime = c.PoolIdle, c.PoolLifetime
	pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	// plan_cache_mode stays what the database says, as with PostgREST: a statement that comes often gets a generic plan.
	// PostgreSQL makes a new one when policies depend on the role and it is another one (utils/cache/plancache.c).
	pc.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	if _, ok := pc.ConnConfig.RuntimeParams["application_name"]; !ok {
		pc.ConnConfig.RuntimeParams["application_name"] = "supascore-rest"
	}
	pc.ConnConfig.BuildContextWatcherHandler = cancelQueries
	pc.ConnConfig.BuildFrontend = dberror.BuildFrontend // tells an empty DETAIL from none
	made, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("rest: database connection: %w", err)
	}
	return pool{made}, nil
}

// cancelQueries makes PostgreSQL stop a query whose client has gone. The connection is only given up when that fails.
func cancelQueries(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 5 * time.Second}
}
