package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/migrate"
)

// migrationDownCommand goes back to an earlier version the way the CLI does: not by
// undoing anything, but by a database that stops there.
func (a *app) migrationDownCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "down", Short: "Resets applied migrations up to the last n versions", Args: cobra.NoArgs,
		Long: `Make the local database anew without the last migrations that were applied to it. All
data is lost, users included; the seed files are run.`,
	}
	databaseFlags(c)
	last := c.Flags().Uint("last", 1, "reset up to the last n migration versions")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *last == 0 {
			return errors.New("--last must be greater than 0")
		}
		if c.Flags().Changed("db-url") {
			return notSupported(c, "--db-url")
		}
		conn, chosen, err := a.connect(c)
		if err != nil {
			return err
		}
		applied, err := migrate.History(c.Context(), conn)
		hangUp(c.Context(), conn) // a database that is made anew has no connections
		if err != nil {
			return err
		}
		keep := len(applied) - int(min(*last, uint(len(applied)))) //nolint:gosec // not more than applied has
		if keep == 0 {
			return hintedError{
				fmt.Errorf("--last must be smaller than total applied migrations: %d", len(applied)),
				"Try supabase db reset if you want to revert all migrations.",
			}
		}
		question := "Do you want to revert the following migrations?\n • " + strings.Join(applied[keep:], "\n • ") +
			"\nWARNING: you will lose all data in this database."
		if ok, err := a.confirm(c, question); err != nil || !ok {
			return errors.Join(err, errDeclined)
		}
		return a.downTo(c, chosen.project, applied[keep-1])
	}
	return c
}

// downTo makes the database anew up to a version.
func (a *app) downTo(c *cobra.Command, p *supabaseProject, version string) error {
	state, err := p.running()
	if err != nil {
		return err
	}
	a.say("Resetting database to version: %s", version)
	lines := &supabaseProgress{say: a.say}
	return detached.Reset(c.Context(), state, stack.ResetOptions{Version: version}, lines.reset)
}
