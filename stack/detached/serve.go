package detached

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/supascore/supascore/stack"
)

// stopTimeout bounds how long a served stack may take to stop.
const stopTimeout = 15 * time.Second

// Serve boots the workspace's stack and keeps it until ctx ends or a part of it
// dies, whose error it then returns. ready is told the state once the stack is up;
// it may be nil. While a stack is served for the workspace already, Serve returns a
// *RunningError.
func Serve(ctx context.Context, cfg stack.Config, ready func(State)) error {
	return ServeProject(ctx, "", cfg, ready)
}

// ServeProject is Serve for a stack that is found by its project, too: of each
// project_id one is served on a machine, whatever the workspace.
func ServeProject(ctx context.Context, project string, cfg stack.Config, ready func(State)) (err error) {
	if cfg.Engine == stack.EngineAttach {
		return errAttach
	}
	at, err := placesOf(cfg, project)
	if err != nil {
		return err
	}
	locks, err := at.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.clear(), locks.unlock()) }()
	hash, err := configHash(at[0].workspace)
	if err != nil {
		return err
	}
	running, err := stack.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, running.Stop(stopCtx))
	}()
	return at.tell(ctx, running, State{
		PID: os.Getpid(), Workspace: at[0].workspace, ConfigHash: hash, Project: project, Without: cfg.Without,
	}, ready)
}

// tell has others find the running stack, and serves them until it ends.
func (all places) tell(ctx context.Context, running *stack.Stack, state State, ready func(State)) (err error) {
	if state.Auth, err = running.AuthStart(); err != nil {
		return err
	}
	state.Started, state.Endpoints, state.Settings = time.Now().UTC(), running.Endpoints(), running.Settings()
	desk, err := listen(ctx, running, func(control Control, settings stack.Settings) error {
		now := state
		now.Control, now.Settings = control, settings
		return all.write(now)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.close()) }()
	told := state
	told.Control = desk.control
	if err := all.write(told); err != nil {
		return err
	}
	if ready != nil {
		ready(told)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-running.Done():
		return running.Err()
	}
}

// errAttach refuses to serve what somebody else serves.
var errAttach = errors.New("a stack that runs already cannot be served again")

// places are where one stack keeps its files, the workspace's first.
type places []place

func placesOf(cfg stack.Config, project string) (places, error) {
	p, err := placeOf(cfg.Workspace)
	if err != nil {
		return nil, err
	}
	all := places{p}
	if project != "" {
		entry, err := entryOf(cfg.Postgres.CacheDir, project)
		if err != nil {
			return nil, err
		}
		all = append(all, entry)
	}
	for _, p := range all {
		if err := p.make(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// locks are the locks of one stack.
type locks []*flock.Flock

func (l locks) unlock() error {
	var errs []error
	for _, lock := range l {
		errs = append(errs, lock.Unlock())
	}
	return errors.Join(errs...)
}

// lock takes all or none of the locks.
func (all places) lock(ctx context.Context) (locks, error) {
	var taken locks
	for _, p := range all {
		lock, err := p.lock(ctx)
		if err != nil {
			return nil, errors.Join(err, taken.unlock())
		}
		taken = append(taken, lock)
	}
	return taken, nil
}

func (all places) write(state State) error {
	for _, p := range all {
		// The folder may have been deleted since; the stack goes on without.
		if err := errors.Join(p.make(), p.write(state)); err != nil {
			return fmt.Errorf("write the state of the stack: %w", err)
		}
	}
	return nil
}

func (all places) clear() error {
	var errs []error
	for _, p := range all {
		errs = append(errs, p.clear())
	}
	return errors.Join(errs...)
}

// lock takes the lock that says a stack is served. Other commands hold it for a
// moment to see whether somebody does, hence the short wait.
func (p place) lock(ctx context.Context) (*flock.Flock, error) {
	waiting, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	lock := flock.New(p.path(lockFile))
	taken, err := lock.TryLockContext(waiting, 10*time.Millisecond)
	switch {
	case taken:
		return lock, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("lock %s: %w", p.of, err)
	}
	return nil, &RunningError{Workspace: p.of}
}

// clear takes away what tells of a running stack. The lock file stays: removing a
// file that others may be waiting on would let two hold "the" lock.
func (p place) clear() error {
	err := os.Remove(p.path(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// configHash is the hash of the file that Auth and REST are configured by; of no
// file, the hash of nothing.
func configHash(workspace string) (string, error) {
	text, err := os.ReadFile(filepath.Join(workspace, "supabase", "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Changed reports whether config.toml is another one than the stack was started
// with: what was edited since is not in force until the stack is started again.
func (s State) Changed() (bool, error) {
	now, err := configHash(s.Workspace)
	return now != s.ConfigHash, err
}
