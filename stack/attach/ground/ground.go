// Package ground lends the database of a stack that already runs to candidates, to one
// after the other. It promises that the stack is on this machine and its database nobody's
// yet, that a candidate runs as the project's owner and never as a superuser, and that
// after each the database is again what it was before: objects, privileges, policies,
// roles and rows are compared, and what cannot be taken back ends it all with an error
// that says how to mend the stack. Unlike package arena, whose clusters are thrown away,
// it cannot bound a candidate's memory and disk, and a process that is killed leaves its
// candidate behind, which the next one says.
package ground

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/attach"
)

// Config says which stack lends its database.
type Config struct {
	// Place is where it runs, complete; see attach.Place.Complete.
	Place attach.Place
	// Limits bound what a candidate may use; those of time are all that can be set here.
	Limits arena.Limits
	// Reload bounds how long the Data API may take to see what the database has become.
	// Default 30 s.
	Reload time.Duration
	// Log gets what happens; nil discards it.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Limits = c.Limits.WithDefaults()
	if c.Reload == 0 {
		c.Reload = 30 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Ground is a stack that lends its database. Enter may be called from any goroutine, and
// Close when all candidates are closed.
type Ground struct {
	config   Config
	free     chan struct{} // holds a token while no candidate is in
	versions map[string]string
	// keeper is the session that candidates never get: it holds the lock and undoes.
	keeper *pgx.Conn
	// passwords are the roles that log in with the DB URL's password.
	passwords []string
	// inPublic says that the Data API exposes no schema of ours.
	inPublic bool
	// broken is why no candidate can be let in any more.
	broken error
}

// Open makes sure that a stack can lend its database, and keeps others from doing so. It
// changes nothing. Errors: *RemoteError, *NotEmptyError, *LeftError, *BusyError,
// *RoleError, those of attach.Connect, ctx's.
func Open(ctx context.Context, cfg Config) (_ *Ground, err error) {
	cfg = cfg.withDefaults()
	hosts, err := cfg.Place.Remote(ctx, nil)
	if err != nil {
		return nil, err
	}
	if len(hosts) > 0 {
		return nil, &RemoteError{Hosts: hosts}
	}
	live, err := attach.Connect(ctx, cfg.Place)
	if err != nil {
		return nil, err
	}
	g := &Ground{config: cfg, versions: live.Versions, free: make(chan struct{}, 1)}
	g.free <- struct{}{}
	defer func() {
		if err != nil {
			_ = g.Close(ctx) // the other error is what counts
		}
	}()
	if err := g.lock(ctx); err != nil {
		return nil, err
	}
	for _, check := range []func(context.Context) error{g.checkRole, g.checkLeft, g.checkEmpty} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	g.passwords = g.knownPasswords(ctx)
	return g, nil
}

// Versions maps the stack's parts ("postgres", "rest", "auth") to their versions.
func (g *Ground) Versions() map[string]string { return g.versions }

// From says in a few words who told where the stack runs.
func (g *Ground) From() string { return g.config.Place.From }

// Close ends the sessions. The stack goes on. It may be called again.
func (g *Ground) Close(ctx context.Context) error {
	if g.keeper == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := g.keeper.Close(ctx)
	g.keeper = nil
	return err
}

// lockKey is the number of the advisory lock that whoever grades here holds.
const lockKey = 0x5_0ba5_c0de

// lock connects, and takes the lock.
func (g *Ground) lock(ctx context.Context) error {
	conn, err := g.connect(ctx, access{settings: keeperSettings()})
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	before := g.keeper
	g.keeper = conn
	if err := endBefore(ctx, conn, before); err != nil {
		return err
	}
	var got bool
	if err := conn.QueryRow(ctx, "select pg_try_advisory_lock($1)", int64(lockKey)).Scan(&got); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	if !got {
		return &BusyError{}
	}
	return nil
}

// alive is the keeper's session, a new one when a candidate has ended it.
func (g *Ground) alive(ctx context.Context) (*pgx.Conn, error) {
	if g.keeper != nil && !g.keeper.IsClosed() && g.keeper.Ping(ctx) == nil {
		return g.keeper, nil
	}
	if err := g.lock(ctx); err != nil {
		return nil, err
	}
	return g.keeper, nil
}

// endedBy is how long a session that was given up may take to end, in milliseconds.
const endedBy = 10_000

// endBefore ends the session that was the keeper before. One that was given up in the
// middle of a statement holds the lock until the statement is over.
func endBefore(ctx context.Context, conn, before *pgx.Conn) error {
	if before == nil {
		return nil
	}
	_, err := conn.Exec(ctx, "select pg_terminate_backend(pid, $2) from pg_stat_activity where pid = $1 and usename = current_user",
		int32(before.PgConn().PID()), endedBy) //nolint:gosec // as PostgreSQL's own type for it
	if err != nil {
		return fmt.Errorf("end the session before: %w", err)
	}
	return nil
}

// checkRole makes sure that the role can lend the database and cannot do harm with it.
func (g *Ground) checkRole(ctx context.Context) error {
	var name string
	var super, owner, rights bool
	err := g.keeper.QueryRow(ctx, `select r.rolname, r.rolsuper, pg_has_role(d.datdba, 'member'), r.rolcreaterole and r.rolbypassrls
		from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`).Scan(&name, &super, &owner, &rights)
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	switch {
	case super:
		return &RoleError{name, "is a superuser, and candidates would be, too"}
	case !owner:
		return &RoleError{name, "does not own the database"}
	case !rights:
		return &RoleError{name, "may not make roles or is bound by policies"}
	}
	if _, err := g.keeper.Exec(ctx, "begin; set local session_replication_role = replica; rollback", pgx.QueryExecModeSimpleProtocol); err != nil {
		if _, undo := g.keeper.Exec(ctx, "rollback"); undo != nil {
			return fmt.Errorf("the database: %w", undo)
		}
		return &RoleError{name, "may not set session_replication_role, so what tests write could not be taken back"}
	}
	return nil
}

// checkLeft looks for what an earlier grading could not take away. The roles of its
// tests are nothing that anybody could want.
func (g *Ground) checkLeft(ctx context.Context) error {
	rows, err := g.keeper.Query(ctx, `select 'schema supascore' where to_regnamespace('supascore') is not null
		union all select 'function ' || oid::regprocedure from pg_proc where pronamespace = 'public'::regnamespace and proname ~ '^supascore_'`)
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	if len(left) > 0 {
		found, err := g.found(ctx)
		if err != nil {
			return err
		}
		left = append(left, found...)
		slices.Sort(left)
		return &LeftError{Found: slices.Compact(left)}
	}
	rows, err = g.keeper.Query(ctx, "select format('drop role %I', rolname) from pg_roles where rolname ~ '^supascore_tester_'")
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	drops, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	for _, drop := range drops {
		if _, err := g.keeper.Exec(ctx, drop); err != nil {
			return &LeftError{Found: []string{strings.TrimPrefix(drop, "drop ")}}
		}
	}
	return nil
}

// checkEmpty makes sure that nobody else's things are there.
func (g *Ground) checkEmpty(ctx context.Context) error {
	found, err := g.found(ctx)
	if err == nil && len(found) > 0 {
		err = &NotEmptyError{Found: found}
	}
	return err
}

// found is what somebody has in the database.
func (g *Ground) found(ctx context.Context) ([]string, error) {
	query, err := script("empty")
	if err != nil {
		return nil, err
	}
	var list []string
	batch := &pgx.Batch{}
	batch.Queue("set local search_path = pg_catalog, pg_temp")
	batch.Queue(query).Query(func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err := g.keeper.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("look for what is in the database: %w", err)
	}
	return list, nil
}

// Enter makes a candidate's database of the stack's: the setup, and what tests see with.
// It waits while another candidate is in. The candidate must be closed. An error of the
// setup's own SQL is a *arena.SQLError; what was there before is a *NotEmptyError.
func (g *Ground) Enter(ctx context.Context, setup arena.Setup) (*Candidate, error) {
	select {
	case <-g.free:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c := &Candidate{ground: g, setup: setup, testers: map[string]*tester{}}
	if err := g.admit(ctx, c); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return c, nil
}

func (g *Ground) admit(ctx context.Context, c *Candidate) error {
	if g.broken != nil {
		return g.broken
	}
	if _, err := g.alive(ctx); err != nil {
		return err
	}
	for _, check := range []func(context.Context) error{g.checkLeft, g.checkEmpty, c.prepare} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}
