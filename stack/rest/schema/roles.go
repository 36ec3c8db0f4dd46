package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Roles are the settings that apply to a transaction of each role.
type Roles map[string]RoleSettings

// RoleSettings are settings stored with ALTER ROLE … SET that the connected role may set for a transaction.
type RoleSettings struct {
	Isolation string    // default_transaction_isolation, empty without one
	Settings  []Setting // the others, by name
}

// LoadRoles reads the settings of the roles that the connected role is a member of (PostgREST documentation,
// "Impersonated role settings").
func LoadRoles(ctx context.Context, conn *pgx.Conn) (Roles, error) {
	roles := make(Roles)
	err := forEach(ctx, conn, "role_settings", func(rows pgx.Rows) error {
		var role, name, value string
		if err := rows.Scan(&role, &name, &value); err != nil {
			return err
		}
		settings := roles[role]
		if name == "default_transaction_isolation" {
			settings.Isolation = value
		} else {
			settings.Settings = append(settings.Settings, Setting{name, value})
		}
		roles[role] = settings
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the settings of roles: %w", err)
	}
	return roles, nil
}

// LoadServerSettings reads the server's own settings that are stored on the connected role as pgrst.name (PostgREST
// documentation, "In-database configuration"). Keys are without the prefix, such as "db_max_rows".
func LoadServerSettings(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	settings := make(map[string]string)
	err := forEach(ctx, conn, "server_settings", func(rows pgx.Rows) error {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		settings[name] = value
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the settings of the server: %w", err)
	}
	return settings, nil
}

// LoadTimezones reads the names of the time zones that PostgreSQL knows. It takes a tenth of a second, since PostgreSQL
// reads a file for each.
func LoadTimezones(ctx context.Context, conn *pgx.Conn) (map[string]bool, error) {
	names := make(map[string]bool)
	rows, err := conn.Query(ctx, "select name from pg_catalog.pg_timezone_names")
	if err != nil {
		return nil, fmt.Errorf("read the time zones: %w", err)
	}
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name}, func() error {
		names[name] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the time zones: %w", err)
	}
	return names, nil
}

// forEach runs an embedded query without arguments.
func forEach(ctx context.Context, conn *pgx.Conn, name string, scan func(pgx.Rows) error) error {
	text, err := query(name)
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	return each(name, scan)(rows)
}
