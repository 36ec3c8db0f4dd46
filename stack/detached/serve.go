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
func Serve(ctx context.Context, cfg stack.Config, ready func(State)) (err error) {
	p, err := placeOf(cfg.Workspace)
	if err != nil {
		return err
	}
	if err := p.make(); err != nil {
		return err
	}
	lock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.clear(), lock.Unlock()) }()
	hash, err := configHash(p.workspace)
	if err != nil {
		return err
	}
	if cfg.Engine == stack.EngineAttach {
		return errAttach
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
	auth, err := running.AuthStart()
	if err != nil {
		return err
	}
	state := State{
		PID: os.Getpid(), Workspace: p.workspace, Started: time.Now().UTC(), ConfigHash: hash,
		Endpoints: running.Endpoints(), Settings: running.Settings(), Auth: auth,
	}
	if err := p.write(state); err != nil {
		return fmt.Errorf("write the state of the stack: %w", err)
	}
	if ready != nil {
		ready(state)
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
		return nil, fmt.Errorf("lock %s: %w", p.workspace, err)
	}
	return nil, &RunningError{Workspace: p.workspace}
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
