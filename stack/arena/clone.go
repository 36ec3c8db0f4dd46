package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	// session is the one session in the database, Auth's aside, acting the role that it
	// has become; empty for none.
	session *pgx.Conn
	acting  string
	api     *API
	start   Rows
	// altered says that the candidate changed objects, so that what is known of the
	// template does not hold.
	altered bool
	// looked says that Changes has been asked.
	looked bool
	closed bool
	// applied says that the candidate's SQL has been run.
	applied bool
	// kept is the copy that is shared; nil for one of the candidate's own. grounded says
	// that the tests have begun there, unfit that it must not be used again, makesSettings
	// that its session must not.
	kept                           *kept
	grounded, unfit, makesSettings bool
}

// Apply runs a candidate's SQL as the owner, and the seed after it when the setup
// says so. SQL that does not run is a *SQLError; after it the clone holds the setup
// alone, unless the candidate committed a part of it.
func (c *Clone) Apply(ctx context.Context, name, sql string) error {
	began := time.Now()
	defer func() { c.Timing.Apply += time.Since(began) }()
	if c.kept != nil {
		return c.applyWithin(ctx, name, sql)
	}
	conn, err := c.Owner(ctx)
	if err != nil {
		return err
	}
	limits := c.cluster.config.Limits
	if err := runScript(ctx, conn, scriptRun{name: name, sql: sql, limit: limits.Apply, watch: c.grownTooLarge}); err != nil {
		c.hangUp(ctx)
		return err
	}
	// Temporary objects, settings, prepared statements and locks of the candidate end with
	// its session, and the role that its RESET ROLE goes back to.
	c.hangUp(ctx)
	c.applied = !c.template.setup.SeedAfter
	if c.applied {
		return nil
	}
	if conn, err = c.Owner(ctx); err != nil {
		return err
	}
	err = runScript(ctx, conn, scriptRun{name: "seed.sql", sql: c.template.setup.Seed, limit: limits.Apply})
	c.hangUp(ctx)
	c.applied = true
	return err
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

// What a session can act as beside a role's name.
const nobody = ""

// Owner is the session of the clone, acting as the database's owner, postgres. Nobody
// else may be using it.
func (c *Clone) Owner(ctx context.Context) (*pgx.Conn, error) {
	return c.become(ctx, []string{owner}, owner)
}

// Session is the session of the clone for tests. It can become the given role and no
// other, and has not yet; nobody else may be using it, and whoever used it last must
// have left no transaction open. Schema supascore has what it needs to see what the
// owner sees: look, owner_run and owner_rows.
func (c *Clone) Session(ctx context.Context, role string) (*pgx.Conn, error) {
	return c.become(ctx, []string{role}, nobody)
}

// apiSession is the session of the clone for requests.
func (c *Clone) apiSession(ctx context.Context) (*pgx.Conn, error) {
	return c.become(ctx, c.cluster.apiRoles, nobody)
}

// become lets the session become the roles, and makes it act.
func (c *Clone) become(ctx context.Context, roles []string, acting string) (*pgx.Conn, error) {
	if c.kept != nil {
		return c.becomeWithin(ctx, roles, acting)
	}
	if err := c.cluster.setMembers(ctx, roles); err != nil {
		return nil, err
	}
	if c.session == nil || c.session.IsClosed() {
		var settings map[string]string
		switch {
		case c.applied:
			settings = testSettings()
		case acting != nobody:
			// It is what a candidate's RESET ROLE goes back to, while the candidate is applied.
			settings = map[string]string{"role": acting}
		}
		conn, err := c.cluster.connect(ctx, login, c.database, settings)
		if err != nil {
			return nil, fmt.Errorf("arena: connect for %s: %w", strings.Join(roles, ", "), err)
		}
		c.session, c.acting = conn, settings["role"]
	}
	if c.acting != acting {
		to := "none"
		if acting != nobody {
			to = quote(acting)
		}
		if _, err := c.session.Exec(ctx, "set role "+to, pgx.QueryExecModeSimpleProtocol); err != nil {
			return nil, fmt.Errorf("arena: act as %s: %w", to, err)
		}
		c.acting = acting
	}
	return c.session, nil
}

// hangUp ends the session; the next one is a new one.
func (c *Clone) hangUp(ctx context.Context) {
	if c.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = c.session.Close(ctx) // gone one way or the other
	c.session = nil
}

// Shape is the same for clones with the same tables, columns and functions; empty for
// one whose candidate changed some, and before Changes was asked.
func (c *Clone) Shape() string {
	if c.altered || !c.looked {
		return ""
	}
	return c.template.setup.key()
}

// Limits are the limits in force.
func (c *Clone) Limits() Limits { return c.cluster.config.Limits }

// Version is the server's version, such as "15.18".
func (c *Clone) Version() string { return c.cluster.server.Version() }

// Close gives the database up and the cluster back, or ends the cluster when the
// candidate left something in it. It may be called again.
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
	if c.kept != nil {
		c.release(ctx)
	} else {
		c.leave(ctx)
	}
	if err := c.cluster.setMembers(ctx, c.cluster.apiRoles); err != nil {
		c.cluster.spoilt = true
	}
	if lines, err := c.cluster.lookShared(ctx); err != nil || !slices.Equal(lines, c.cluster.shared) {
		c.cluster.spoilt = true
	}
	return errors.Join(append(errs, c.arena.giveBack(ctx, c.cluster))...)
}

// leave gives the candidate's own database up.
func (c *Clone) leave(ctx context.Context) {
	c.hangUp(ctx)
	if err := c.cluster.leave(ctx, c.database); err != nil {
		c.cluster.spoilt = true
		c.cluster.config.Log.Warn("arena: a clone cannot be dropped", "error", err)
	}
}
