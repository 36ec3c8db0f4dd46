package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/postgres"
)

// supabaseServeCommand is the process that serves the stack; `start` starts it.
func (a *app) supabaseServeCommand() *cobra.Command {
	var (
		project string
		without []string
	)
	c := &cobra.Command{Use: "serve", Short: "Serve a stack for `supabase start`", Hidden: true, Args: cobra.NoArgs}
	c.Flags().StringVar(&project, "project", "", "id under which the stack is known and its data is kept")
	c.Flags().StringArrayVar(&without, "without", nil, "a part to leave out")
	c.RunE = func(c *cobra.Command, _ []string) error {
		reporter, err := detached.OpenReporter()
		if err != nil {
			return fmt.Errorf("use `supabase start`: %w", err)
		}
		cfg, err := a.supabaseStack(c, project, without)
		if err != nil {
			return errors.Join(err, reporter.Send(reportOf(err)))
		}
		cfg.OnPhase = func(name string) { reporter.Progress(detached.Progress{Phase: name}) }
		cfg.OnFile = func(kind migrate.Kind, path string) { reporter.Progress(detached.Progress{Kind: kind, File: path}) }
		err = detached.ServeProject(c.Context(), project, cfg, func(state detached.State) {
			if err := reporter.Send(detached.Report{State: &state}); err != nil {
				cfg.Log.Warn("the command that started this stack is gone", "error", err)
			}
		})
		err = explainKept(err)
		return errors.Join(err, reporter.Send(reportOf(err)))
	}
	return c
}

// explainKept says how somebody gets on whose data cannot be used any more.
func explainKept(err error) error {
	var unusable *postgres.KeptError
	if !errors.As(err, &unusable) {
		return err
	}
	return hintedError{err, "Run supabase stop --no-backup to delete it; the next start makes it anew from the migrations.\nUntil then " + unusable.Hint() + "."}
}

// supabaseStack is the configuration of the stack that `supabase start` serves.
func (a *app) supabaseStack(c *cobra.Command, project string, without []string) (stack.Config, error) {
	debug, err := c.Flags().GetBool("debug")
	if err != nil {
		return stack.Config{}, err
	}
	flags := stackFlags{engine: a.supabaseEngine(), verbose: debug}
	cfg, err := flags.config(c, a)
	if err != nil {
		return cfg, err
	}
	cfg.Workspace, err = a.workdir(c)
	cfg.Ports, cfg.Postgres.Kept = stack.PortsOfConfig, project
	for _, part := range without {
		cfg.Without = append(cfg.Without, stack.Part(part))
	}
	return cfg, err
}

// supabaseEngine is who plays REST and Auth: SUPASCORE_ENGINE, otherwise the real
// executables where they are installed, and this module's engines elsewhere.
func (a *app) supabaseEngine() string {
	if engine := a.getenv("SUPASCORE_ENGINE"); engine != "" {
		return engine
	}
	return string(stack.EngineAuto)
}
