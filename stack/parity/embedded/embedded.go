// Package embedded lets recordings be replayed against the engines of this module:
// it owns one cluster in the setting in which the recordings were made, and gives
// every scenario a database and a server of its own on it. It compares nothing.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/postgres"
)

// Engine is a cluster on which scenarios get databases.
type Engine struct{ server *postgres.Server }

// Start starts a cluster whose API roles have no time limits, as when the
// recordings were made. Scripts of the configuration are overwritten.
func Start(ctx context.Context, cfg postgres.Config) (*Engine, error) {
	scripts, err := bootstrap.Scripts(bootstrap.Options{NoRoleTimeouts: true})
	if err != nil {
		return nil, err
	}
	cfg.Scripts = scripts
	server, err := postgres.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	e := &Engine{server}
	if err := e.makeRecorder(ctx); err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// recorder is the superuser of the recordings' SQL. It is not supabase_admin: what
// that role makes is granted to the API roles, and what the recordings' superuser
// made was not.
const recorder = "recorder"

func (e *Engine) makeRecorder(ctx context.Context) error {
	d := &database{postgres: e.server}
	if err := d.exec(ctx, bootstrap.Superuser, "postgres", "create role "+recorder+" superuser login"); err != nil {
		return fmt.Errorf("make the recordings' superuser: %w", err)
	}
	return nil
}

// Stop ends the cluster. It is idempotent.
func (e *Engine) Stop(ctx context.Context) error { return e.server.Stop(ctx) }

// database is one scenario's database, and the server on it.
type database struct {
	postgres *postgres.Server
	name     string
	http     *gateway.Server
}

// open makes a fresh database whose new tables the API roles may use.
func (e *Engine) open(ctx context.Context) (*database, error) {
	d := &database{postgres: e.server, name: "replay_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:16]}
	if err := e.server.CreateDatabase(ctx, d.name); err != nil {
		return nil, err
	}
	if err := d.exec(ctx, bootstrap.Superuser, d.name, bootstrap.ExposeNewTables(true)); err != nil {
		return nil, errors.Join(err, e.server.DropDatabase(ctx, d.name))
	}
	return d, nil
}

// Connect opens a connection to the scenario's database. The caller closes it.
func (d *database) Connect(ctx context.Context, role string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, d.postgres.URL(role, d.name))
}

func (d *database) exec(ctx context.Context, role, database, sql string) error {
	conn, err := pgx.Connect(ctx, d.postgres.URL(role, database))
	if err != nil {
		return fmt.Errorf("connect as %s: %w", role, err)
	}
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// listen serves an engine on an address of its own and returns that.
func (d *database) listen(ctx context.Context, engine http.Handler) (string, error) {
	server, err := gateway.Listen(ctx, 0, engine, nil)
	if err != nil {
		return "", err
	}
	d.http = server
	return server.URL(), nil
}

func (d *database) closeHTTP(ctx context.Context) error {
	if d.http == nil {
		return nil
	}
	server := d.http
	d.http = nil
	return server.Stop(ctx)
}
