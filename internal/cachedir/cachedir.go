// Package cachedir knows the one folder on disk that outlives runs: cluster images,
// downloaded executables and what they need lie below it. It decides where the folder
// is and makes nothing.
package cachedir

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Root is the absolute path of the cache folder: dir when it is given, otherwise the
// environment variable SUPASCORE_CACHE_DIR, otherwise the folder supascore in the
// user's cache folder. The superuser's is one of the system, because servers that run
// for root run as somebody else and cannot enter root's home.
func Root(dir string) (string, error) {
	if dir == "" {
		dir = os.Getenv("SUPASCORE_CACHE_DIR")
	}
	if dir != "" {
		return filepath.Abs(dir)
	}
	if xdg := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(xdg) && os.Geteuid() != 0 {
		return filepath.Join(xdg, "supascore"), nil
	}
	if os.Geteuid() == 0 {
		if runtime.GOOS == "darwin" {
			return "/Library/Caches/supascore", nil
		}
		return "/var/cache/supascore", nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", &noFolderError{err}
	}
	return filepath.Join(base, "supascore"), nil
}

// noFolderError says that the user has no cache folder.
type noFolderError struct{ err error }

func (e *noFolderError) Error() string { return fmt.Sprintf("no cache folder: %v", e.err) }
func (e *noFolderError) Unwrap() error { return e.err }

// Hint is what to do about it.
func (e *noFolderError) Hint() string {
	return "set SUPASCORE_CACHE_DIR to a folder that can be written"
}
