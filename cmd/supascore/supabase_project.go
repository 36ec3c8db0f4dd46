package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/detached"
)

// supabaseProject is the project that a verb of the stand-in works on.
type supabaseProject struct {
	// dir is the project folder, the one with supabase/ in it, absolute.
	dir string
	// config is the configuration in effect.
	config *config.Config
	// env is the environment that the configuration may refer to.
	env map[string]string
}

// supabaseProject opens the project of a command line.
func (a *app) supabaseProject(c *cobra.Command) (*supabaseProject, error) {
	dir, err := a.workdir(c)
	if err != nil {
		return nil, err
	}
	p := &supabaseProject{dir: dir, env: environment(a.env)}
	p.config, err = config.Load(c.Context(), config.Options{Dir: dir, Env: p.env})
	return p, err
}

// id is what tells local projects apart.
func (p *supabaseProject) id() string { return p.config.ProjectID }

// errStackNotRunning is the CLI's message for a command that needs the local stack.
var errStackNotRunning error = cliError("supabase start is not running.")

// running is the state of the project's stack, wherever it was started from: as with
// the CLI's containers, the id counts. Without one the error is errStackNotRunning.
func (p *supabaseProject) running() (detached.State, error) {
	state, err := detached.Find(p.dir)
	if errors.Is(err, detached.ErrNotRunning) {
		state, err = detached.FindProject("", p.id())
	}
	if errors.Is(err, detached.ErrNotRunning) {
		return state, errStackNotRunning
	}
	return state, err
}

// databaseFlags registers the flags by which commands of the CLI choose a database.
func databaseFlags(c *cobra.Command) {
	c.Flags().Bool("local", true, "the local database")
	c.Flags().String("db-url", "", "the database of this connection string (must be percent-encoded)")
	c.Flags().Bool("linked", false, "the linked project's database (not supported)")
	c.MarkFlagsMutuallyExclusive("db-url", "linked", "local")
}

// databaseURL is the database that a command line chooses: that of --db-url, or the
// running local one, as role postgres.
func (p *supabaseProject) databaseURL(c *cobra.Command) (string, error) {
	if linked, err := c.Flags().GetBool("linked"); err != nil || linked {
		return "", errors.Join(err, notSupported(c, "--linked"))
	}
	if url, err := c.Flags().GetString("db-url"); err != nil || url != "" {
		return url, err
	}
	state, err := p.running()
	return state.Endpoints.DBURL, err
}
