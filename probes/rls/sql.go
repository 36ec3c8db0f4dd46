package rls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
)

// Bounds of what is kept of a result. Whoever returns more returns too much.
const (
	maxRows  = 5000
	maxBytes = 4 << 20
)

// rollbackLimit bounds the end of a test's transaction.
const rollbackLimit = 2 * time.Second

// sql runs a test in a session of its role.
func (r *runner) sql(ctx context.Context, t *planned, o *probes.RLSObservation) {
	o.Form, o.Sent = probes.RLSFormSQL, t.test.Query
	session, err := r.Target.Session(ctx, t.test.As.Role)
	if err != nil {
		o.Trouble = err.Error()
		return
	}
	conn := session.PgConn()
	defer func() {
		if err := rollback(conn); err != nil && o.Failed == nil && ctx.Err() == nil {
			o.Trouble = "the test's transaction cannot be undone: " + err.Error()
		}
	}()
	before, err := r.enter(ctx, conn, t)
	if refused := refused(err); refused != nil {
		o.SetupFailed = refused
		return
	}
	if err != nil {
		o.Trouble = err.Error()
		return
	}
	if err := r.ask(ctx, session, t, o); err != nil {
		// The session was sound before the test.
		o.Failed, o.Result, o.Affected = &probes.SQLError{SQLState: "08006", Message: "the session broke: " + err.Error()}, nil, -1
	}
	if o.Failed != nil {
		return
	}
	if err := r.see(ctx, conn, seen{t: t, o: o, before: before, acting: true}); err != nil {
		o.Trouble = err.Error()
	}
}

// enter begins a test's transaction: the owner's set-up, then the settings and the
// role of a request, as PostgREST makes them (its documentation, "Transactions"). It
// returns the rows that the test begins with. PostgreSQL's refusal is the set-up's.
func (r *runner) enter(ctx context.Context, conn *pgconn.PgConn, t *planned) (map[string][]string, error) {
	claims, err := json.Marshal(r.claims(t))
	if err != nil {
		return nil, fmt.Errorf("write the claims: %w", err)
	}
	settings := step{
		sql: `select pg_catalog.set_config('search_path', '"public", "extensions"', true),
		pg_catalog.set_config('role', $1, true), pg_catalog.set_config('request.jwt.claims', $2, true),
		pg_catalog.set_config('request.method', 'POST', true), pg_catalog.set_config('request.path', '/', true),
		pg_catalog.set_config('request.headers', '{}', true), pg_catalog.set_config('request.cookies', '{}', true)`,
		args: []string{t.test.As.Role, string(claims)},
	}
	steps := []step{{sql: "begin isolation level read committed read write"}}
	if t.test.Setup == "" {
		_, err := send(ctx, conn, append(steps, settings))
		return r.Target.Rows, err
	}
	got, err := send(ctx, conn, append(append(steps, setup(t)...), settings))
	if err != nil {
		return nil, err
	}
	return rowsOf(got[2])
}

// setup are the steps of a test's set-up and of the look at what it made.
func setup(t *planned) []step {
	return []step{
		{sql: "select supascore.owner_run($1)", args: []string{t.test.Setup}},
		{sql: "select supascore.look()"},
	}
}

// rowsOf reads what supascore.look returned; nil when nothing was written.
func rowsOf(result [][][]byte) (map[string][]string, error) {
	if len(result) != 1 || result[0][0] == nil {
		return nil, nil
	}
	var rows map[string][]string
	if err := json.Unmarshal(result[0][0], &rows); err != nil {
		return nil, fmt.Errorf("read the rows: %w", err)
	}
	return rows, nil
}

// ask sends the test's SQL as it stands and keeps the result that counts.
func (r *runner) ask(ctx context.Context, session *pgx.Conn, t *planned, o *probes.RLSObservation) error {
	results := session.PgConn().Exec(ctx, t.query.Before+t.query.Text)
	if err := r.read(session, results, o); err != nil {
		return err
	}
	if o.Failed != nil || t.query.After == "" {
		return nil
	}
	_, err := session.PgConn().Exec(ctx, t.query.After).ReadAll()
	return fail(o, err)
}

// read keeps the last result of those that come.
func (r *runner) read(session *pgx.Conn, results *pgconn.MultiResultReader, o *probes.RLSObservation) error {
	for results.NextResult() {
		reader := results.ResultReader()
		o.Result = nil
		if fields := reader.FieldDescriptions(); len(fields) > 0 {
			o.Result = &probes.RLSTable{Columns: columnsOf(session, fields)}
		}
		size := 0
		for reader.NextRow() {
			row := make([]any, len(reader.Values()))
			for i, v := range reader.Values() {
				size += len(v)
				if v != nil && size <= maxBytes {
					row[i] = string(v)
				}
			}
			if len(o.Result.Rows) >= maxRows || size > maxBytes {
				o.Result.Truncated = true
				continue
			}
			o.Result.Rows = append(o.Result.Rows, row)
		}
		tag, err := reader.Close()
		if err == nil {
			o.Affected = tag.RowsAffected()
		}
	}
	return fail(o, results.Close())
}

