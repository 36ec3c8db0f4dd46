package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// command is one run of a program that is not ours, and may say and do anything.
type command struct {
	path string
	args []string
	dir  string
	env  []string
	// limit is how long it may take.
	limit time.Duration
	// both has what it says on its standard error among its output.
	both bool
}

const (
	// maxOutput bounds what is kept of each of a program's streams, in bytes.
	maxOutput = 1 << 20
	// grace is what a program gets at most to clean up after it was interrupted.
	grace = 10 * time.Second
	// quoted is how many lines of a program's words an error repeats.
	quoted = 8
)

// run runs the program in a process group of its own and returns what it printed.
// Programs that take too long, and all that they have started, are interrupted, and
// killed when that does not help. Errors are *commandError, which quotes what the
// program said on its standard error (the other stream may hold keys), or ctx's.
func (c command) run(ctx context.Context) (stdout []byte, err error) {
	path, err := exec.LookPath(c.path)
	if err != nil {
		return nil, &commandError{command: c, missing: true}
	}
	limited, cancel := context.WithTimeoutCause(ctx, c.limit, errTooLong)
	defer cancel()
	var out, errs capped
	cmd := exec.CommandContext(limited, path, c.args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, c.env, &out, &errs
	if c.both {
		cmd.Stderr = &out
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = min(grace, c.limit)
	err = cmd.Run()
	if cmd.Process != nil && limited.Err() != nil {
		// What is left of the group; there is none when all ended by themselves.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(context.Cause(limited), errTooLong):
		return nil, &commandError{command: c, late: true, said: errs.tail()}
	case err != nil:
		return nil, &commandError{command: c, err: err, said: errs.tail()}
	}
	return out.Bytes(), nil
}

var errTooLong = errors.New("it took too long")

// commandError is a program that did not do what was asked.
type commandError struct {
	command command
	missing bool
	late    bool
	err     error
	said    string
}

// Error is the command line and what became of it, with its last words.
func (e *commandError) Error() string {
	line := strings.Join(append([]string{e.command.path}, e.command.args...), " ")
	text := fmt.Sprintf("`%s`: %v", line, e.err)
	switch {
	case e.missing:
		return fmt.Sprintf("there is no program %s in PATH", e.command.path)
	case e.late:
		text = fmt.Sprintf("`%s` did not end within %s", line, e.command.limit)
	}
	if said := strings.TrimSpace(e.said); said != "" {
		text += "; it said:\n" + said
	}
	return text
}

func (e *commandError) Unwrap() error { return e.err }

// capped keeps the first maxOutput bytes of what is written to it.
type capped struct{ bytes.Buffer }

// Write never fails: a program that says too much is not stopped by it.
func (c *capped) Write(p []byte) (int, error) {
	c.Buffer.Write(p[:min(len(p), maxOutput-c.Len())])
	return len(p), nil
}

// tail is the last lines.
func (c *capped) tail() string {
	lines := strings.Split(strings.TrimSpace(c.String()), "\n")
	tail := strings.Join(lines[max(0, len(lines)-quoted):], "\n")
	if tail != "" {
		tail += "\n"
	}
	return tail
}
