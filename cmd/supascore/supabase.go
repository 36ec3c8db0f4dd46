package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/standin"
)

// The verbs of the stand-in keep the words, the streams and the exit codes of the
// Supabase CLI, which scripts and agents read: results on stdout, everything else on
// stderr, an error as the bare message with a suggestion below it, exit code 1 for
// every failure. What they do not do they refuse by name.

// standinMark marks the command below which the stand-in's rules of output hold.
const standinMark = "stands in for the Supabase CLI"

// standinVerbs are the verbs and groups of verbs that the stand-in has.
func (a *app) standinVerbs() []*cobra.Command {
	return []*cobra.Command{
		a.supabaseInitCommand(),
		a.supabaseStartCommand(),
		a.supabaseStopCommand(),
		a.supabaseStatusCommand(),
		a.supabaseServeCommand(),
		a.standinGroup("db", "Manage the local database",
			append(a.databaseTools(), a.supabaseDBStartCommand(), a.supabaseResetCommand())...),
		a.supabaseGenCommand(),
		a.supabaseMigrationCommand(),
		a.supabaseSeedCommand(),
		a.supabaseTestCommand(),
	}
}

// supabaseCommand is the stand-in for the Supabase CLI.
func (a *app) supabaseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "supabase",
		Short: "Stand in for the Supabase CLI where there is no Docker",
		Long: `supascore's stand-in for the Supabase CLI: the commands for local development that
docs and scripts use, on supascore's own stack, without Docker. A link to supascore
that is named "supabase" is this command.

Commands that are not listed here end with exit code 1 and do nothing.`,
		Version:           standin.Contract + "+supascore",
		Annotations:       map[string]string{standinMark: ""},
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              cobra.ArbitraryArgs,
		RunE:              a.unsupported,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	// A script wants the number; that it is not the real one's is part of it.
	c.SetVersionTemplate("{{.Version}}\n")
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
			return a.unsupported(c, args) // the flag is one of a command that we do not have
		}
		return flagError(c, err)
	})
	standinFlags(c)
	c.PersistentPreRun = func(c *cobra.Command, _ []string) {
		if c.Flags().Changed("network-id") {
			a.say("--network-id is ignored: this is supascore's stand-in for the Supabase CLI, which needs no Docker network")
		}
	}
	c.AddCommand(a.standinVerbs()...)
	return c
}

// standinFlags registers the flags that every command of the CLI takes. Those that
// speak of Docker or of the hosted service are taken for the sake of scripts.
func standinFlags(c *cobra.Command) {
	flags := c.PersistentFlags()
	flags.String("workdir", "", "path to a Supabase project directory")
	flags.Bool("debug", false, "output debug logs to stderr")
	flags.StringP("output", "o", "pretty", "output format: env, pretty, json, toml or yaml")
	flags.Bool("yes", false, "answer yes to all prompts")
	flags.Bool("experimental", false, "enable experimental features (there are none)")
	flags.String("network-id", "", "ignored: there is no Docker network")
	flags.String("profile", "supabase", "ignored: the hosted service is never asked")
	flags.String("dns-resolver", "native", "ignored: the hosted service is never asked")
	flags.String("agent", "auto", "output of db query for an agent: yes, no or auto")
	flags.Bool("create-ticket", false, "ignored: errors are reported to nobody")
	for _, ignored := range []string{"network-id", "profile", "dns-resolver", "create-ticket", "experimental"} {
		flags.Lookup(ignored).Hidden = true
	}
}

// standinGroup is a command that only groups verbs. Verbs that it lacks are refused.
func (a *app) standinGroup(name, short string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: a.unsupported,
	}
	c.AddCommand(verbs...)
	return c
}

// unsupported is the action of a group: its help without arguments, and the refusal
// of what the stand-in does not do.
func (a *app) unsupported(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	path := standinPath(c) + " " + args[0]
	return fmt.Errorf("%s: this is supascore's stand-in for the Supabase CLI; it does: %s",
		path, strings.Join(standinPaths(standinRoot(c)), ", "))
}

// standinRoot is the command of the stand-in that c is below; nil when it is not.
func standinRoot(c *cobra.Command) *cobra.Command {
	for ; c != nil; c = c.Parent() {
		if _, ok := c.Annotations[standinMark]; ok {
			return c
		}
	}
	return nil
}

// standinPath is the name of a command as somebody who uses the CLI knows it.
func standinPath(c *cobra.Command) string {
	path := c.CommandPath()
	if at := strings.Index(path, "supabase"); at > 0 {
		path = path[at:]
	}
	return path
}

// standinPaths lists the verbs below a command, such as "db reset".
func standinPaths(c *cobra.Command) []string {
	var paths []string
	for _, sub := range c.Commands() {
		switch {
		case !sub.IsAvailableCommand() || sub.Name() == "help":
		case sub.HasAvailableSubCommands():
			paths = append(paths, standinPaths(sub)...)
		default:
			paths = append(paths, strings.TrimPrefix(standinPath(sub), "supabase "))
		}
	}
	slices.Sort(paths)
	return paths
}

// standinFailure prints an error as the CLI does and returns its exit code, which is
// 1 for everything.
func (a *app) standinFailure(err error) int {
	if errors.As(err, new(silentError)) {
		return int(exitFailed)
	}
	red := a.out.renderErr.NewStyle().Foreground(lipgloss.Color("9"))
	for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") { // all at once would be padded
		fmt.Fprintln(a.stderr, red.Render(line))
	}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		fmt.Fprintln(a.stderr, hinted.Hint())
	}
	return int(exitFailed)
}

// say writes a line about what is going on, as the CLI does: to stderr, bare.
func (a *app) say(format string, args ...any) {
	io.WriteString(a.stderr, fmt.Sprintf(format, args...)+"\n") //nolint:errcheck // nobody could be told
}

// workdir is the project folder of a command line, absolute: --workdir, otherwise
// SUPABASE_WORKDIR, otherwise the project that the current folder is in. When it is
// another folder than the current one, that is said.
func (a *app) workdir(c *cobra.Command) (string, error) {
	current, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("failed to get current directory: %w", err)
	}
	dir, err := c.Flags().GetString("workdir")
	if err != nil {
		return "", err
	}
	if dir == "" {
		dir = a.getenv("SUPABASE_WORKDIR")
	}
	if dir == "" {
		dir = standin.Root(current)
	}
	shown := dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(current, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("failed to change workdir: chdir %s: no such file or directory", shown)
	}
	if dir != current {
		a.say("Using workdir %s", shown)
	}
	return dir, nil
}

// asStandin says whether the program was called by the name of what it stands in for.
func asStandin(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == "supabase"
}
