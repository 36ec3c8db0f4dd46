package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// keptImages is how many cluster images stay: a machine sees a few versions of
// the scripts and of PostgreSQL in turn, and each image takes 20 MiB.
const keptImages = 6

// prune removes the images that were not used for the longest time, and what
// interrupted builds left. An image that somebody copies or builds right now
// is locked and stays.
func prune(dir string) error {
	locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if err != nil {
		return err
	}
	slices.SortFunc(locks, func(a, b string) int { return usedAt(b).Compare(usedAt(a)) })
	var errs []error
	for i, path := range locks {
		if i >= keptImages {
			errs = append(errs, pruneImage(path))
		}
	}
	return errors.Join(errs...)
}

// usedAt is when the image of a lock was last copied; the zero time when it is
// not complete.
func usedAt(lockPath string) time.Time {
	info, err := os.Stat(filepath.Join(strings.TrimSuffix(lockPath, ".lock"), manifestName))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func pruneImage(lockPath string) error {
	lock, err := tryLockFile(lockPath)
	if lock == nil {
		return err
	}
	defer lock.Close()
	image := strings.TrimSuffix(lockPath, ".lock")
	if err := errors.Join(os.RemoveAll(image), os.RemoveAll(image+".tmp")); err != nil {
		return err
	}
	return os.Remove(lockPath)
}
