package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/standin"
)

func (a *app) supabaseInitCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{Use: "init", Short: "Initialize a local project", Args: cobra.NoArgs}
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing "+standin.ConfigPath)
	c.Flags().BoolP("interactive", "i", false, "ask for editor settings (never asked here)")
	refused := []string{"use-orioledb", "with-vscode-settings", "with-vscode-workspace", "with-intellij-settings"}
	for _, name := range refused {
		c.Flags().Bool(name, false, "not supported")
		c.Flags().Lookup(name).Hidden = true
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		for _, name := range refused {
			if c.Flags().Changed(name) {
				return notSupported(c, "--"+name)
			}
		}
		// Unlike every other command, init does not look for a project upwards.
		if dir, err := c.Flags().GetString("workdir"); err != nil {
			return err
		} else if dir == "" && a.getenv("SUPABASE_WORKDIR") == "" {
			if err := c.Flags().Set("workdir", "."); err != nil {
				return err
			}
		}
		dir, err := a.workdir(c)
		if err != nil {
			return err
		}
		if err := standin.Init(dir, force); err != nil {
			return err
		}
		a.out.printf("Finished supabase init.\n")
		return nil
	}
	return c
}

// notSupported refuses an option that the CLI has and the stand-in has not.
func notSupported(c *cobra.Command, option string) error {
	return fmt.Errorf("%s %s: this is supascore's stand-in for the Supabase CLI, which does not support that", standinPath(c), option)
}
