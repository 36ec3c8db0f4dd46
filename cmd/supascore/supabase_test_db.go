package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/standin/pgtap"
)

func (a *app) supabaseTestCommand() *cobra.Command {
	db := a.testDBCommand()
	db.Use = "db [path] ..."
	return a.standinGroup("test", "Run tests on the local stack", db, a.testNewCommand())
}

// testDBCommand is "test db", and by an older name "db test".
func (a *app) testDBCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "test [path] ...", Short: "Tests local database with pgTAP",
		Long: `Run the pgTAP tests in supabase/tests, or those that are named, and report as
pg_prove does. PostgreSQL's installation has to have the extension pgtap.`,
	}
	databaseFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		current, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("failed to get current directory: %w", err)
		}
		for i, p := range args {
			if !filepath.IsAbs(p) {
				args[i] = filepath.Join(current, p)
			}
		}
		debug, err := c.Flags().GetBool("debug")
		if err != nil {
			return err
		}
		chosen, err := a.chosen(c)
		if err != nil {
			return err
		}
		a.say("Connecting to local database...")
		summary, err := pgtap.Run(c.Context(), pgtap.Config{
			URL: chosen.url, Workspace: chosen.project.dir, Paths: args, Verbose: debug, Stdout: a.stdout, Stderr: a.stderr,
		})
		if err != nil {
			return err
		}
		if summary.Files == 0 && summary.OK {
			a.say("There are no tests in %s.", pgtap.Folder)
		}
		if !summary.OK {
			return silentError{exitFailed}
		}
		return nil
	}
	return c
}

func (a *app) testNewCommand() *cobra.Command {
	c := &cobra.Command{Use: "new <name>", Short: "Create a new test file", Args: cobra.ExactArgs(1)}
	template := c.Flags().StringP("template", "t", "pgtap", "template framework to generate: pgtap")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *template != "pgtap" {
			return fmt.Errorf("invalid argument %q for \"-t, --template\" flag: must be one of [ pgtap ]", *template)
		}
		dir, err := a.workdir(c)
		if err != nil {
			return err
		}
		file, err := pgtap.Create(dir, args[0])
		if err != nil {
			return err
		}
		a.out.printf("Created new %s test at %s.\n", *template, file)
		return nil
	}
	return c
}
