// Package query runs one statement and shows what it returns: as a table, as JSON or as CSV, in the forms of the Supabase CLI's
// "db query" (apps/cli-go/internal/db/query). It promises values as PostgreSQL prints them; in JSON, what JSON has types for has
// them. A program that passes rows on to a language model gets them in an envelope that says where data ends. It does not
// connect.
package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Result is what a statement returned.
type Result struct {
	Columns []Column    // none: the statement returns no rows
	Rows    [][]*string // nil: NULL
	Tag     string      // such as INSERT 0 1
}

// Column is a column of a result.
type Column struct {
	Name string
	Type uint32 // the OID
}

// Error is a statement that PostgreSQL refused.
type Error struct{ Err error }

// Error is what PostgreSQL said.
func (e *Error) Error() string { return "failed to execute query: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do about several statements at once, which is the usual fault.
func (e *Error) Hint() string {
	var pgErr *pgconn.PgError
	if errors.As(e.Err, &pgErr) && pgErr.Code == "42601" && pgErr.Position == 0 {
		return "One statement is run at a time; wrap several into do $$ begin … end $$, or put them into a migration."
	}
	if errors.As(e.Err, &pgErr) {
		return pgErr.Hint
	}
	return ""
}

// Run runs one statement without arguments. An *Error is returned when PostgreSQL refuses it.
func Run(ctx context.Context, conn *pgx.Conn, sql string) (Result, error) {
	reader := conn.PgConn().ExecParams(ctx, sql, nil, nil, nil, nil) // values as text
	var r Result
	for _, f := range reader.FieldDescriptions() {
		r.Columns = append(r.Columns, Column{f.Name, f.DataTypeOID})
	}
	for reader.NextRow() {
		row := make([]*string, len(r.Columns))
		for i, value := range reader.Values() {
			if value != nil {
				text := string(value)
				row[i] = &text
			}
		}
		r.Rows = append(r.Rows, row)
	}
	tag, err := reader.Close()
	r.Tag = tag.String()
	var pgErr *pgconn.PgError
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.As(err, &pgErr):
		return Result{}, &Error{err}
	case err != nil:
		return Result{}, fmt.Errorf("failed to execute query: %w", err)
	}
	return r, nil
}

// Exposed lists the tables in schemas that everybody may read whom their grants let, because row level security is off. The
// names are SQL.
func Exposed(ctx context.Context, conn *pgx.Conn, schemas []string) ([]string, error) {
	rows, err := conn.Query(ctx, `
		select format('%I.%I', n.nspname, c.relname)
		from pg_class c
		join pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'p') and not c.relrowsecurity and n.nspname = any ($1)
		order by 1`, schemas)
	if err != nil {
		return nil, fmt.Errorf("look for tables without row level security: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for tables without row level security: %w", err)
	}
	return names, nil
}
