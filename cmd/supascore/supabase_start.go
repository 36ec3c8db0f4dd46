package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/standin"
)

func (a *app) supabaseStartCommand() *cobra.Command {
	var excluded []string
	c := &cobra.Command{
		Use: "start", Short: "Start the local stack", Args: cobra.NoArgs,
		Long: `Start the local stack on the ports of config.toml and return when it is ready. It goes
on until "supabase stop"; its data stays for the next start. Auth and REST are the real
ones where "supascore stack install" has put them, otherwise supascore's own;
SUPASCORE_ENGINE=embedded or native insists.`,
	}
	c.Flags().StringSliceVarP(&excluded, "exclude", "x", nil, "names of services to not start ["+strings.Join(standin.Excludable(), ",")+"]")
	c.Flags().Bool("ignore-health-check", false, "accepted; a service that does not answer ends the start all the same")
	c.Flags().Bool("preview", false, "not supported")
	c.Flags().Lookup("preview").Hidden = true
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("preview") {
			return notSupported(c, "--preview")
		}
		without, unknown := standin.Exclude(excluded)
		if len(unknown) > 0 {
			a.say("WARNING: The following container names are not valid to exclude: %s\nValid containers to exclude are: %s",
				strings.Join(unknown, ", "), strings.Join(standin.Excludable(), ", "))
		}
		p, err := a.supabaseProject(c)
		if err != nil {
			return err
		}
		state, err := p.running()
		if err == nil {
			a.say("supabase start is already running.")
			return a.showSupabaseStatus(p, state, "pretty", nil)
		}
		if !errors.Is(err, errStackNotRunning) {
			return err
		}
		if state, err = a.startProject(c, p, without); err != nil {
			return err
		}
		a.say("Started supabase local development setup.\n")
		if err := supabaseStatus(state).Pretty(a.stdout); err != nil {
			return err
		}
		a.supabaseNotices(state)
		return nil
	}
	return c
}

// supabaseDBStartCommand starts the database alone.
func (a *app) supabaseDBStartCommand() *cobra.Command {
	c := &cobra.Command{Use: "start", Short: "Start the local database alone", Args: cobra.NoArgs}
	c.Flags().String("from-backup", "", "not supported")
	c.Flags().Lookup("from-backup").Hidden = true
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("from-backup") {
			return notSupported(c, "--from-backup")
		}
		p, err := a.supabaseProject(c)
		if err != nil {
			return err
		}
		_, err = p.running()
		if err == nil {
			a.say("Postgres database is already running.")
			return nil
		}
		if !errors.Is(err, errStackNotRunning) {
			return err
		}
		_, err = a.startProject(c, p, []stack.Part{stack.PartGateway})
		return err
	}
	return c
}

// supabaseNotices say what a person should know of the stack that was started.
func (a *app) supabaseNotices(state detached.State) {
	for _, warning := range state.Settings.Warnings {
		a.say("WARNING: %s", warning)
	}
	a.say("Engine: %s", engineWords(state.Endpoints))
	if runs(state, stack.PartAuth) {
		a.say("Mails are caught: supascore stack mail --workspace %s", state.Workspace)
	}
	if len(state.Settings.NotProvided) > 0 {
		a.say("Not provided by this stack: %s", strings.Join(state.Settings.NotProvided, ", "))
	}
	a.say("Local dev security notice\n" +
		"This is supascore's stand-in for the Supabase CLI; its services listen on 127.0.0.1 only\n" +
		"API keys and JWT secrets are shared defaults. Do not use in production")
}

// startProject starts the project's stack in a process of its own.
func (a *app) startProject(c *cobra.Command, p *supabaseProject, without []stack.Part) (detached.State, error) {
	child, err := a.servingProcess(c, p, without)
	if err != nil {
		return detached.State{}, err
	}
	kept, err := postgres.FindKept(c.Context(), postgres.Config{}, p.id())
	switch {
	case errors.Is(err, postgres.ErrKeptInUse): // whoever has it knows better
	case err != nil:
		return detached.State{}, err
	case kept != "":
		a.say("Starting database from backup...")
	default:
		a.say("Starting database...")
	}
	state, err := detached.Spawn(c.Context(), child)
	if errors.As(err, new(*detached.RunningError)) {
		// Since we looked, somebody has started it, or is about to.
		if state, err := p.running(); err == nil {
			a.say("supabase start is already running.")
			return state, nil
		}
		return state, errors.New("supabase start is under way in another process")
	}
	return state, p.explainStart(err)
}

