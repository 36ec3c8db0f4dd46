package detached

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// The serving process tells its outcome through this inherited file descriptor.
const reportFD = 3

// Report is what a serving process tells the command that spawned it, once.
type Report struct {
	// State is set when the stack is up.
	State *State `json:"state,omitempty"`
	// Error and Hint are set when it did not come up, Fault when it is known whose
	// doing that is.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// SpawnError is a detached stack that did not come up.
type SpawnError struct{ Report Report }

// Error is what the serving process said.
func (e *SpawnError) Error() string { return e.Report.Error }

// Hint is what to do about it.
func (e *SpawnError) Hint() string { return e.Report.Hint }

// Spawn starts program with args as a process of its own session that serves the
// workspace's stack (it has to use OpenReporter), and waits for its report. The
// process goes on when Spawn returns the state; it is ended when ctx ends first.
// Its output goes to the log of the workspace.
func Spawn(ctx context.Context, workspace, program string, args, env []string) (State, error) {
	p, err := placeOf(workspace)
	if err != nil {
		return State{}, err
	}
	if err := p.make(); err != nil {
		return State{}, err
	}
	if alive, err := p.alive(); err != nil {
		return State{}, err
	} else if alive {
		return State{}, &RunningError{Workspace: p.workspace}
	}
	log, err := os.OpenFile(p.path(logFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return State{}, fmt.Errorf("open the log: %w", err)
	}
	defer log.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return State{}, err
	}
	defer read.Close()
	// Not CommandContext: the process is to outlive this command.
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = errors.Join(cmd.Start(), write.Close())
	if err != nil {
		return State{}, fmt.Errorf("start the serving process: %w", err)
	}
	return await(ctx, cmd, read, p)
}

// await reads the report. The pipe ends when the process ends, so a process that
// dies without a word does not hang its parent.
func await(ctx context.Context, cmd *exec.Cmd, read io.Reader, p place) (State, error) {
	type outcome struct {
		report Report
		err    error
	}
	got := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = json.NewDecoder(bufio.NewReader(read)).Decode(&o.report)
		got <- o
	}()
	select {
	case <-ctx.Done():
		err := cmd.Process.Signal(syscall.SIGTERM)
		return State{}, errors.Join(context.Cause(ctx), err, cmd.Wait())
	case o := <-got:
		if o.err == nil && o.report.State != nil {
			return *o.report.State, cmd.Process.Release()
		}
		exit := cmd.Wait()
		if o.err == nil {
			return State{}, &SpawnError{o.report}
		}
		return State{}, fmt.Errorf("the serving process ended without a word (%v); its log ends with:\n%s", exit, p.logTail())
	}
}

// logTailLines is how much of a log an error quotes.
const logTailLines = 20

func (p place) logTail() string {
	text, err := os.ReadFile(p.path(logFile))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-logTailLines):], "\n")
}

// Reporter is the line from a serving process to the command that spawned it.
type Reporter struct{ pipe *os.File }

// OpenReporter takes up the line. It has to be called before the process starts
// children, which would otherwise keep the line open. In a process that Spawn did
// not start it is an error.
func OpenReporter() (*Reporter, error) {
	pipe := os.NewFile(reportFD, "report")
	if pipe == nil {
		return nil, errNotSpawned
	}
	info, err := pipe.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errNotSpawned
	}
	syscall.CloseOnExec(reportFD)
	return &Reporter{pipe}, nil
}

var errNotSpawned = errors.New("this process was not spawned by `supascore stack start`")

// Send sends the one report and hangs up. What comes after the first is ignored.
func (r *Reporter) Send(report Report) error {
	if r.pipe == nil {
		return nil
	}
	err := errors.Join(json.NewEncoder(r.pipe).Encode(report), r.pipe.Close())
	r.pipe = nil
	return err
}

// killAfter is how long a serving process may take to stop before it is killed.
const killAfter = 20 * time.Second

// Stop ends the workspace's stack and waits until it is gone. Without one it
// returns ErrNotRunning. A process that does not end in time is killed; its
// Postgres ends with it, and what it leaves on disk is swept by the next start.
func Stop(ctx context.Context, workspace string) (State, error) {
	state, err := Find(workspace)
	if err != nil {
		return state, err
	}
	p, err := placeOf(workspace)
	if err != nil {
		return state, err
	}
	if err := syscall.Kill(state.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return state, fmt.Errorf("stop process %d: %w", state.PID, err)
	}
	gone, err := p.gone(ctx, killAfter)
	if gone || err != nil {
		return state, err
	}
	if err := syscall.Kill(state.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return state, fmt.Errorf("kill process %d: %w", state.PID, err)
	}
	gone, err = p.gone(ctx, killAfter)
	if err == nil && !gone {
		err = fmt.Errorf("process %d does not end", state.PID)
	}
	return state, errors.Join(err, p.clear())
}

// gone waits until nobody holds the lock of the place.
func (p place) gone(ctx context.Context, limit time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		alive, err := p.alive()
		if err != nil || !alive {
			return !alive, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errLimit) {
				return false, nil
			}
			return false, context.Cause(ctx)
		}
	}
}

var errLimit = errors.New("time limit")
