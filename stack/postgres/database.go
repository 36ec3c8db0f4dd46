package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
)

// CreateDatabase makes a database that is what postgres was when the server
// started: the Supabase schema and nothing else, owned by role postgres. It
// fails when the name is taken.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	conn, err := s.connectAdmin(ctx)
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return createDatabase(ctx, conn, name)
}

// DropDatabase removes a database and throws out whoever is connected to it. A
// database that does not exist is no error.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	conn, err := s.connectAdmin(ctx)
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)")
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// createDatabase copies the template and grants what is granted on databases,
// which a copy does not inherit.
func createDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	ident := pgx.Identifier{name}.Sanitize()
	// Copying files is faster than logging each page, because nothing is synced.
	_, err := conn.Exec(ctx, "create database "+ident+" template "+template+" strategy file_copy owner postgres")
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	if _, err := conn.Exec(ctx, bootstrap.DatabaseGrants(name)); err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// connectAdmin opens a session that may do anything, in the database postgres.
func (s *Server) connectAdmin(ctx context.Context) (*pgx.Conn, error) {
	return s.backend.connect(ctx, bootstrap.Superuser, "postgres")
}