// servingProcess is the process that serves the project's stack.
func (a *app) servingProcess(c *cobra.Command, p *supabaseProject, without []stack.Part) (detached.Child, error) {
	program, err := executable(c.Root().Name())
	if err != nil {
		return detached.Child{}, err
	}
	args := []string{"supascore", "supabase", "serve", "--workdir", p.dir, "--project", p.id()}
	for _, part := range without {
		args = append(args, "--without", string(part))
	}
	debug, err := c.Flags().GetBool("debug")
	if err != nil {
		return detached.Child{}, err
	}
	if debug {
		args = append(args, "--debug")
		log, err := detached.LogPath(p.dir)
		if err != nil {
			return detached.Child{}, err
		}
		a.say("Logs are written to %s", log)
	}
	lines := &supabaseProgress{say: a.say}
	return detached.Child{Workspace: p.dir, Path: program, Args: args, Env: a.env, OnProgress: lines.start}, nil
}

// explainStart puts the CLI's words in the place of what the CLI has words for.
func (p *supabaseProject) explainStart(err error) error {
	var spawn *detached.SpawnError
	if !errors.As(err, &spawn) || spawn.Report.Port == 0 {
		return err
	}
	port, alias := spawn.Report.Port, "db"
	if port == int(p.config.API.Port) {
		alias = "kong"
	}
	text := fmt.Sprintf("failed to start %s: Bind for 127.0.0.1:%d failed: port is already allocated",
		standin.ContainerName(alias, p.id()), port)
	if spawn.Report.Owner != "" {
		text += " to " + spawn.Report.Owner
	}
	hint := fmt.Sprintf("Try configuring a different %s port in %s", alias, standin.ConfigPath)
	if other := projectOnPort(port); other != "" {
		hint = fmt.Sprintf("Try stopping the running project with supabase stop --project-id %s\nOr configure a different %s port in %s",
			other, alias, standin.ConfigPath)
	}
	return hintedError{errors.New(text), "\n" + hint}
}

// projectOnPort is the running project that listens on a port; empty when none does.
func projectOnPort(port int) string {
	running, err := detached.Projects("")
	if err != nil {
		return ""
	}
	at := slices.IndexFunc(running, func(s detached.State) bool {
		ending := ":" + strconv.Itoa(port)
		return strings.HasSuffix(s.Endpoints.APIURL, ending) || strings.Contains(s.Endpoints.DBURL, ending+"/")
	})
	if at < 0 {
		return ""
	}
	return running[at].Project
}

// supabaseProgress turns steps of a start or a reset into the CLI's lines.
type supabaseProgress struct {
	say     func(format string, args ...any)
	serving bool
}

func (s *supabaseProgress) start(p detached.Progress) {
	switch p.Phase {
	case "exposure":
		s.say("Initialising schema...")
	case "auth", "rest":
		s.services("Starting services...")
	case "ready":
		s.say("Waiting for health checks...")
	}
	s.file(p)
}

func (s *supabaseProgress) reset(p detached.Progress) {
	switch p.Phase {
	case "postgres":
		s.say("Recreating database...")
	case "exposure":
		s.say("Initialising schema...")
	case "auth", "rest":
		s.services("Restarting services...")
	}
	s.file(p)
}

func (s *supabaseProgress) services(line string) {
	if !s.serving {
		s.say("%s", line)
	}
	s.serving = true
}

func (s *supabaseProgress) file(p detached.Progress) {
	switch p.Kind {
	case migrate.KindRoles:
		s.say("Seeding globals from %s...", path.Base(p.File))
	case migrate.KindMigration:
		s.say("Applying migration %s...", path.Base(p.File))
	case migrate.KindSeed:
		s.say("Seeding data from %s...", p.File)
	}
}
