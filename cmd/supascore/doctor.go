package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/scorers"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/postgres"
)

func (a *app) doctorCommand() *cobra.Command {
	var flags stackFlags
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at what this machine has for a stack, and try it",
		Long: `Look at what a stack would use on this machine, start and stop a PostgreSQL server
for a try, and check the built-in evals. Exit code 3 when a stack cannot start here.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.doctor(c, &flags) },
	}
	flags.register(c)
	return c
}

func (a *app) doctor(c *cobra.Command, flags *stackFlags) error {
	cfg, err := flags.config(c, a)
	if err != nil {
		return err
	}
	a.out.fact("supascore", "%s on %s/%s, %d processors", version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	seen, err := postgres.Inspect(c.Context(), cfg.Postgres)
	if seen.CacheDir != "" {
		a.out.fact("cache", "%s, %s", seen.CacheDir, imageWords(seen.ImageReady))
		a.out.fact("clusters", "%d", seen.Clusters)
	}
	if err != nil {
		return err
	}
	a.out.fact("postgres", "%s in %s, run as user %s", seen.Version, seen.BinDir, seen.ServerUser)
	if err := a.engineFact(cfg); err != nil {
		return err
	}
	began := time.Now()
	server, err := postgres.Start(c.Context(), cfg.Postgres)
	if err != nil {
		return err
	}
	started := time.Since(began)
	if err := server.Stop(c.Context()); err != nil {
		return err
	}
	a.out.fact("try", "a server started in %s", started.Round(time.Millisecond))
	all, err := evals.List(evals.Builtin(), scorers.Library{})
	if err != nil {
		return err
	}
	violations := 0
	for _, eval := range all {
		violations += len(eval.Violations)
	}
	a.out.fact("evals", "%d, %d violations in their prompts", len(all), violations)
	if violations > 0 {
		return &workspaceError{fmt.Errorf("a prompt gives too much away: see `supascore eval list`")}
	}
	return nil
}

// engineFact says who would play REST and Auth, and why.
func (a *app) engineFact(cfg stack.Config) error {
	choice, err := stack.ChooseEngine(cfg)
	if err != nil {
		return err
	}
	words := string(choice.Engine)
	if choice.Engine == stack.EngineNative {
		words += ": " + choice.Programs.PostgREST.Path + " and " + choice.Programs.Auth.Path
	} else if choice.Reason != "" {
		words += ": " + choice.Reason
	}
	a.out.fact("engine", "%s", words)
	return nil
}

func imageWords(ready bool) string {
	if ready {
		return "cluster image ready"
	}
	return "the next start builds the cluster image first"
}

// fact is one line of what doctor found.
func (p *printer) fact(name, format string, args ...any) {
	p.printf("%-10s %s\n", name, fmt.Sprintf(format, args...))
}
