package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/supascore/supascore/internal/cachedir"
)

// cache is the folder on disk that outlives runs.
//
//	images/<key>/        a cluster image, see image.go
//	images/<key>.lock    held shared while copying, exclusive while building
//	run/                 clusters of running servers, unless they are elsewhere
//	kept/                clusters that outlive their servers, see kept.go
//	versions/            what "postgres --version" said
//	downloads/           downloaded executables
type cache struct{ root string }

func (c cache) images() string    { return filepath.Join(c.root, "images") }
func (c cache) run() string       { return filepath.Join(c.root, "run") }
func (c cache) versions() string  { return filepath.Join(c.root, "versions") }
func (c cache) downloads() string { return filepath.Join(c.root, "downloads") }

// openCache finds the cache folder and makes its parts. The parts are open for
// passage only (0711): what lies in them has modes of its own.
func openCache(dir string, id identity) (cache, error) {
	root, err := cachedir.Root(dir)
	if err != nil {
		return cache{}, err
	}
	c := cache{root: root}
	for _, d := range []string{c.images(), c.run(), c.versions(), c.downloads()} {
		if err := makePassable(d, c.root); err != nil {
			return cache{}, withHint(fmt.Errorf("cache folder: %w", err),
				"set SUPASCORE_CACHE_DIR to a folder that can be written")
		}
	}
	if err := id.canReach(c.run()); err != nil {
		return cache{}, withHint(fmt.Errorf("cache folder: %w", err),
			"set SUPASCORE_CACHE_DIR to a folder that user %s can enter", id.name)
	}
	return c, nil
}

// makePassable makes dir and root, and lets other users walk through both:
// root's server runs as somebody else.
func makePassable(dir, root string) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".write-*")
	if err != nil {
		return err
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	// The umask may have closed them.
	return errors.Join(os.Chmod(root, 0o711), os.Chmod(dir, 0o711))
}
