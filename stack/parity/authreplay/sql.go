package authreplay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/parity"
)

// sql runs an SQL step and compares rows or error.
func (r *runner) sql(ctx context.Context, step Step) ([]parity.Difference, error) {
	statement, err := r.vars.expand(step.SQL)
	if err != nil {
		return nil, err
	}
	var rows []byte
	if step.Response.Rows != nil {
		rows, err = r.query(ctx, step.SQLAs, statement)
	} else {
		err = r.exec(ctx, step.SQLAs, statement)
	}
	if step.Response.Error == nil {
		err = r.refused(err)
	}
	var pg *pgconn.PgError
	if err != nil && !errors.As(err, &pg) {
		return nil, err
	}
	if err != nil || step.Response.Error != nil {
		return sqlErrors(step.Response.Error, pg), nil
	}
	if step.Response.Rows == nil {
		return nil, nil
	}
	captureErr := r.captureRows(step.Capture, rows)
	c := comparison{matcher: matcher{vars: r.vars.texts()}}
	c.document("rows", step.Response.Rows, rows)
	return c.found, captureErr
}

// sqlErrors compares failures by their message.
func sqlErrors(want *string, got *pgconn.PgError) []parity.Difference {
	difference := parity.Difference{Path: "error", Want: parity.Absent, Got: parity.Absent}
	if want != nil {
		difference.Want = *want
	}
	if got != nil {
		difference.Got = got.Error()
	}
	if want != nil && got != nil && strings.Contains(*want, got.Message) {
		return nil
	}
	return []parity.Difference{difference}
}

// captureRows sets variables from the rows of a query.
func (r *runner) captureRows(paths map[string]string, rows []byte) error {
	if len(paths) == 0 {
		return nil
	}
	value, err := parseJSON(rows)
	if err != nil {
		return err
	}
	answer := map[string]any{"rows": value}
	return r.capture(paths, func(path string) (any, bool) { return lookUp(answer, path) })
}

// exec runs a script: any number of statements, as the simple protocol takes
// them.
func (r *runner) exec(ctx context.Context, role, script string) error {
	_, err := r.run(ctx, role, script)
	return err
}

// refused says of an error of SQL whether it comes from rights that the recorded role had
// and the owner of somebody else's database has not.
func (r *runner) refused(err error) error {
	const insufficientPrivilege = "42501"
	var pg *pgconn.PgError
	if _, gated := r.instance.(Gated); gated && errors.As(err, &pg) && pg.Code == insufficientPrivilege {
		return &parity.NotAskedError{Reason: "needs a superuser: " + pg.Message}
	}
	return err
}

// query runs one query and returns its rows as a JSON array of objects.
func (r *runner) query(ctx context.Context, role, query string) ([]byte, error) {
	// A common table expression takes queries and INSERT ... RETURNING.
	results, err := r.run(ctx, role, "with answer as ("+strings.TrimRight(strings.TrimSpace(query), ";")+
		"\n) select row_to_json(answer) from answer")
	if err != nil {
		return nil, err
	}
	objects := []json.RawMessage{}
	for _, result := range results {
		for _, row := range result.Rows {
			objects = append(objects, row[0])
		}
	}
	return json.Marshal(objects)
}

// run sends statements on the role's connection, which is kept: a new one for
// every step would take most of the time. What a step sets does not outlive it.
func (r *runner) run(ctx context.Context, role, statements string) ([]*pgconn.Result, error) {
	role = cmp.Or(role, sqlRole)
	conn := r.conns[role]
	if conn == nil || conn.IsClosed() {
		var err error
		if conn, err = r.instance.Connect(ctx, role); err != nil {
			return nil, fmt.Errorf("connect as %s: %w", role, err)
		}
		r.conns[role] = conn
	}
	results, err := conn.PgConn().Exec(ctx, statements).ReadAll()
	switch {
	case conn.IsClosed():
	case conn.PgConn().TxStatus() != 'I':
		// The step has left a transaction open, which discard refuses.
		err = errors.Join(err, conn.Close(ctx))
	default:
		_, discardErr := conn.PgConn().Exec(ctx, "discard all").ReadAll()
		err = errors.Join(err, discardErr)
	}
	return results, err
}

// closeConns ends the connections, so that the database can be dropped.
func (r *runner) closeConns(ctx context.Context) {
	for _, conn := range r.conns {
		_ = conn.Close(ctx) // it is of no more use either way
	}
}
