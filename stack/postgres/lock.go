package postgres

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a lock that somebody else holds is tried again.
const lockRetry = 10 * time.Millisecond

// lockFile waits for a lock until ctx ends. Lock files may be deleted by their
// holder, so a lock counts only when the locked file is still at its path;
// otherwise two processes could hold "the" lock.
func lockFile(ctx context.Context, path string, shared bool) (*flock.Flock, error) {
	for {
		lock := flock.New(path, flock.SetPermissions(0o600))
		try := lock.TryLockContext
		if shared {
			try = lock.TryRLockContext
		}
		if _, err := try(ctx, lockRetry); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, fmt.Errorf("wait for %s: %w", path, err)
		}
		if sameFile(lock) {
			return lock, nil
		}
		_ = lock.Close()
	}
}

// tryLockFile is an exclusive lock, or nil when somebody else has it.
func tryLockFile(path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok || !sameFile(lock) {
		_ = lock.Close()
		return nil, nil //nolint:nilnil // "not now" is neither a lock nor a failure
	}
	return lock, nil
}

// sameFile says that the locked file is still the one at its path.
func sameFile(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(held, there)
}
