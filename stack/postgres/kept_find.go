package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/supascore/supascore/internal/cachedir"
)

// RemoveKept deletes the kept cluster of a name and reports whether there was one. A
// server that a killed process left on it is ended. While somebody's server has it,
// the error is ErrKeptInUse.
func RemoveKept(ctx context.Context, cfg Config, name string) (bool, error) {
	cl, err := lockLeftCluster(ctx, cfg, name)
	if cl == nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(cl.dir, keptNoteName))
	return err == nil, cl.remove()
}

// FindKept is the folder of the kept cluster of a name; empty when there is none. A
// server that a killed process left on it is ended. While somebody's server has it,
// the error is ErrKeptInUse.
func FindKept(ctx context.Context, cfg Config, name string) (string, error) {
	cl, err := lockLeftCluster(ctx, cfg, name)
	if cl == nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(cl.dir, keptNoteName)); err != nil {
		return "", cl.remove() // what an unfinished start left
	}
	return cl.dir, cl.lock.Close()
}

// KeptNames are the names of all kept clusters.
func KeptNames(cfg Config) ([]string, error) {
	root, err := cachedir.Root(cfg.CacheDir)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(cache{root}.kept(), "*.d"))
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".d")
	}
	return paths, err
}

// lockLeftCluster is the cluster of a name when no server of somebody has it; nil when
// there is none.
func lockLeftCluster(ctx context.Context, cfg Config, name string) (*cluster, error) {
	root, err := cachedir.Root(cfg.CacheDir)
	if err != nil {
		return nil, err
	}
	c := cache{root: root}
	if !keptName.MatchString(name) {
		return nil, badKeptName(name)
	}
	if _, err := os.Stat(c.keptDir(name)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // none is an answer
	}
	lock, err := lockKept(ctx, c, name)
	if err != nil {
		return nil, err
	}
	cl := &cluster{dir: c.keptDir(name), lock: lock, socket: socketElsewhere(c.keptDir(name))}
	if err := endLeftServer(ctx, cl.data()); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return cl, nil
}

func badKeptName(name string) error {
	return fmt.Errorf("postgres: %q cannot name a cluster: letters, digits, and . _ - after the first are fine", name)
}
