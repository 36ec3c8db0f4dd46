package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/proc"
)

func (a *app) stackCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "stack",
		Short: "Start, look at and stop the stack of a workspace",
		RunE:  needsVerb,
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(a.stackStartCommand(), a.stackStatusCommand(), a.stackStopCommand(), a.stackMailCommand(), a.stackLogsCommand(), a.stackInstallCommand(), a.stackServeCommand())
	return c
}

// workspaceFlag registers --workspace with the current folder as its default.
func workspaceFlag(c *cobra.Command) *string {
	return c.Flags().StringP("workspace", "w", ".", "the project folder, the one with supabase/ in it")
}

func (a *app) stackStartCommand() *cobra.Command {
	var (
		flags      stackFlags
		foreground bool
		random     bool
	)
	c := &cobra.Command{
		Use:   "start",
		Short: "Start the workspace's stack on the ports of its config.toml",
		Long: `Start the workspace's stack on the ports of its config.toml and return when it is
ready; it goes on until "stack stop". With --foreground it runs until Ctrl-C. Starting
a stack that runs shows its status.`,
		Args: noArgs,
	}
	workspace := workspaceFlag(c)
	c.Flags().BoolVar(&foreground, "foreground", false, "stay with the stack until Ctrl-C")
	c.Flags().BoolVar(&random, "random-ports", false, "free ports instead of those of config.toml")
	flags.register(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := flags.config(c, a)
		if err != nil {
			return err
		}
		if state, err := detached.Find(*workspace); err == nil {
			a.out.note("the stack of this workspace is running already")
			return a.showStatus(state)
		}
		if !foreground {
			return a.spawnStack(c.Context(), *workspace, os.Args[0], serveArgs(c))
		}
		cfg.Workspace, cfg.Ports = *workspace, ports(random)
		live := a.out.progress("starting the stack")
		cfg.OnPhase = live.phase
		err = detached.Serve(c.Context(), cfg, func(state detached.State) {
			live.stop()
			a.out.endpoints(state.Endpoints)
			a.out.note("the stack is running; press Ctrl-C to stop it")
		})
		live.stop()
		return startFailure(err)
	}
	return c
}

func ports(random bool) stack.Ports {
	if random {
		return stack.PortsRandom
	}
	return stack.PortsOfConfig
}

// serveArgs are the arguments of the hidden verb that serves with the same flags.
func serveArgs(c *cobra.Command) []string {
	args := []string{"stack", "serve"}
	c.Flags().Visit(func(f *flagOf) { args = append(args, "--"+f.Name+"="+f.Value.String()) })
	return args
}

func (a *app) spawnStack(ctx context.Context, workspace, program string, args []string) error {
	program, err := executable(program)
	if err != nil {
		return err
	}
	live := a.out.progress("starting the stack")
	defer live.stop()
	state, err := detached.Spawn(ctx, detached.Child{
		Workspace: workspace, Path: program, Args: append([]string{"supascore"}, args...), Env: a.env,
	})
	live.stop()
	var running *detached.RunningError
	if errors.As(err, &running) {
		return &usageError{err: err, hint: running.Hint(), command: "supascore stack start"}
	}
	if err != nil {
		return startFailure(err)
	}
	a.out.endpoints(state.Endpoints)
	a.out.note("the stack is running; stop it with `supascore stack stop`")
	return nil
}

// executable is the path by which this program can be started again.
func executable(fallback string) (string, error) {
	if path, err := os.Executable(); err == nil {
		return path, nil
	}
	return fallback, nil
}

// startFailure gives a workspace that cannot be booted the exit code of a finding.
func startFailure(err error) error {
	var start *stack.StartError
	if errors.As(err, &start) && start.Fault == stack.FaultWorkspace {
		return &workspaceError{err}
	}
	var spawn *detached.SpawnError
	if errors.As(err, &spawn) && spawn.Report.Fault == string(stack.FaultWorkspace) {
		return &workspaceError{err}
	}
	return err
}

// workspaceError is a stack that does not start because of its workspace: exit code 1.
type workspaceError struct{ error }

