package main

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/standin/lint"
	"github.com/supascore/supascore/stack/standin/query"
)

func (a *app) supabaseLintCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "lint", Short: "Checks local database for typing error", Args: cobra.NoArgs,
		Long: `Check the PL/pgSQL functions of the local database and print what is wrong as JSON.
PostgreSQL's installation has to have the extension plpgsql_check.`,
	}
	databaseFlags(c)
	schemas := c.Flags().StringSliceP("schema", "s", nil, "comma separated list of schema to include (default all of the project's)")
	level := c.Flags().String("level", "warning", "error level to emit: warning or error")
	failOn := c.Flags().String("fail-on", "none", "error level to exit with non-zero status: none, warning or error")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *level != "warning" && *level != "error" {
			return fmt.Errorf("invalid argument %q for \"--level\" flag: must be one of [ warning | error ]", *level)
		}
		if !slices.Contains([]string{"none", "warning", "error"}, *failOn) {
			return fmt.Errorf("invalid argument %q for \"--fail-on\" flag: must be one of [ none | warning | error ]", *failOn)
		}
		found, err := a.lint(c, *schemas)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			a.say("\nNo schema errors found")
			return nil
		}
		found = lint.AtLeast(found, lint.LevelOf(*level))
		if len(found) == 0 {
			return nil
		}
		if err := query.WriteJSON(a.stdout, found); err != nil {
			return err
		}
		if *failOn != "none" && len(lint.AtLeast(found, lint.LevelOf(*failOn))) > 0 {
			return fmt.Errorf("fail-on is set to %s, non-zero exit", *failOn)
		}
		return nil
	}
	return c
}

// lint checks the database that a command line chooses.
func (a *app) lint(c *cobra.Command, schemas []string) ([]lint.Finding, error) {
	chosen, err := a.chosen(c)
	if err != nil {
		return nil, err
	}
	options := lint.Options{Schemas: schemas, OnSchema: func(s string) { a.say("Linting schema: %s", s) }}
	address := chosen.url
	if chosen.local {
		// In a project postgres may create the extension; without supautils a superuser
		// has to, for the time of the check. Functions see what postgres does.
		if address, err = asRole(address, "supabase_admin"); err != nil {
			return nil, err
		}
		options.Role = "postgres"
	}
	conn, err := a.open(c.Context(), chosen, address)
	if err != nil {
		return nil, err
	}
	defer hangUp(c.Context(), conn)
	return lint.Check(c.Context(), conn, options)
}

// asRole is the address of a local database with another user: all have one password.
func asRole(address, role string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("read the database's address: %w", err)
	}
	password, _ := u.User.Password()
	u.User = url.UserPassword(role, password)
	return u.String(), nil
}
