// Package detached owns stacks that outlive the command which started them: the
// process that serves one, the state file by which other commands find it, and how
// it is stopped. It promises that a workspace has at most one such stack, that a
// state file of a dead process is never taken for a running stack, and that nothing
// is left after Stop. What a stack is, package stack knows.
package detached

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
)

// folder is where a workspace keeps what belongs to a running stack, below the
// folder that the Supabase CLI uses for the same and that its .gitignore names.
const folder = "supabase/.temp/supascore"

const (
	stateFile = "stack.json"
	lockFile  = "stack.lock"
	logFile   = "stack.log"
)

// State is what a serving process tells about its stack. The file that holds it is
// readable for its owner only: it has the stack's keys.
type State struct {
	// PID is the process that serves the stack.
	PID int `json:"pid"`
	// Workspace is the absolute path of the workspace folder.
	Workspace string `json:"workspace"`
	// Started is when the stack was ready, UTC.
	Started time.Time `json:"started"`
	// Endpoints are the stack's addresses and keys.
	Endpoints stack.Endpoints `json:"endpoints"`
	// Settings are the choices that shape what the stack does.
	Settings stack.Settings `json:"settings"`
	// ConfigHash is the hash of config.toml at the start (hex SHA-256): a later file
	// has another one, and its changes are not in force.
	ConfigHash string `json:"config_hash"`
	// Project is the project_id under which the stack is registered on this machine;
	// empty for one that is known by its workspace only.
	Project string `json:"project,omitempty"`
	// Without are the parts that were not started.
	Without []stack.Part `json:"without,omitempty"`
	// Control is how the serving process is spoken to.
	Control Control `json:"control"`
	// Auth is what Auth was started with, for whoever comes to the stack later; nil in
	// a state that an older version wrote.
	Auth *attach.AuthStart `json:"auth,omitempty"`
}

// ErrNotRunning is returned, wrapped, when a workspace has no running stack.
var ErrNotRunning = errors.New("no stack is running")

// RunningError is returned when a workspace already has a running stack.
type RunningError struct {
	// Workspace is the workspace's folder.
	Workspace string
}

// Error names the workspace.
func (e *RunningError) Error() string {
	return fmt.Sprintf("a stack is already running for %s", e.Workspace)
}

// Hint says how to see and how to end it.
func (e *RunningError) Hint() string {
	return "see it with `supascore stack status`, end it with `supascore stack stop`"
}

// place is where a stack keeps its files: in its workspace, and in the register of
// projects when it is in there.
type place struct {
	// of says whose place it is, for messages.
	of string
	// workspace is empty for a place in the register.
	workspace, dir string
	// prefix begins the names of its files.
	prefix string
}

func placeOf(workspace string) (place, error) {
	abs, err := filepath.Abs(workspace)
	if err != nil {
		return place{}, fmt.Errorf("workspace %s: %w", workspace, err)
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return place{}, fmt.Errorf("workspace %s: there is no such folder", workspace)
	}
	return place{of: abs, workspace: abs, dir: filepath.Join(abs, filepath.FromSlash(folder))}, nil
}

func (p place) path(name string) string { return filepath.Join(p.dir, p.prefix+name) }

// make creates the folder. supabase/ itself has to be there: a stack of a folder
// that is no workspace would only litter it.
func (p place) make() error {
	if p.workspace == "" {
		return os.MkdirAll(p.dir, 0o700)
	}
	if _, err := os.Stat(filepath.Join(p.workspace, "supabase")); err != nil {
		return &noSupabaseError{p.workspace}
	}
	return os.MkdirAll(p.dir, 0o700)
}

type noSupabaseError struct{ workspace string }

func (e *noSupabaseError) Error() string { return "there is no folder supabase in " + e.workspace }
func (e *noSupabaseError) Hint() string {
	return "name the project folder with --workspace, or make one with `supabase init`"
}

// alive reports whether a process holds the lock of the place, which a serving
// process does for as long as it lives, however it ends.
func (p place) alive() (bool, error) {
	if _, err := os.Stat(p.path(lockFile)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock := flock.New(p.path(lockFile))
	free, err := lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("look at the lock of %s: %w", p.of, err)
	}
	if free {
		return false, lock.Unlock()
	}
	return true, nil
}

// Find returns the state of the workspace's running stack, or ErrNotRunning. A
// stack that is still starting has no state yet and counts as not running.
func Find(workspace string) (State, error) {
	p, err := placeOf(workspace)
	if err != nil {
		return State{}, err
	}
	return p.find()
}

func (p place) find() (State, error) {
	alive, err := p.alive()
	if err != nil {
		return State{}, err
	}
	state, err := p.read()
	if !alive || errors.Is(err, fs.ErrNotExist) {
		return State{}, fmt.Errorf("%w for %s", ErrNotRunning, p.of)
	}
	return state, err
}

func (p place) read() (State, error) {
	data, err := os.ReadFile(p.path(stateFile))
	if err != nil {
		return State{}, err
	}
	var state State
	if err := json.Unmarshal(data, &state); err != nil {
		return State{}, fmt.Errorf("%s is damaged: %w", p.path(stateFile), err)
	}
	return state, nil
}

// write puts the state in place whole: a reader never sees half of it.
func (p place) write(state State) error {
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	temp := p.path(stateFile + ".new")
	if err := os.WriteFile(temp, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, p.path(stateFile))
}

// LogPath is the file that a detached stack of the workspace logs to.
func LogPath(workspace string) (string, error) {
	p, err := placeOf(workspace)
	return p.path(logFile), err
}
