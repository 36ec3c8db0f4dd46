package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/postgres"
)

func (a *app) supabaseStopCommand() *cobra.Command {
	s := supabaseStop{app: a}
	c := &cobra.Command{
		Use: "stop", Short: "Stop the local stack", Args: cobra.NoArgs,
		Long: `Stop the local stack. Its data stays for the next start unless --no-backup is given.
Stopping none is no error.`,
	}
	c.Flags().BoolVar(&s.noBackup, "no-backup", false, "delete the data after stopping")
	c.Flags().Bool("backup", true, "keep the data")
	c.Flags().Lookup("backup").Hidden = true
	c.Flags().StringVar(&s.project, "project-id", "", "id of the local project to stop")
	c.Flags().BoolVar(&s.all, "all", false, "stop the local stacks of all projects on this machine")
	c.MarkFlagsMutuallyExclusive("project-id", "all")
	c.RunE = s.run
	return c
}

type supabaseStop struct {
	app      *app
	noBackup bool
	project  string
	all      bool
}

func (s *supabaseStop) run(c *cobra.Command, _ []string) error {
	dir, projects, err := s.targets(c)
	if err != nil {
		return err
	}
	s.app.say("Stopping services...")
	var kept []string
	for _, id := range projects {
		if err := stopProject(c.Context(), dir, id); err != nil {
			return err
		}
		folder, err := s.keepOrDelete(c.Context(), id)
		if err != nil {
			return err
		}
		if folder != "" {
			kept = append(kept, folder)
		}
	}
	s.app.out.printf("Stopped supabase local development setup.\n")
	for _, folder := range kept {
		s.app.say("Local data are kept in %s", folder)
	}
	if len(kept) > 0 {
		s.app.say("Run supabase stop --no-backup to delete them.")
	}
	return nil
}

// targets are the projects to stop, and the folder of the only one that has one.
func (s *supabaseStop) targets(c *cobra.Command) (dir string, projects []string, err error) {
	switch {
	case s.project != "":
		return "", []string{s.project}, nil
	case !s.all:
		p, err := s.app.supabaseProject(c)
		if err != nil {
			return "", nil, err
		}
		return p.dir, []string{p.id()}, nil
	}
	running, err := detached.Projects("")
	if err != nil {
		return "", nil, err
	}
	for _, state := range running {
		projects = append(projects, state.Project)
	}
	stopped, err := postgres.KeptNames(postgres.Config{})
	projects = append(projects, stopped...)
	slices.Sort(projects)
	return "", slices.Compact(projects), err
}

// keepOrDelete ends what a killed process may have left running on the project's data,
// and deletes the data when that is wanted. It returns the folder of kept data.
func (s *supabaseStop) keepOrDelete(ctx context.Context, id string) (string, error) {
	var (
		folder string
		err    error
	)
	if s.noBackup {
		_, err = postgres.RemoveKept(ctx, postgres.Config{}, id)
	} else {
		folder, err = postgres.FindKept(ctx, postgres.Config{}, id)
	}
	if errors.Is(err, postgres.ErrKeptInUse) {
		err = hintedError{err, "Another command is starting or stopping the same project."}
	}
	return folder, err
}

// stopProject ends the stack of a project, wherever it was started: by its folder or
// by its id. No stack is no error.
func stopProject(ctx context.Context, dir, id string) error {
	if dir != "" {
		if _, err := detached.Stop(ctx, dir); err != nil && !errors.Is(err, detached.ErrNotRunning) {
			return err
		}
	}
	if _, err := detached.StopProject(ctx, "", id); err != nil && !errors.Is(err, detached.ErrNotRunning) {
		return err
	}
	return nil
}
