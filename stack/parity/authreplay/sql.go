package authreplay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
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
	return r.connected(ctx, role, func(conn *pgx.Conn) error {
		_, err := conn.PgConn().Exec(ctx, script).ReadAll()
		return err
	})
}

// query runs one query and returns its rows as a JSON array of objects.
func (r *runner) query(ctx context.Context, role, query string) ([]byte, error) {
	var objects []json.RawMessage
	err := r.connected(ctx, role, func(conn *pgx.Conn) error {
		// A common table expression takes queries and INSERT ... RETURNING.
		wrapped := "with answer as (" + strings.TrimRight(strings.TrimSpace(query), ";") +
			"\n) select row_to_json(answer) from answer"
		rows, err := conn.Query(ctx, wrapped)
		if err != nil {
			return err
		}
		objects, err = pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
		return err
	})
	if err != nil {
		return nil, err
	}
	if objects == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(objects)
}

func (r *runner) connected(ctx context.Context, role string, use func(*pgx.Conn) error) error {
	role = cmp.Or(role, sqlRole)
	conn, err := r.instance.Connect(ctx, role)
	if err != nil {
		return fmt.Errorf("connect as %s: %w", role, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return use(conn)
}
