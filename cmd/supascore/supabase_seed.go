package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// supabaseSeedCommand is a group that in the CLI has one verb, for Storage. It is there
// to say where seed files are run.
func (a *app) supabaseSeedCommand() *cobra.Command {
	buckets := &cobra.Command{
		Use: "buckets", Short: "Seed buckets declared in [storage.buckets] (not supported)", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return hintedError{
				errors.New("supabase seed buckets: this is supascore's stand-in for the Supabase CLI, whose stack has no Storage"),
				"The SQL files of [db.seed] are run by supabase db reset.",
			}
		},
	}
	buckets.Flags().Bool("local", true, "")
	buckets.Flags().Bool("linked", false, "")
	buckets.Hidden = true
	c := a.standinGroup("seed", "Seed a Supabase project from supabase/config.toml", buckets)
	c.Hidden = true
	return c
}
