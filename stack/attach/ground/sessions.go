package ground

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/rest/dberror"
)

// access is who logs in, and with which settings.
type access struct {
	// role and password are those of the DB URL when they are empty.
	role, password string
	settings       map[string]string
}

// keeperSettings are those of the session that looks and undoes: values are printed as
// supascore.look prints them.
func keeperSettings() map[string]string {
	return map[string]string{
		"application_name": "supascore", "client_min_messages": "error", "search_path": "pg_catalog, pg_temp",
		"timezone": "UTC", "datestyle": "iso, mdy", "intervalstyle": "postgres", "extra_float_digits": "1", "bytea_output": "hex",
		"statement_timeout": "60000", "lock_timeout": "5000", "jit": "off",
	}
}

// connect opens a session in the stack's database.
func (g *Ground) connect(ctx context.Context, a access) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(g.config.Place.DBURL)
	if err != nil {
		return nil, errors.New("the DB URL cannot be used")
	}
	if a.role != "" {
		config.User, config.Password = a.role, a.password
	}
	maps.Copy(config.RuntimeParams, a.settings)
	// A candidate may drop what a cached statement needs, and could deallocate it.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.BuildFrontend = dberror.BuildFrontend // an empty DETAIL is told from none
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return pgx.ConnectConfig(limited, config)
}

// tester is a login role that can become one role, and its session.
type tester struct {
	name, password string
	session        *pgx.Conn
}

// tester makes the login role for a role's tests. It cannot log in any more when it is
// left behind.
func (c *Candidate) tester(ctx context.Context, role string) (*tester, error) {
	if t := c.testers[role]; t != nil {
		return t, nil
	}
	t := &tester{name: "supascore_tester_" + uuid.NewString()[:8], password: uuid.NewString()}
	var statement string
	err := c.ground.keeper.QueryRow(ctx, `select format('create role %1$I login noinherit password %2$L valid until %3$L in role %4$I;
			grant usage on schema supascore to %1$I; grant execute on all functions in schema supascore to %1$I', $1::text, $2::text, $3::text, $4::text)`,
		t.name, t.password, time.Now().Add(time.Hour).UTC().Format(time.RFC3339), role).Scan(&statement)
	if err == nil {
		_, err = c.ground.keeper.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	}
	if err != nil {
		return nil, fmt.Errorf("let tests become %s: %w", role, err)
	}
	c.testers[role] = t
	return t, nil
}

// Session is a session for tests that can become the given role and no other, and has
// not yet. Whoever used it last must have left no transaction open.
func (c *Candidate) Session(ctx context.Context, role string) (*pgx.Conn, error) {
	t, err := c.tester(ctx, role)
	if err != nil {
		return nil, err
	}
	if t.session == nil || t.session.IsClosed() {
		if t.session, err = c.ground.connect(ctx, access{t.name, t.password, arena.SessionSettings(c.Limits())}); err != nil {
			return nil, fmt.Errorf("connect for %s: %w", role, err)
		}
	}
	return t.session, nil
}

// Owner is a session as the database's owner.
func (c *Candidate) Owner(ctx context.Context) (*pgx.Conn, error) {
	if c.owner != nil && !c.owner.IsClosed() {
		return c.owner, nil
	}
	conn, err := c.ground.connect(ctx, access{settings: arena.SessionSettings(c.Limits())})
	if err != nil {
		return nil, fmt.Errorf("connect as the owner: %w", err)
	}
	c.owner = conn
	c.pids = append(c.pids, conn.PgConn().PID())
	return conn, nil
}

// hangUp ends the owner's session; the next one is a new one.
func (c *Candidate) hangUp(ctx context.Context) {
	if c.owner == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = c.owner.Close(ctx) // gone one way or the other
	c.owner = nil
}

// endSessions ends all sessions of the candidate and waits until they are gone, whatever
// their code does.
func (c *Candidate) endSessions(ctx context.Context, keeper *pgx.Conn) error {
	c.hangUp(ctx)
	names := []string{}
	for _, t := range c.testers {
		names = append(names, t.name)
		if t.session != nil {
			short, cancel := context.WithTimeout(ctx, time.Second)
			_ = t.session.Close(short) // gone one way or the other
			cancel()
		}
	}
	return endAll(ctx, keeper, "pid = any($1::int[]) and usename = current_user or usename = any($2::name[])", c.pids, names)
}

// endAll terminates the sessions of a condition on pg_stat_activity and waits for their
// end.
func endAll(ctx context.Context, keeper *pgx.Conn, condition string, args ...any) error {
	for {
		var left int
		err := keeper.QueryRow(ctx, "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() and ("+condition+")", args...).Scan(&left)
		if err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("end sessions: %d do not end: %w", left, context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// knownPasswords are the roles of the stack that log in with the DB URL's password, as
// all do in a local project, so that a candidate which changes one is noticed.
func (g *Ground) knownPasswords(ctx context.Context) []string {
	var roles []string
	for _, role := range []string{g.user(), "authenticator", "supabase_auth_admin"} {
		if g.logsIn(ctx, role) == nil {
			roles = append(roles, role)
		}
	}
	return roles
}

// user and password are those of the DB URL.
func (g *Ground) user() string { return g.keeper.Config().User }

func (g *Ground) password() string { return g.keeper.Config().Password }

func (g *Ground) logsIn(ctx context.Context, role string) error {
	conn, err := g.connect(ctx, access{role: role, password: g.password()})
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// restorePasswords gives roles their passwords back and names those that had others.
func (g *Ground) restorePasswords(ctx context.Context) ([]string, error) {
	var changed []string
	for _, role := range g.passwords {
		if g.logsIn(ctx, role) == nil {
			continue
		}
		changed = append(changed, role)
		var statement string
		err := g.keeper.QueryRow(ctx, "select format('alter role %I password %L', $1::text, $2::text)", role, g.password()).Scan(&statement)
		if err == nil {
			_, err = g.keeper.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
		}
		if err != nil {
			return changed, &UndoError{Left: []string{"password of role " + role}, Err: err}
		}
	}
	return changed, nil
}
