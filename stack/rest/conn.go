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

// newPool makes a pool of connections of the login role. Connections are made when they are needed.
func newPool(ctx context.Context, c *Config) (*pgxpool.Pool, error) {
	pc, err := pgxpool.ParseConfig(c.DatabaseURI)
	if err != nil {
		return nil, fmt.Errorf("rest: database connection: %w", err)
	}
	pc.MaxConns = int32(c.PoolSize)
	pc.MaxConnIdleTime, pc.MaxConnLifetime = c.PoolIdle, c.PoolLifetime
	pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	// A generic plan would be made for one role and value and used for others; plans are made for each execution.
	pc.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_custom_plan"
	pc.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	if _, ok := pc.ConnConfig.RuntimeParams["application_name"]; !ok {
		pc.ConnConfig.RuntimeParams["application_name"] = "supascore-rest"
	}
	pc.ConnConfig.BuildContextWatcherHandler = cancelQueries
	pc.ConnConfig.BuildFrontend = dberror.BuildFrontend // tells an empty DETAIL from none
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("rest: database connection: %w", err)
	}
	return pool, nil
}

// cancelQueries makes PostgreSQL stop a query whose client has gone. The connection is only given up when that fails.
func cancelQueries(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 5 * time.Second}
}
