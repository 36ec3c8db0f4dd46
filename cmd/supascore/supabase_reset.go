package main

import (
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/standin"
)

func (a *app) supabaseResetCommand() *cobra.Command {
	var options stack.ResetOptions
	c := &cobra.Command{
		Use: "reset", Short: "Make the local database anew from migrations and seed", Args: cobra.NoArgs,
		Long: `Make the local database anew: nothing of the old one stays, and roles.sql, the migrations
and the seed files are applied as they are now. Auth and the REST API keep the settings
that they were started with; for others, run "supabase stop" and "supabase start".`,
	}
	databaseFlags(c)
	c.Flags().BoolVar(&options.NoSeed, "no-seed", false, "skip the seed files")
	c.Flags().StringVar(&options.Version, "version", "", "reset up to the specified version")
	c.Flags().UintVar(&options.Last, "last", 0, "reset up to the last n migration versions")
	c.MarkFlagsMutuallyExclusive("version", "last")
	c.RunE = func(c *cobra.Command, _ []string) error {
		for _, other := range []string{"linked", "db-url"} {
			if c.Flags().Changed(other) {
				return notSupported(c, "--"+other)
			}
		}
		p, err := a.supabaseProject(c)
		if err != nil {
			return err
		}
		state, err := p.running()
		if err != nil {
			return err
		}
		to := "..."
		if options.Version != "" {
			to = " to version: " + options.Version
		}
		a.say("Resetting local database%s", to)
		lines := &supabaseProgress{say: a.say}
		if err := detached.Reset(c.Context(), state, options, lines.reset); err != nil {
			return err
		}
		if changed, err := state.Changed(); err != nil {
			return err
		} else if changed {
			a.say("WARNING: %s was edited after the start; Auth and the REST API go on as they were started", standin.ConfigPath)
		}
		a.say("Finished supabase db reset on branch %s.", standin.Branch(p.dir))
		return nil
	}
	return c
}
