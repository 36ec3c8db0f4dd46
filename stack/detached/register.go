package detached

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/supascore/supascore/internal/cachedir"
)

// The register of projects is a folder of the cache with a state and a lock for each
// project_id that is served on this machine. By it a stack is found from another
// workspace, and when somebody has deleted what its own workspace tells of it.

var projectName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// entryOf is the place of a project in the register. cache is the cache folder, empty
// for the usual one.
func entryOf(cache, project string) (place, error) {
	if !projectName.MatchString(project) {
		return place{}, fmt.Errorf("%q is no project id", project)
	}
	dir, err := register(cache)
	return place{of: "project " + project, dir: dir, prefix: project + "."}, err
}

func register(cache string) (string, error) {
	root, err := cachedir.Root(cache)
	return filepath.Join(root, "projects"), err
}

// FindProject returns the state of the running stack of a project_id, or ErrNotRunning.
func FindProject(cache, project string) (State, error) {
	p, err := entryOf(cache, project)
	if err != nil {
		return State{}, err
	}
	return p.find()
}

// Projects are the states of all projects that are served on this machine, by name. An
// entry that cannot be read is left out; the error says why.
func Projects(cache string) ([]State, error) {
	dir, err := register(cache)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*."+stateFile))
	if err != nil {
		return nil, err
	}
	var (
		running []State
		errs    []error
	)
	for _, path := range paths {
		state, err := FindProject(cache, strings.TrimSuffix(filepath.Base(path), "."+stateFile))
		switch {
		case err == nil:
			running = append(running, state)
		case !errors.Is(err, ErrNotRunning):
			errs = append(errs, err)
		}
	}
	return running, errors.Join(errs...)
}

// StopProject is Stop for the stack of a project_id, wherever its workspace is.
func StopProject(ctx context.Context, cache, project string) (State, error) {
	p, err := entryOf(cache, project)
	if err != nil {
		return State{}, err
	}
	return p.stop(ctx)
}
