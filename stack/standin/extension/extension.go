// Package extension knows PostgreSQL extensions that come in packages of their own, and makes them in a database when a tool
// needs one. It promises that an installation without the extension is told from every other failure, with the name of the
// package to install.
package extension

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Extension is an extension and where it comes from.
type Extension struct {
	Name    string // as in CREATE EXTENSION
	Debian  string // the Debian package, with %d for PostgreSQL's major version
	Formula string // the Homebrew formula, "" when there is none
	Source  string // where its source is
}

// PgTAP has the functions of pgTAP tests.
func PgTAP() Extension {
	return Extension{Name: "pgtap", Debian: "postgresql-%d-pgtap", Formula: "pgtap", Source: "https://pgtap.org"}
}

// PLpgSQLCheck checks the bodies of PL/pgSQL functions.
func PLpgSQLCheck() Extension {
	return Extension{
		Name: "plpgsql_check", Debian: "postgresql-%d-plpgsql-check", Source: "https://github.com/okbob/plpgsql_check",
	}
}

// MissingError says that the PostgreSQL installation lacks an extension.
type MissingError struct {
	Extension Extension
	Major     int // the server's major version
}

// Error names the extension.
func (e *MissingError) Error() string {
	return fmt.Sprintf("this PostgreSQL %d installation has no extension %s", e.Major, e.Extension.Name)
}

// Hint names the package.
func (e *MissingError) Hint() string {
	hint := fmt.Sprintf("install it: Debian and Ubuntu have it as "+e.Extension.Debian, e.Major)
	if e.Extension.Formula != "" {
		hint += ", Homebrew as " + e.Extension.Formula
	}
	return hint + "; source: " + e.Extension.Source + "\n" +
		"the stack has to run on the installation with it: SUPASCORE_POSTGRES_BIN names its bin folder"
}

// Check returns a *MissingError when the server's installation lacks the extension.
func Check(ctx context.Context, conn *pgx.Conn, e Extension) error {
	const sql = `select current_setting('server_version_num')::int / 10000, exists (select from pg_available_extensions where name = $1)`
	var major int
	var there bool
	if err := conn.QueryRow(ctx, sql, e.Name).Scan(&major, &there); err != nil {
		return fmt.Errorf("look for extension %s: %w", e.Name, err)
	}
	if !there {
		return &MissingError{Extension: e, Major: major}
	}
	return nil
}

// Ensure makes the extension in schema extensions unless the database has it, and reports whether it did.
func Ensure(ctx context.Context, conn *pgx.Conn, e Extension) (made bool, err error) {
	var there bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_extension where extname = $1)", e.Name).Scan(&there); err != nil {
		return false, fmt.Errorf("look for extension %s: %w", e.Name, err)
	}
	if there {
		return false, nil
	}
	if err := Check(ctx, conn, e); err != nil {
		return false, err
	}
	if _, err := conn.Exec(ctx, "create extension "+pgx.Identifier{e.Name}.Sanitize()+" with schema extensions"); err != nil {
		return false, fmt.Errorf("create extension %s: %w", e.Name, err)
	}
	return true, nil
}
