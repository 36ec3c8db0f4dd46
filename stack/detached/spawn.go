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
	"sync"
	"syscall"
	"time"

	"github.com/supascore/supascore/stack/migrate"
)

// The serving process tells its outcome through this inherited file descriptor.
const reportFD = 3

// Report is what a serving process tells the command that spawned it, once.
type Report struct {
	// Progress is set in the reports before the last: what is being done.
	Progress *Progress `json:"progress,omitempty"`
	// State is set when the stack is up.
	State *State `json:"state,omitempty"`
	// Error and Hint are set when it did not come up, Fault when it is known whose
	// doing that is.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
	Fault string `json:"fault,omitempty"`
	// Port is set when it did not come up because somebody else has this port, whom
	// Owner names where that is known.
	Port  int    `json:"port,omitempty"`
	Owner string `json:"owner,omitempty"`
}

// Progress is a step of a start or a reset: a phase that begins, or a file of the
// workspace that is applied.
type Progress struct {
	Phase string       `json:"phase,omitempty"`
	Kind  migrate.Kind `json:"kind,omitempty"`
	File  string       `json:"file,omitempty"`
}

// SpawnError is a detached stack that did not come up.
type SpawnError struct{ Report Report }

// Error is what the serving process said.
func (e *SpawnError) Error() string { return e.Report.Error }

// Hint is what to do about it.
func (e *SpawnError) Hint() string { return e.Report.Hint }

// Child says which process serves a stack.
type Child struct {
	// Workspace is the workspace folder.
	Workspace string
	// Path is the executable, Args its name and arguments, Env its environment.
	Path string
	Args []string
	Env  []string
	// OnProgress is told what the process reports before it is done; may be nil.
	OnProgress func(Progress)
}

// Spawn starts a process of its own session that serves the workspace's stack (it has
// to use OpenReporter), and waits for its report. The process goes on when Spawn
// returns the state; it is ended when ctx ends first. Its output goes to the log of
// the workspace.
func Spawn(ctx context.Context, child Child) (State, error) {
	p, err := placeOf(child.Workspace)
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
	cmd := &exec.Cmd{Path: child.Path, Args: child.Args, Env: child.Env, Stdout: log, Stderr: log}
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = errors.Join(cmd.Start(), write.Close())
	if err != nil {
		return State{}, fmt.Errorf("start the serving process: %w", err)
	}
	state, err := await(ctx, cmd, reports(read, child.OnProgress))
	if errors.Is(err, errNoWord) {
		err = fmt.Errorf("%w; its log ends with:\n%s", err, p.logTail())
	}
	return state, err
}

// outcome is the last report, or why there is none.
type outcome struct {
	report Report
	err    error
}

// reports reads reports until the last one. The pipe ends when the process ends, so a
// process that dies without a word does not hang its parent.
func reports(read io.Reader, onProgress func(Progress)) <-chan outcome {
	got := make(chan outcome, 1)
	go func() {
		lines := json.NewDecoder(bufio.NewReader(read))
		for {
			var o outcome
			o.err = lines.Decode(&o.report)
			if o.err == nil && o.report.Progress != nil {
				if onProgress != nil {
					onProgress(*o.report.Progress)
				}
				continue
			}
			got <- o
			return
		}
	}()
	return got
}

// errNoWord is a serving process that ended without its last report.
var errNoWord = errors.New("the serving process ended without a word")

func await(ctx context.Context, cmd *exec.Cmd, got <-chan outcome) (State, error) {
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
		return State{}, fmt.Errorf("%w (%v)", errNoWord, exit)
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
type Reporter struct {
	mu   sync.Mutex
	pipe *os.File
}

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
	return &Reporter{pipe: pipe}, nil
}

var errNotSpawned = errors.New("this process was not spawned by `supascore stack start`")

// Progress reports a step. It may be called from several goroutines, and does nothing
// after the last report.
func (r *Reporter) Progress(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pipe != nil {
		_ = json.NewEncoder(r.pipe).Encode(Report{Progress: &p}) // nobody may be listening any more
	}
}

// Send sends the last report and hangs up. What comes after it is ignored.
func (r *Reporter) Send(report Report) error {
	r.mu.Lock()
	defer r.mu.Unlock()
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
	p, err := placeOf(workspace)
	if err != nil {
		return State{}, err
	}
	return p.stop(ctx)
}

func (p place) stop(ctx context.Context) (State, error) {
	state, err := p.find()
	if errors.Is(err, ErrNotRunning) {
		if swept := p.sweep(ctx); swept != nil {
			return state, swept
		}
	}
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
	return state, errors.Join(err, p.sweep(ctx))
}

// sweep takes away the state of a process that was killed: it has keys in it.
func (p place) sweep(ctx context.Context) error {
	if _, err := os.Stat(p.path(stateFile)); err != nil {
		return nil //nolint:nilerr // nothing to take away
	}
	lock, err := p.lock(ctx)
	if errors.As(err, new(*RunningError)) {
		return nil // somebody has just started
	}
	if err != nil {
		return err
	}
	return errors.Join(p.clear(), lock.Unlock())
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
