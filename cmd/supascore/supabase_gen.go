package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/standin/gentypes"
)

func (a *app) supabaseGenCommand() *cobra.Command {
	return a.standinGroup("gen", "Run code generation tools", a.genTypesCommand())
}

func (a *app) genTypesCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "types", Short: "Generate types from Postgres schema",
		Long: `Generate TypeScript types of the tables, views, functions, enums and composite types
that the API exposes, for supabase-js.`,
		Args:    cobra.MaximumNArgs(1),
		Example: "  supabase gen types --local > database.types.ts\n  supabase gen types --local --schema public,private",
	}
	databaseFlags(c)
	c.Flags().Lookup("local").DefValue = "false" // the database is always named
	lang := c.Flags().String("lang", "typescript", "output language of the generated types: typescript")
	schemas := c.Flags().StringSliceP("schema", "s", nil, "comma separated list of schema to include (default public and those of [api] schemas)")
	timeout := c.Flags().Duration("query-timeout", 15*time.Second, "maximum timeout allowed for the database query")
	c.Flags().String("project-id", "", "generate types from a project ID (not supported)")
	for name, usage := range map[string]string{"swift-access-control": "for Swift (not supported)", "postgrest-v9-compat": "for PostgREST 9 (not supported)"} {
		c.Flags().String(name, "", usage)
		c.Flags().Lookup(name).NoOptDefVal = "true"
		c.Flags().Lookup(name).Hidden = true
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := genTypesRefusal(c, args, *lang); err != nil {
			return err
		}
		chosen, err := a.chosen(c)
		if err != nil {
			return err
		}
		config, err := pgx.ParseConfig(chosen.url)
		if err != nil {
			return fmt.Errorf("failed to parse connection string: %w", err)
		}
		if len(*schemas) == 0 {
			*schemas = unique(append([]string{"public"}, chosen.project.config.API.Schemas...))
		}
		a.say("Connecting to %s %d", config.Host, config.Port)
		ctx, cancel := context.WithTimeoutCause(c.Context(), *timeout, fmt.Errorf("the database took longer than %s (--query-timeout)", *timeout))
		defer cancel()
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return fmt.Errorf("failed to connect to postgres: %w", err)
		}
		defer hangUp(ctx, conn)
		module, err := gentypes.TypeScript(ctx, conn, *schemas)
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		a.out.printf("%s", module)
		return nil
	}
	return c
}

// genTypesRefusal refuses what the CLI refuses, and what the stand-in does not do.
func genTypesRefusal(c *cobra.Command, args []string, lang string) error {
	given := c.Flags().Changed
	for _, name := range []string{"project-id", "swift-access-control", "postgrest-v9-compat"} {
		if given(name) {
			return notSupported(c, "--"+name)
		}
	}
	switch {
	case len(args) > 0 && args[0] != "typescript" && !given("lang"):
		return errors.New("use --lang flag to specify the typegen language")
	case slices.Contains([]string{"go", "swift", "python"}, lang):
		return notSupported(c, "--lang "+lang)
	case lang != "typescript":
		return fmt.Errorf("invalid argument %q for \"--lang\" flag: must be one of [ typescript | go | swift | python ]", lang)
	case !given("local") && !given("linked") && !given("db-url"):
		return cliError("Must specify one of --local, --linked, --project-id, or --db-url")
	}
	return nil
}

// unique drops what was there before.
func unique(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
