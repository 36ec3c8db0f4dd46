package arena

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// What follows is for whoever lends candidates a database of another kind: the same SQL
// in it, the same limits of a session, the same look at what a candidate changed.

// ProbeSQL is SQL that makes schema supascore with the functions that tests see with:
// look, make_look, owner_run and owner_rows. Who runs it owns them and is what they see
// as; nobody else may use them yet.
func ProbeSQL() (string, error) { return script("probe") }

// RunSQL is SQL that makes the function by which SQL that has no request of its own is
// run as the caller, under another name than in a clone. Whom its privileges let in is
// as for every new function there.
func RunSQL(schema, name string) (string, error) {
	text, err := script("run")
	return strings.Replace(text, `"supascore_api"."run"`, pgx.Identifier{schema, name}.Sanitize(), 1), err
}

// SessionSettings are the settings that a session of candidates and tests begins with.
func SessionSettings(l Limits) map[string]string { return sessionSettings(l.withDefaults()) }

// WithDefaults returns the limits with each field that is zero set to its default.
func (l Limits) WithDefaults() Limits { return l.withDefaults() }

// RunScript runs SQL in one go in a session, so that it is one transaction unless it says
// otherwise. name is what errors call it, limit how long it may take. Whatever is wrong
// with the SQL is a *SQLError, which may have cost the session; other errors are the
// machine's, or ctx's.
func RunScript(ctx context.Context, conn *pgx.Conn, name, sql string, limit time.Duration) error {
	return runScript(ctx, conn, scriptRun{name: name, sql: sql, limit: limit})
}

// Objects reads what a candidate may change behind the grader's back, object to state.
// Policies, privileges and row level security are not among it.
func Objects(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	return lookObjects(ctx, conn, allSections())
}

// CompareObjects says in what two answers of Objects differ.
func CompareObjects(before, after map[string]string) []Change { return compareObjects(before, after) }

// CompareRows says which tables of before have other rows now.
func CompareRows(before, after Rows) []Change { return compareRows(before, after) }

// LookRows reads the rows of a database with supascore.look.
func LookRows(ctx context.Context, conn *pgx.Conn) (Rows, error) { return lookRows(ctx, conn) }
