// Package ground owns what recordings are replayed on: one cluster in the setting in
// which they were made, and a fresh database on it for every scenario. It knows no
// engine and compares nothing.
package ground

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
)

// Cluster is a cluster on which scenarios get databases.
type Cluster struct{ server *postgres.Server }

// Recorder is the superuser of the recordings' SQL. It is not supabase_admin: what
// that role makes is granted to the API roles, and what the recordings' superuser
// made was not.
const Recorder = "recorder"

// Start starts a cluster whose API roles have no time limits, as when the
// recordings were made. Scripts of the configuration are overwritten.
func Start(ctx context.Context, cfg postgres.Config) (*Cluster, error) {
	scripts, err := bootstrap.Scripts(bootstrap.Options{NoRoleTimeouts: true})
	if err != nil {
		return nil, err
	}
	cfg.Scripts = scripts
	server, err := postgres.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	c := &Cluster{server}
	if err := c.makeRecorder(ctx); err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *Cluster) makeRecorder(ctx context.Context) error {
	err := c.main().Exec(ctx, bootstrap.Superuser, "create role "+Recorder+" superuser login")
	if err != nil {
		return fmt.Errorf("make the recordings' superuser: %w", err)
	}
	return nil
}

// main is the cluster's own database.
func (c *Cluster) main() *Database { return &Database{c.server, "postgres"} }

// Stop ends the cluster. It is idempotent.
func (c *Cluster) Stop(ctx context.Context) error { return c.server.Stop(ctx) }

// Cleanup runs SQL as a superuser in the cluster's own database.
func (c *Cluster) Cleanup(ctx context.Context, sql string) error {
	return c.main().Exec(ctx, Recorder, sql)
}

// Database is one scenario's database.
type Database struct {
	server *postgres.Server
	name   string
}

// Open makes a fresh database whose new tables the API roles may use.
func (c *Cluster) Open(ctx context.Context) (*Database, error) {
	d := &Database{c.server, "replay_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:16]}
	if err := c.server.CreateDatabase(ctx, d.name); err != nil {
		return nil, err
	}
	if err := d.Exec(ctx, bootstrap.Superuser, bootstrap.ExposeNewTables(true)); err != nil {
		return nil, errors.Join(err, d.Drop(ctx))
	}
	return d, nil
}

// Drop drops the database. Nobody may be connected to it.
func (d *Database) Drop(ctx context.Context) error { return d.server.DropDatabase(ctx, d.name) }

// URL is a connection string for a role.
func (d *Database) URL(role string) string { return d.server.URL(role, d.name) }

// Connect opens a connection as a role. The caller closes it.
func (d *Database) Connect(ctx context.Context, role string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, d.URL(role))
	if err != nil {
		return nil, fmt.Errorf("connect as %s: %w", role, err)
	}
	return conn, nil
}

// Exec runs a script as a role.
func (d *Database) Exec(ctx context.Context, role, sql string) error {
	conn, err := d.Connect(ctx, role)
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}
