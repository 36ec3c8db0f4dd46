package arena

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/bootstrap"
)

// Lasting looks at a clone whose requests' transactions last, and takes back what they
// wrote. It is used by one goroutine at a time, while no request is under way.
type Lasting struct {
	clone *Clone
	// setUp is the session of set-ups, which run code of the candidate, watch the one of
	// looks, which run none, restorer the one in which triggers and foreign keys rest.
	setUp, watch, restorer *pgx.Conn
}

// Begin remembers the rows as they are now; Undo goes back to them.
func (l *Lasting) Begin(ctx context.Context) error {
	save, err := script("save")
	if err != nil {
		return err
	}
	admin, err := pgx.Connect(ctx, l.clone.cluster.server.URL(bootstrap.Superuser, l.clone.database))
	if err != nil {
		return fmt.Errorf("arena: connect: %w", err)
	}
	defer admin.Close(context.WithoutCancel(ctx))
	if _, err := admin.PgConn().Exec(ctx, save).ReadAll(); err != nil {
		return fmt.Errorf("arena: remember the rows: %w", err)
	}
	return nil
}

// Owner is a session as the database's owner, with nothing left of what it was used for
// before.
func (l *Lasting) Owner(ctx context.Context) (*pgx.Conn, error) {
	if l.setUp != nil && !l.setUp.IsClosed() {
		if _, err := l.setUp.Exec(ctx, "discard all", pgx.QueryExecModeSimpleProtocol); err == nil {
			return l.setUp, nil
		}
	}
	err := l.connect(ctx, &l.setUp, nil)
	return l.setUp, err
}

// Look returns the committed rows of every table. That PostgreSQL cannot show them is in
// the error, a *pgconn.PgError.
func (l *Lasting) Look(ctx context.Context) (Rows, error) {
	if err := l.connect(ctx, &l.watch, nil); err != nil {
		return nil, err
	}
	return lookRows(ctx, l.watch)
}

// connect opens one of the sessions as the owner unless it is open.
func (l *Lasting) connect(ctx context.Context, session **pgx.Conn, settings map[string]string) error {
	if *session != nil && !(*session).IsClosed() {
		return nil
	}
	conn, err := l.clone.cluster.connect(ctx, owner, l.clone.database, settings)
	if err != nil {
		return fmt.Errorf("arena: connect: %w", err)
	}
	*session = conn
	return nil
}

// Undo ends what is left of requests and makes the rows, and what sequences give out
// next, what they were at Begin. That the candidate's tables do not allow it is a *SQLError.
func (l *Lasting) Undo(ctx context.Context) error {
	if err := l.quiet(ctx); err != nil {
		return err
	}
	changed, err := l.changed(ctx)
	if err != nil {
		return err
	}
	err = l.restore(ctx, changed)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == checkViolation {
		err = l.withoutChecks(ctx, changed, func() error { return l.restore(ctx, changed) })
	}
	if errors.As(err, &refused) {
		return &SQLError{SQLState: refused.Code, Message: "the rows cannot be put back: " + refused.Message}
	}
	if err != nil {
		return fmt.Errorf("arena: put rows back: %w", err)
	}
	if changed, err = l.changed(ctx); err != nil {
		return err
	}
	if len(changed) > 0 {
		return &SQLError{Message: fmt.Sprintf("the rows of %s do not become what they were", strings.Join(changed, ", "))}
	}
	return nil
}