func (e *workspaceError) Unwrap() error      { return e.error }
func (e *workspaceError) exitCode() exitCode { return exitFailed }

func (a *app) stackServeCommand() *cobra.Command {
	var (
		flags  stackFlags
		random bool
	)
	c := &cobra.Command{Use: "serve", Short: "Serve a stack for the command that spawned this one", Hidden: true, Args: noArgs}
	workspace := workspaceFlag(c)
	c.Flags().BoolVar(&random, "random-ports", false, "free ports instead of those of config.toml")
	c.Flags().Bool("foreground", false, "")
	flags.register(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		reporter, err := detached.OpenReporter()
		if err != nil {
			return usagef(c, "use `supascore stack start`", "%w", err)
		}
		cfg, err := flags.config(c, a)
		if err != nil {
			return errors.Join(err, reporter.Send(detached.Report{Error: err.Error()}))
		}
		cfg.Workspace, cfg.Ports = *workspace, ports(random)
		err = detached.Serve(c.Context(), cfg, func(state detached.State) {
			if err := reporter.Send(detached.Report{State: &state}); err != nil {
				cfg.Log.Warn("the command that started this stack is gone", "error", err)
			}
		})
		return errors.Join(err, reporter.Send(reportOf(err)))
	}
	return c
}

func reportOf(err error) detached.Report {
	report := detached.Report{Error: "the stack ended"}
	if err == nil {
		return report
	}
	report.Error = err.Error()
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		report.Hint = hinted.Hint()
	}
	var start *stack.StartError
	if errors.As(err, &start) {
		report.Fault = string(start.Fault)
	}
	var port *proc.PortError
	if errors.As(err, &port) {
		report.Port = port.Port
		if port.Owner.PID != 0 {
			report.Owner = port.Owner.String()
		}
	}
	return report
}

func (a *app) stackStatusCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "status",
		Short: "Show where the workspace's stack can be reached",
		Long:  `Show where the workspace's stack can be reached. Exit code 1 when none is running.`,
		Args:  noArgs,
	}
	workspace := workspaceFlag(c)
	c.Flags().StringVarP(&format, "output", "o", "pretty", "pretty or json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if format != "pretty" && format != "json" {
			return usagef(c, "", "--output takes pretty or json, got %q", format)
		}
		state, err := detached.Find(*workspace)
		if err != nil {
			return notRunning(c, err)
		}
		if format == "json" {
			encoder := json.NewEncoder(a.stdout)
			encoder.SetIndent("", "  ")
			return encoder.Encode(state)
		}
		return a.showStatus(state)
	}
	return c
}

func (a *app) showStatus(state detached.State) error {
	a.out.endpoints(state.Endpoints)
	changed, err := state.Changed()
	if err != nil {
		return err
	}
	if changed {
		a.out.note("config.toml was edited after the start; stop and start the stack for it to take effect")
	}
	return nil
}

// notRunning turns "no stack is running" into exit code 1 with a hint.
func notRunning(_ *cobra.Command, err error) error {
	if errors.Is(err, detached.ErrNotRunning) {
		return &workspaceError{hintedError{err, "start it with `supascore stack start`"}}
	}
	return err
}

// hintedError adds a remedy to an error.
type hintedError struct {
	error
	hint string
}

func (e hintedError) Unwrap() error { return e.error }

// Hint is the remedy.
func (e hintedError) Hint() string { return e.hint }

func (a *app) stackStopCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "stop",
		Short: "Stop the workspace's stack and throw its data away",
		Long: `Stop the workspace's stack and throw its data away, except for a stack of "supascore
supabase start", whose data stays until "supabase stop --no-backup". Stopping none is no
error.`,
		Args: noArgs,
	}
	workspace := workspaceFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		state, err := detached.Stop(c.Context(), *workspace)
		if errors.Is(err, detached.ErrNotRunning) {
			a.out.note("%s", err)
			return nil
		}
		if err != nil {
			return err
		}
		a.out.note("stopped the stack at %s", state.Endpoints.APIURL)
		return nil
	}
	return c
}