// fail records PostgreSQL's refusal; another error is returned.
func fail(o *probes.RLSObservation, err error) error {
	if failed := refused(err); failed != nil {
		o.Failed, o.Result, o.Affected = failed, nil, -1
		return nil
	}
	return err
}

// seen is a test under way with the rows that it began with.
type seen struct {
	t      *planned
	o      *probes.RLSObservation
	before map[string][]string
	// acting says that the session still acts as the user.
	acting bool
}

// see looks at the transaction as the owner, as the login role. A transaction that
// wrote nothing has no id, and its rows need no look.
func (r *runner) see(ctx context.Context, conn *pgconn.PgConn, s seen) error {
	var steps []step
	if s.acting {
		steps = append(steps, step{sql: "select pg_catalog.set_config('role', 'none', true)"})
	}
	looks := len(steps)
	steps = append(steps, step{sql: "select case when pg_catalog.pg_current_xact_id_if_assigned() is not null then supascore.look() end"})
	if s.t.after != nil {
		steps = append(steps, step{sql: "select supascore.owner_rows($1)", args: []string{s.t.after.Text}})
	}
	got, err := send(ctx, conn, steps)
	failed := refused(err)
	switch {
	case err != nil && failed == nil:
		return fmt.Errorf("look at the test's transaction: %w", err)
	case len(got) < looks:
		return fmt.Errorf("look at the test's transaction: %w", err)
	case len(got) == looks:
		s.o.LookFailed = failed
		return nil
	}
	now, err := rowsOf(got[looks])
	if err != nil {
		return err
	}
	if now != nil {
		s.o.Changes = changes(s.before, now)
	}
	switch {
	case failed != nil:
		s.o.After = &probes.RLSAfter{Statement: s.t.after.Statement, Failed: failed}
	case s.t.after != nil:
		s.o.After, err = r.after(s.t, got[looks+1])
	}
	return err
}

// after makes a table of the owner's rows, which came as JSON objects.
func (r *runner) after(t *planned, rows [][][]byte) (*probes.RLSAfter, error) {
	after := &probes.RLSAfter{Statement: t.after.Statement}
	for i, row := range rows {
		names, values, err := orderedObject(row[0])
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, name := range names {
				after.Table.Columns = append(after.Table.Columns, probes.RLSColumn{Name: name})
			}
		}
		after.Table.Rows = append(after.Table.Rows, values)
	}
	if described := r.shape.columns[afterKey(t)]; len(described) > 0 && (len(rows) == 0 || len(described) == len(after.Table.Columns)) {
		after.Table.Columns = described
	}
	return after, nil
}

// step is a statement with text parameters.
type step struct {
	sql  string
	args []string
}

// send sends steps in one go and returns the rows of each that succeeded.
func send(ctx context.Context, conn *pgconn.PgConn, steps []step) ([][][][]byte, error) {
	pipe := conn.StartPipeline(ctx)
	for _, s := range steps {
		args := make([][]byte, len(s.args))
		for i, arg := range s.args {
			args[i] = []byte(arg)
		}
		pipe.SendQueryParams(s.sql, args, nil, nil, nil)
	}
	if err := pipe.Sync(); err != nil {
		_ = pipe.Close() // broken already, and says the same
		return nil, err
	}
	all, err := receive(conn, pipe)
	if closing := pipe.Close(); err == nil {
		err = closing
	}
	return all, err
}

// receive reads the answers up to the end of the pipeline and returns the first error.
func receive(conn *pgconn.PgConn, pipe *pgconn.Pipeline) (all [][][][]byte, first error) {
	for {
		result, err := pipe.GetResults()
		if reader, ok := result.(*pgconn.ResultReader); ok && err == nil {
			read := reader.Read()
			if err = read.Err; err == nil {
				all = append(all, read.Rows)
			}
		} else if err == nil {
			return all, first // nothing but the end is left
		}
		if err != nil && first == nil {
			first = err
		}
		var refused *pgconn.PgError
		if err != nil && (!errors.As(err, &refused) || conn.IsClosed()) {
			return all, first
		}
	}
}

// rollback ends a transaction whatever happened in it. A session that cannot is
// closed.
func rollback(conn *pgconn.PgConn) error {
	if conn.IsClosed() || conn.TxStatus() == 'I' {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
	defer cancel()
	_, err := conn.Exec(ctx, "rollback").ReadAll()
	if err != nil {
		_ = conn.Close(ctx) // gone one way or the other
	}
	return err
}