// changed names the tables whose rows are not those that every test begins with.
func (l *Lasting) changed(ctx context.Context) ([]string, error) {
	start, err := l.clone.StartRows(ctx)
	if err != nil {
		return nil, err
	}
	now, err := l.Look(ctx)
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	names := map[string]bool{}
	for table := range maps.Keys(start) {
		if rows, found := now[table]; !found || !slices.Equal(rows, start[table]) {
			names[table] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// restore puts the rows of tables back, as the owner and with triggers and foreign keys
// at rest: whatever code of the candidate runs all the same runs as the candidate.
func (l *Lasting) restore(ctx context.Context, tables []string) error {
	if err := l.connect(ctx, &l.restorer, map[string]string{"session_replication_role": "replica"}); err != nil {
		return err
	}
	query, err := script("saved")
	if err != nil {
		return err
	}
	rows, err := l.restorer.Query(ctx, query, tables)
	if err != nil {
		return err
	}
	var names []string
	empty, fill := &pgx.Batch{}, &pgx.Batch{}
	var table, saved string
	var columns []string
	_, err = pgx.ForEachRow(rows, []any{&table, &saved, &columns}, func() error {
		names = append(names, table)
		empty.Queue("delete from only " + table)
		if len(columns) > 0 {
			list := strings.Join(columns, ", ")
			fill.Queue("insert into " + table + " (" + list + ") overriding system value select " + list + " from " + saved)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fill.Queue("select supascore.rewind()")
	if len(names) > 0 {
		if err := l.restorer.SendBatch(ctx, empty).Close(); err != nil {
			return err
		}
		// Into the room that deleted rows leave, rows would come in another order, which
		// queries without ORDER BY show.
		vacuum := "vacuum (truncate on, index_cleanup on) " + strings.Join(names, ", ")
		if _, err := l.restorer.Exec(ctx, vacuum, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return l.restorer.SendBatch(ctx, fill).Close()
}

// checkViolation is the SQLSTATE of a row that a check constraint refuses.
const checkViolation = "23514"

// withoutChecks does something while the check constraints of tables rest: one that is
// NOT VALID keeps rows from being written again that it was never held against.
// PostgreSQL looks for as many as pg_class says that there are (its source,
// RelationBuildTupleDesc).
func (l *Lasting) withoutChecks(ctx context.Context, tables []string, do func() error) error {
	admin, err := pgx.Connect(ctx, l.clone.cluster.server.URL(bootstrap.Superuser, l.clone.database))
	if err != nil {
		return err
	}
	defer admin.Close(context.WithoutCancel(ctx))
	rows, err := admin.Query(ctx, `select c.oid, c.relchecks from pg_catalog.pg_class c
		join pg_catalog.pg_namespace n on n.oid = c.relnamespace
		where c.relkind = 'r' and c.relchecks > 0 and n.nspname || '.' || c.relname = any($1)`, tables)
	if err != nil {
		return err
	}
	type relation struct {
		OID    uint32
		Checks int16
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	if err != nil {
		return err
	}
	set := func(ctx context.Context, checks func(relation) int16) error {
		batch := &pgx.Batch{}
		for _, r := range list {
			batch.Queue("update pg_catalog.pg_class set relchecks = $2 where oid = $1", r.OID, checks(r))
		}
		return admin.SendBatch(ctx, batch).Close()
	}
	if err := set(ctx, func(relation) int16 { return 0 }); err != nil {
		return err
	}
	err = do()
	return errors.Join(err, set(context.WithoutCancel(ctx), func(r relation) int16 { return r.Checks }))
}

// How long a request that is still running gets to end by itself once it was cancelled,
// and how often it is looked after.
const (
	cancelLimit   = time.Second
	quietInterval = 5 * time.Millisecond
)

// quiet ends the transactions that requests have left running: their client has given
// up, and PostgREST goes on.
func (l *Lasting) quiet(ctx context.Context) error {
	began := time.Now()
	tick := time.NewTicker(quietInterval)
	defer tick.Stop()
	for {
		end := "pg_cancel_backend"
		if time.Since(began) > cancelLimit {
			end = "pg_terminate_backend"
		}
		var running int
		err := l.clone.cluster.admin.QueryRow(ctx, "select count(*) filter (where "+end+`(pid)) from pg_stat_activity
			where datname = $1 and usename = $2 and state <> 'idle'`, l.clone.database, login).Scan(&running)
		if err != nil {
			return fmt.Errorf("arena: end a request: %w", err)
		}
		if running == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("arena: a request does not end: %w", context.Cause(ctx))
		}
	}
}

// close ends the sessions.
func (l *Lasting) close(ctx context.Context) error {
	var errs []error
	for _, conn := range []*pgx.Conn{l.setUp, l.watch, l.restorer} {
		if conn != nil {
			errs = append(errs, conn.Close(ctx))
		}
	}
	return errors.Join(errs...)
}
