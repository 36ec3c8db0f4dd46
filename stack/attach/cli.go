package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// CLI finds a stack by asking the `supabase` command of the Supabase CLI, or whatever
// else is called so in PATH.
type CLI struct {
	// Path is the program; default "supabase", looked up in PATH.
	Path string
	// Env is its environment; nil means that of this process.
	Env []string
	// Start runs `supabase start` when nothing runs yet, and Close then `supabase stop`,
	// which keeps the database for the next start. What ran before stays.
	Start bool
	// StatusTimeout, StartTimeout and StopTimeout bound the three commands. Defaults:
	// 30 s, 15 min (images may have to be pulled), 2 min.
	StatusTimeout, StartTimeout, StopTimeout time.Duration

	workspace string
	started   bool
}

var _ Finder = (*CLI)(nil)

func (c *CLI) run(ctx context.Context, limit, fallback time.Duration, args ...string) ([]byte, error) {
	if limit == 0 {
		limit = fallback
	}
	path := c.Path
	if path == "" {
		path = "supabase"
	}
	return command{path: path, args: args, dir: c.workspace, env: c.Env, limit: limit}.run(ctx)
}

// Find asks for the status of the workspace's stack, and starts it when that is wanted
// and it does not run. Errors: *CLIError, ErrNotRunning (wrapped), ctx's.
func (c *CLI) Find(ctx context.Context, workspace string) (Place, error) {
	c.workspace = workspace
	place, err := c.status(ctx)
	if !c.Start || !errors.Is(err, ErrNotRunning) {
		return place, err
	}
	// From here on, whatever there is of a stack is ours: `start` may leave a part of
	// one when it is interrupted.
	c.started = true
	if _, err := c.run(ctx, c.StartTimeout, 15*time.Minute, "start"); err != nil {
		return Place{}, cliError(err)
	}
	return c.status(ctx)
}

func (c *CLI) status(ctx context.Context) (Place, error) {
	out, err := c.run(ctx, c.StatusTimeout, 30*time.Second, "status", "-o", "json")
	if err != nil {
		return Place{}, cliError(err)
	}
	place, err := ParseStatus(out)
	if err != nil {
		return Place{}, fmt.Errorf("`supabase status -o json`: %w", err)
	}
	return place, nil
}

// Close stops what Find started. It may take as long as the CLI takes, whatever ctx
// says: half of a stack is worse than a late end.
func (c *CLI) Close(ctx context.Context) error {
	if !c.started {
		return nil
	}
	c.started = false
	_, err := c.run(context.WithoutCancel(ctx), c.StopTimeout, 2*time.Minute, "stop")
	return err
}

// CLIError is a `supabase` command that failed, or is not there.
type CLIError struct {
	// Err is what became of it, with its last words.
	Err error
	// Workspace is true when the command refused the workspace, such as a migration.
	Workspace bool
	hint      string
}

// Error is what became of the command.
func (e *CLIError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *CLIError) Unwrap() error { return e.Err }

// Hint is what to do about it.
func (e *CLIError) Hint() string { return e.hint }

// cliError tells a stack that does not run and a workspace that is refused from other
// failures, by what the CLI says: its exit code is 1 for all of them.
func cliError(err error) error {
	var failed *commandError
	if !errors.As(err, &failed) {
		return err
	}
	said := strings.ToLower(failed.said)
	switch {
	case failed.missing:
		return &CLIError{Err: err, hint: "install the Supabase CLI, or give --api-url, --db-url and --publishable-key instead"}
	case failed.late:
		return &CLIError{Err: err, hint: "does Docker answer? try the command by hand"}
	case strings.Contains(said, "cannot connect to the docker daemon"), strings.Contains(said, "docker is not running"):
		return &CLIError{Err: err, hint: "start Docker, or give --api-url, --db-url and --publishable-key of a stack that needs none"}
	case strings.Contains(said, "no such container"), strings.Contains(said, "is not running"):
		// Docker's words for the database's container, and the CLI's own.
		return fmt.Errorf("%w: %w", ErrNotRunning, err)
	case strings.Contains(said, "(sqlstate "):
		return &CLIError{Err: err, Workspace: true}
	}
	return &CLIError{Err: err, hint: "try the command by hand, in the workspace's folder"}
}
