package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/docker/go-units"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
)

// Timing is how long the parts of a clone's life took.
type Timing struct {
	// Template is making the template, 0 when the cluster had it.
	Template time.Duration
	// Copy is copying it.
	Copy time.Duration
	// Apply is connecting and running the candidate.
	Apply time.Duration
	// Check is looking for tampering.
	Check time.Duration
	// Serve is starting the Data API.
	Serve time.Duration
}

// Clone is one candidate's database. It is used by one goroutine at a time.
type Clone struct {
	// Timing grows as the clone is used.
	Timing Timing

	arena    *Arena
	cluster  *cluster
	template *template
	database string
	owner    *pgx.Conn
	user     *pgx.Conn
	api      *API
	start    Rows
	// altered says that the candidate changed objects, so that what is known of the
	// template does not hold.
	altered bool
	closed  bool
}

// Apply runs a candidate's SQL as the owner, and the seed after it when the setup
// says so. SQL that does not run is a *SQLError; after it the clone holds the setup
// alone, unless the candidate committed a part of it. The session that ran the
// candidate is cleaned and serves as the owner's.
func (c *Clone) Apply(ctx context.Context, name, sql string) error {
	began := time.Now()
	defer func() { c.Timing.Apply += time.Since(began) }()
	conn, err := c.ownerSession(ctx)
	if err != nil {
		return err
	}
	limits := c.cluster.config.Limits
	if err := runScript(ctx, conn, scriptRun{name: name, sql: sql, limit: limits.Apply, watch: c.grownTooLarge}); err != nil {
		return errors.Join(err, c.dropOwner(ctx))
	}
	// Temporary objects, settings, roles and locks of the candidate end here.
	if _, err := conn.Exec(ctx, "discard all", pgx.QueryExecModeSimpleProtocol); err != nil {
		if err := c.dropOwner(ctx); err != nil {
			return err
		}
	}
	if !c.template.setup.SeedAfter {
		return nil
	}
	if conn, err = c.ownerSession(ctx); err != nil {
		return err
	}
	return runScript(ctx, conn, scriptRun{name: "seed.sql", sql: c.template.setup.Seed, limit: limits.Apply})
}

// grownTooLarge says so when the candidate fills the disk. It has a session of its own
// each time, because being cancelled ends the session.
func (c *Clone) grownTooLarge(ctx context.Context) string {
	conn, err := pgx.Connect(ctx, c.cluster.server.URL(bootstrap.Superuser, "postgres"))
	if err != nil {
		return "" // the candidate's own session will show what is wrong
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var size int64
	if err := conn.QueryRow(ctx, "select pg_database_size($1::name)", c.database).Scan(&size); err != nil {
		return ""
	}
	if grown := size - c.template.size; grown > c.cluster.config.Limits.Growth {
		return fmt.Sprintf("makes the database grow by %s, more than %s are not allowed",
			units.BytesSize(float64(grown)), units.BytesSize(float64(c.cluster.config.Limits.Growth)))
	}
	return ""
}

// ownerSession is the session as the database's owner, made again when it broke.
func (c *Clone) ownerSession(ctx context.Context) (*pgx.Conn, error) {
	if c.owner == nil || c.owner.IsClosed() {
		conn, err := c.cluster.connect(ctx, "postgres", c.database)
		if err != nil {
			return nil, fmt.Errorf("arena: connect as the owner: %w", err)
		}
		c.owner = conn
	}
	return c.owner, nil
}

func (c *Clone) dropOwner(ctx context.Context) error {
	if c.owner == nil {
		return nil
	}
	owner := c.owner
	c.owner = nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = owner.Close(ctx) // gone one way or the other
	return nil
}

// Owner is the session as the database's owner, postgres.
func (c *Clone) Owner(ctx context.Context) (*pgx.Conn, error) { return c.ownerSession(ctx) }

// Session is the session of tests. From now on it can become the given role and no
// other. It is kept, and made again when it broke; whoever used it last must have left
// no transaction open. Schema supascore has what a session needs to see what the owner
// sees: look, owner_run and owner_rows.
func (c *Clone) Session(ctx context.Context, role string) (*pgx.Conn, error) {
	if c.cluster.member != role {
		if err := c.cluster.makeMember(ctx, role); err != nil {
			return nil, err
		}
	}
	if c.user != nil && !c.user.IsClosed() {
		return c.user, nil
	}
	conn, err := c.cluster.connect(ctx, userRole, c.database)
	if err != nil {
		return nil, fmt.Errorf("arena: connect for role %s: %w", role, err)
	}
	c.user = conn
	return conn, nil
}

// Limits are the limits in force.
func (c *Clone) Limits() Limits { return c.cluster.config.Limits }

// Version is the server's version, such as "15.18".
func (c *Clone) Version() string { return c.cluster.server.Version() }

// Close drops the database and gives the cluster back, or ends it when the candidate
// left something in it. It may be called again.
func (c *Clone) Close(ctx context.Context) error {
	if c.closed {
		return nil
	}
	c.closed = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	var errs []error
	if c.api != nil {
		errs = append(errs, c.api.stop(ctx))
	}
	if c.user != nil {
		_ = c.user.Close(ctx) // the database goes with everybody in it
	}
	_ = c.dropOwner(ctx)
	if err := c.cluster.exec(ctx, "drop database "+quote(c.database)+" with (force)"); err != nil {
		c.cluster.spoilt = true
		c.cluster.config.Log.Warn("arena: a clone cannot be dropped", "error", err)
	}
	if lines, err := c.cluster.lookShared(ctx, c.database); err != nil || !equal(lines, c.cluster.shared) {
		c.cluster.spoilt = true
	}
	return errors.Join(append(errs, c.arena.giveBack(ctx, c.cluster))...)
}
