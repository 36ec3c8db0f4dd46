// Package proc owns one supervised child process: it starts it, keeps the end
// of what it prints, stops it with a signal, a grace period and a kill, and
// always waits for it. It promises that the child does not outlive this
// process, even when this process is killed with SIGKILL. It is not a
// supervisor that restarts: a child that dies stays dead and says why.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Config says what to run and how to stop it. Path is required, everything
// else has a default.
type Config struct {
	// Path is the absolute path of the executable.
	Path string
	// Args are the arguments after the executable's own name.
	Args []string
	// Env is the whole environment, as "NAME=value". Nil means the
	// environment of this process.
	Env []string
	// Dir is the working directory. Empty means the current one.
	Dir string
	// Credential is the user and group to run as; only root may set it. Nil
	// means the user of this process.
	Credential *Credential
	// StopSignal is what Stop sends first, and what the child gets when this
	// process dies. Default SIGTERM.
	StopSignal syscall.Signal
	// Grace is how long Stop waits after StopSignal before it kills. Default
	// 5 seconds.
	Grace time.Duration
	// TailBytes is how much of the child's output is kept. Default 256 KiB.
	TailBytes int
	// Output gets what the child prints on both outputs as well, as it comes and from
	// one goroutine at a time. A slow writer slows the child down. Nil: nobody.
	Output io.Writer
	// Watchdog says who ends the child when this process is killed. The zero
	// value picks the best way that the platform has.
	Watchdog Watchdog
}

// Credential is the unprivileged identity that a child of root runs as. Groups
// beyond the primary one are dropped.
type Credential struct {
	// UID and GID are the numeric user and group.
	UID, GID uint32
}

// Watchdog is a way to end a child whose parent was killed.
type Watchdog int

const (
	// WatchdogAuto is the kernel's parent-death signal where there is one
	// (Linux) and a shell on the read end of a pipe elsewhere.
	WatchdogAuto Watchdog = iota
	// WatchdogShell is the shell on every platform.
	WatchdogShell
)

func (c Config) withDefaults() Config {
	if c.StopSignal == 0 {
		c.StopSignal = syscall.SIGTERM
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.TailBytes == 0 {
		c.TailBytes = 256 << 10
	}
	return c
}

func (c Config) validate() error {
	if !filepath.IsAbs(c.Path) {
		return fmt.Errorf("proc: path %q is not absolute", c.Path)
	}
	if c.Grace < 0 {
		return fmt.Errorf("proc: grace %s is negative", c.Grace)
	}
	if c.TailBytes < 0 {
		return fmt.Errorf("proc: tail of %d bytes is negative", c.TailBytes)
	}
	return nil
}

// Process is a child that was started. All methods may be called from any
// goroutine, also after the child has ended.
type Process struct {
	cfg  Config
	cmd  *exec.Cmd
	out  *ring
	done chan struct{}

	mu       sync.Mutex
	stopping bool
	waitErr  error
}

// Start runs the child and returns as soon as it is running. ctx bounds the
// start only; the child lives until it ends by itself or Stop is called. The
// error is the reason why nothing was started.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(cfg.Path), context.Cause(ctx))
	}
	out := newRing(cfg.TailBytes)
	cmd := exec.Command(cfg.Path, cfg.Args...) //nolint:noctx // Stop owns the end of the child, not a context
	var sink io.Writer = out
	if cfg.Output != nil {
		sink = io.MultiWriter(out, cfg.Output)
	}
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = cfg.Env, cfg.Dir, sink, sink
	cmd.SysProcAttr = sysProcAttr(cfg)
	// A grandchild may keep the output pipe open after the child's end; Wait
	// must not hang on it.
	cmd.WaitDelay = time.Second

	p := &Process{cfg: cfg, cmd: cmd, out: out, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(cfg.Path), err)
	}
	return p, nil
}

// run forks the child and waits for it on one locked thread: the kernel's
// parent-death signal is sent when the forking *thread* ends (prctl(2)), and
// the Go runtime is free to end idle threads that nobody holds.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	guard, err := newGuard(p.cfg)
	if err != nil {
		started <- err
		return
	}
	if err := p.cmd.Start(); err != nil {
		guard.release()
		started <- err
		return
	}
	guard.watch(p.cmd.Process.Pid)
	started <- nil

	err = p.cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the child itself ended well
	}
	guard.release()
	p.mu.Lock()
	p.waitErr = err
	p.mu.Unlock()
	close(p.done)
}

// PID is the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and was waited for.
func (p *Process) Done() <-chan struct{} { return p.done }

// State is the exit status, nil while the child runs.
func (p *Process) State() *os.ProcessState {
	select {
	case <-p.done:
		return p.cmd.ProcessState
	default:
		return nil
	}
}

// Err is nil while the child runs and after Stop. When the child ended on its
// own it says how, as an *ExitError with the end of the output. That is an
// error for exit status 0, too: a server has no business ending. Whoever runs
// a program that has an end asks State first.
func (p *Process) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return nil
	}
	return &ExitError{Name: filepath.Base(p.cfg.Path), State: p.cmd.ProcessState, Tail: p.out.tail(20), cause: p.waitErr}
}

// Tail is the last n lines of what the child printed on both outputs.
func (p *Process) Tail(n int) string { return p.out.tail(n) }

// Output is everything of the child's output that is still kept, at most
// Config.TailBytes.
func (p *Process) Output() string { return p.out.String() }

// Stop sends StopSignal, waits for Grace or until ctx ends, then kills, and
// returns when the child is gone. It may be called again and at the same time
// from several goroutines. The error says that the child had to be killed.
func (p *Process) Stop(ctx context.Context) error {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()

	select {
	case <-p.done:
		return nil
	default:
	}
	// An error means that the child has just ended; done will say so.
	_ = p.cmd.Process.Signal(p.cfg.StopSignal)
	grace := time.NewTimer(p.cfg.Grace)
	defer grace.Stop()
	var why error
	select {
	case <-p.done:
		return nil
	case <-grace.C:
		why = fmt.Errorf("did not end within %s of %s", p.cfg.Grace, p.cfg.StopSignal)
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", filepath.Base(p.cfg.Path), err)
	}
	<-p.done
	return fmt.Errorf("stop %s: killed: %w", filepath.Base(p.cfg.Path), why)
}

// ExitError says how a child ended that nobody stopped.
type ExitError struct {
	// Name is the executable's base name.
	Name string
	// State is the exit status.
	State *os.ProcessState
	// Tail is the end of the child's output, up to 20 lines.
	Tail string

	cause error
}

// Error names the exit status and quotes the end of the output.
func (e *ExitError) Error() string {
	status := "ended"
	if e.State != nil {
		status = "ended: " + e.State.String()
	}
	if e.Tail == "" {
		return e.Name + " " + status
	}
	return e.Name + " " + status + "; last output:\n" + e.Tail
}

// Unwrap is what waiting for the child reported.
func (e *ExitError) Unwrap() error { return e.cause }
