package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/internal/strictyaml"
)

// exitCode is what the process ends with.
type exitCode int

// The exit codes that scripts can rely on.
const (
	exitOK        exitCode = evals.ExitPassed
	exitFailed    exitCode = evals.ExitFailed
	exitUsage     exitCode = 2
	exitBroken    exitCode = evals.ExitBroken
	exitCancelled exitCode = 130
)

// app is one run of the program: what a process would take from its surroundings.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    []string
	out    *printer
}

// run is the program as a function of its surroundings: args are the name that it was
// called by and its arguments. It never exits.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env}
	a.out = newPrinter(stdout, stderr, a.getenv("NO_COLOR") == "")
	root := a.rootCommand()
	if asStandin(args[0]) {
		root = a.supabaseCommand()
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetArgs(args[1:])
	return a.execute(ctx, root)
}

// execute runs the command line and turns what comes of it into words and a code.
func (a *app) execute(ctx context.Context, root *cobra.Command) int {
	c, err := root.ExecuteContextC(ctx)
	if err != nil && standinRoot(c) != nil {
		return a.standinFailure(err)
	}
	code := codeOf(ctx, err)
	if code == exitCancelled {
		err = fmt.Errorf("cancelled: %w", context.Cause(ctx))
	}
	if err != nil && !errors.As(err, new(silentError)) {
		a.out.error(err)
	}
	return int(code)
}

// getenv looks a variable up in the surroundings of this run; the last setting wins.
func (a *app) getenv(name string) string {
	for i := len(a.env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(a.env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "supascore",
		Short: "Scores Supabase workspaces: what works, what leaks, what is blocked",
		Long: `supascore boots a local Supabase stack from a workspace folder, without Docker,
drives it as real signed-in users, and says check by check what works, what leaks
(somebody gets access they should not have) and what is blocked (somebody loses
access they should have).

Exit codes: 0 all passed, 1 some check failed, 2 usage, 3 the harness or the
stack broke, 130 cancelled.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		RunE:          needsVerb,
		Args:          cobra.ArbitraryArgs,
	}
	root.SetVersionTemplate("supascore {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{err: flagError(c, err), command: c.CommandPath()}
	})
	root.AddCommand(a.demoCommand(), a.evalCommand(), a.stackCommand(), a.taskCommand(), a.parityCommand(),
		a.supabaseCommand(), a.doctorCommand())
	return root
}

// needsVerb is the action of a command that only groups verbs: help without
// arguments, an error with a suggestion for an unknown verb.
func needsVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath())
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := "known commands: " + strings.Join(names, ", ")
	if near, ok := strictyaml.Nearest(args[0], names); ok {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return &usageError{err: err, hint: hint, command: c.CommandPath()}
}

// flagError adds the nearest flag to pflag's words for an unknown one.
func flagError(c *cobra.Command, err error) error {
	text := err.Error()
	given, ok := strings.CutPrefix(text, "unknown flag: --")
	if !ok {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *flagOf) { names = append(names, f.Name) })
	if near, ok := strictyaml.Nearest(given, names); ok {
		return fmt.Errorf("%s (did you mean --%s?)", text, near)
	}
	return err
}

// codeOf maps what a verb returned to the exit code.
func codeOf(ctx context.Context, err error) exitCode {
	var coded codedError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, new(*usageError)):
		return exitUsage
	case errors.As(err, &coded): // a verdict stands, even when Ctrl-C came after it
		return coded.exitCode()
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return exitCancelled
	default:
		return exitBroken
	}
}
