// Package lint checks the PL/pgSQL functions of a database with the extension plpgsql_check, as the Supabase CLI's "db lint" does
// (apps/cli-go/internal/db/lint). It promises to leave the database as it is, extension included, and that an installation
// without the extension is told with the package to install.
package lint

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/standin/extension"
)

//go:embed check.sql
var checkSQL string

// Finding is what is wrong with a function.
type Finding struct {
	Function string  `json:"function"` // schema.name
	Issues   []Issue `json:"issues"`
}

// Issue is one thing that is wrong, in plpgsql_check's words.
type Issue struct {
	Level     string     `json:"level"` // error, warning, warning extra
	Message   string     `json:"message"`
	Statement *Statement `json:"statement,omitempty"`
	Query     *Query     `json:"query,omitempty"`
	Hint      string     `json:"hint,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	Context   string     `json:"context,omitempty"`
	SQLState  string     `json:"sqlState,omitempty"`
}

// Statement is where in the function.
type Statement struct {
	LineNumber string `json:"lineNumber"`
	Text       string `json:"text"`
}

// Query is where in the statement.
type Query struct {
	Position string `json:"position"`
	Text     string `json:"text"`
}

// Level is how bad an issue is.
type Level int

// The levels. What plpgsql_check calls otherwise is below all of them.
const (
	Warning Level = iota
	Error
)

// LevelOf reads a level, also of an issue.
func LevelOf(text string) Level {
	for i, prefix := range []string{"warning", "error"} {
		if strings.HasPrefix(text, prefix) {
			return Level(i)
		}
	}
	return -1
}

// Options says what to check.
type Options struct {
	Schemas []string // none: all but PostgreSQL's and Supabase's own
	// Role is whose search_path the functions are checked with; "" for that of the connection.
	Role string
	// OnSchema is told which schema is next; may be nil.
	OnSchema func(string)
}

// Check checks functions in a transaction that is rolled back. The connection's role has to be a superuser where the database
// does not have the extension. A *extension.MissingError is returned when the installation lacks it.
func Check(ctx context.Context, conn *pgx.Conn, o Options) (findings []Finding, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("failed to begin transaction: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // the database stays as it is
	if _, err := extension.Ensure(ctx, conn, extension.PLpgSQLCheck()); err != nil {
		return nil, err
	}
	sql, err := prepare(ctx, tx, o.Role)
	if err != nil {
		return nil, err
	}
	if len(o.Schemas) == 0 {
		if o.Schemas, err = schemas(ctx, tx); err != nil {
			return nil, err
		}
	}
	for _, schema := range o.Schemas {
		if o.OnSchema != nil {
			o.OnSchema(schema)
		}
		found, err := check(ctx, tx, sql, schema)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// prepare makes the session see what the role would, and returns the query with the extension's schema in it.
func prepare(ctx context.Context, tx pgx.Tx, role string) (sql string, err error) {
	const where = `select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'plpgsql_check'`
	var schema string
	if err := tx.QueryRow(ctx, where).Scan(&schema); err != nil {
		return "", fmt.Errorf("find plpgsql_check: %w", err)
	}
	if role != "" {
		const path = `select set_config('search_path', substr(setting, length('search_path=') + 1), true)
			from pg_roles, unnest(rolconfig) setting where rolname = $1 and setting like 'search\_path=%'`
		if _, err := tx.Exec(ctx, path, role); err != nil {
			return "", fmt.Errorf("take the search_path of %s: %w", role, err)
		}
	}
	return fmt.Sprintf(checkSQL, pgx.Identifier{schema}.Sanitize()), nil
}

// schemas lists those that are neither PostgreSQL's nor Supabase's nor an extension's.
func schemas(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, `
		select n.nspname from pg_namespace n
		where n.nspowner <> all (select oid from pg_roles where rolname in ('supabase_admin', 'supabase_auth_admin', 'supabase_storage_admin'))
		  and n.nspname !~ '^pg_' and n.nspname <> all ('{information_schema,supabase_migrations,pgbouncer,realtime,vault}')
		  and not exists (select from pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')
		order by 1`)
	if err != nil {
		return nil, fmt.Errorf("failed to list schemas: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("failed to list schemas: %w", err)
	}
	return names, nil
}

func check(ctx context.Context, tx pgx.Tx, sql, schema string) ([]Finding, error) {
	rows, err := tx.Query(ctx, sql, schema)
	if err != nil {
		return nil, fmt.Errorf("failed to query rows: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Finding, error) {
		var name, text string
		var f Finding
		if err := row.Scan(&name, &text); err != nil {
			return f, fmt.Errorf("failed to scan rows: %w", err)
		}
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			return f, fmt.Errorf("failed to read what plpgsql_check says of %s.%s: %w", schema, name, err)
		}
		f.Function = schema + "." + name
		return f, nil
	})
}

// AtLeast keeps the issues of a level and above, and the functions that have some.
func AtLeast(findings []Finding, level Level) []Finding {
	var out []Finding
	for _, f := range findings {
		f.Issues = slices.DeleteFunc(slices.Clone(f.Issues), func(i Issue) bool { return LevelOf(i.Level) < level })
		if len(f.Issues) > 0 {
			out = append(out, f)
		}
	}
	return out
}
