package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Run executes one script in one transaction on a connection of Superuser. A
// script that changed role or settings does not pass that on. The error names
// file, line and column of the statement that failed.
func Run(ctx context.Context, conn *pgx.Conn, s Script) error {
	// The simple protocol runs many statements as one transaction.
	if _, err := conn.PgConn().Exec(ctx, s.SQL).ReadAll(); err != nil {
		return fmt.Errorf("bootstrap %s: %w", where(s, err), err)
	}
	if _, err := conn.PgConn().Exec(ctx, "reset role; reset all").ReadAll(); err != nil {
		return fmt.Errorf("bootstrap %s: %w", s.Name, err)
	}
	return nil
}

// where is "file:line:col" when the server said where it stumbled.
func where(s Script, err error) string {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Position <= 0 {
		return s.Name
	}
	// Position counts characters from 1.
	text := []rune(s.SQL)
	before := string(text[:min(int(pgErr.Position)-1, len(text))])
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Sprintf("%s:%d:%d", s.Name, line, column)
}

// DatabaseGrants is the SQL that gives the project's roles their rights on a
// database, as Superuser, from any database of the cluster. A database that is
// copied from a template does not inherit them.
// Source: supabase/postgres, migrations/db (demote-postgres, post-setup,
// supabase_auth_admin_db_grants).
func DatabaseGrants(database string) string {
	name := pgx.Identifier{database}.Sanitize()
	return "grant all on database " + name + " to postgres, dashboard_user;\n" +
		"grant create on database " + name + " to supabase_auth_admin;\n"
}
