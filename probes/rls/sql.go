package rls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
)

// Bounds of what is kept of a result. Whoever returns more returns too much.
const (
	maxRows  = 5000
	maxBytes = 4 << 20
)

// sql runs a test in a session of its role. One statement travels with everything
// around it; several are sent as they stand.
func (r *runner) sql(ctx context.Context, t *planned, o *probes.RLSObservation) {
	o.Form, o.Sent = probes.RLSFormSQL, t.test.Query
	session, err := r.Target.Session(ctx, t.test.As.Role)
	if err != nil {
		o.Trouble = err.Error()
		return
	}
	defer func() {
		if err := r.rollback(session.PgConn()); err != nil && o.Failed == nil && ctx.Err() == nil {
			o.Trouble = "the test's transaction cannot be undone: " + err.Error()
		}
	}()
	w := &work{runner: r, session: session, t: t, o: o, before: r.Target.Rows}
	steps, err := w.entrance()
	switch {
	case err != nil:
	case t.query.Single():
		err = w.do(ctx, slices.Concat(steps, w.question(), w.looks(), []step{{sql: r.ending()}}))
	default:
		err = w.doSeveral(ctx, steps)
	}
	if err != nil {
		o.Trouble = err.Error()
	}
}

// work is one test in a session.
type work struct {
	*runner
	session *pgx.Conn
	t       *planned
	o       *probes.RLSObservation
	// before are the rows that the test begins with.
	before map[string][]string
	// asked says that the test's own SQL has succeeded.
	asked bool
}

// entrance begins a test's transaction: the owner's set-up, then the settings and the
// role of a request, as PostgREST makes them (its documentation, "Transactions").
// PostgreSQL's refusal is the set-up's.
func (w *work) entrance() ([]step, error) {
	claims, err := json.Marshal(w.claims(w.t))
	if err != nil {
		return nil, fmt.Errorf("write the claims: %w", err)
	}
	refused := func(failed *probes.SQLError) { w.o.SetupFailed = failed }
	steps := []step{{sql: w.beginning(), refused: refused}}
	if w.t.test.Setup != "" {
		made := setup(w.t)
		made[0].refused = refused
		made[1].refused, made[1].keep = refused, func(rows [][][]byte) (err error) {
			w.before, err = rowsOf(rows)
			return err
		}
		steps = append(steps, made...)
	}
	return append(steps, step{
		sql: `select pg_catalog.set_config('search_path', '"public", "extensions"', true),
		pg_catalog.set_config('role', $1, true), pg_catalog.set_config('request.jwt.claims', $2, true),
		pg_catalog.set_config('request.method', 'POST', true), pg_catalog.set_config('request.path', '/', true),
		pg_catalog.set_config('request.headers', '{}', true), pg_catalog.set_config('request.cookies', '{}', true)`,
		args: []string{w.t.test.As.Role, string(claims)}, refused: refused,
	}), nil
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

// question is the test's own statement, and what waits for the end of a transaction.
func (w *work) question() []step {
	return []step{
		{sql: w.t.query.Text, refused: w.fail, read: w.read},
		{sql: "set constraints all immediate", refused: w.fail, keep: func([][][]byte) error { w.asked = true; return nil }},
	}
}

// fail records PostgreSQL's refusal of the test's SQL.
func (w *work) fail(failed *probes.SQLError) { w.o.Failed, w.o.Result, w.o.Affected = failed, nil, -1 }

// looks are the steps that look at the transaction as the owner.
func (w *work) looks() []step {
	s := seen{t: w.t, o: w.o, before: w.before}
	steps := []step{{sql: "select pg_catalog.set_config('role', 'none', true)"}}
	for i, look := range looks(w.t) {
		look.keep = func(rows [][][]byte) error {
			s.before = w.before
			return w.keepLook(s, i, rows)
		}
		look.refused = func(failed *probes.SQLError) { s.failed(i, failed) }
		steps = append(steps, look)
	}
	return steps
}

// do sends steps in one go. An error that PostgreSQL did not send is the candidate's
// once its SQL has begun: the session was sound before the test.
func (w *work) do(ctx context.Context, steps []step) error {
	err := send(ctx, w.session.PgConn(), steps)
	if err != nil && ctx.Err() == nil && !w.asked && w.o.SetupFailed == nil && w.session.IsClosed() {
		w.fail(&probes.SQLError{SQLState: "08006", Message: "the session broke: " + err.Error()})
		return nil
	}
	return err
}

// doSeveral sends a test's statements as they stand, between the steps.
func (w *work) doSeveral(ctx context.Context, entrance []step) error {
	if err := send(ctx, w.session.PgConn(), entrance); err != nil || w.o.SetupFailed != nil {
		return err
	}
	conn := w.session.PgConn()
	results := conn.Exec(ctx, w.t.query.Before+w.t.query.Text)
	for results.NextResult() {
		if err := w.read(results.ResultReader()); err != nil {
			break // Close says it again
		}
	}
	err := results.Close()
	if err == nil && w.t.query.After != "" {
		_, err = conn.Exec(ctx, w.t.query.After).ReadAll()
	}
	if failed := refused(err); failed != nil {
		w.fail(failed)
		return nil
	}
	if err != nil && ctx.Err() == nil {
		w.fail(&probes.SQLError{SQLState: "08006", Message: "the session broke: " + err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	return w.do(ctx, slices.Concat(w.question()[1:], w.looks()))
}

// read keeps a result; the last of several counts.
func (w *work) read(reader *pgconn.ResultReader) error {
	w.o.Result = nil
	if fields := reader.FieldDescriptions(); len(fields) > 0 {
		w.o.Result = &probes.RLSTable{Columns: columnsOf(w.session, fields)}
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
		if len(w.o.Result.Rows) >= maxRows || size > maxBytes {
			w.o.Result.Truncated = true
			continue
		}
		w.o.Result.Rows = append(w.o.Result.Rows, row)
	}
	tag, err := reader.Close()
	if err == nil {
		w.o.Affected = tag.RowsAffected()
	}
	return err
}
