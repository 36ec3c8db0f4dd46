package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// cluster is the folder of one server: its data and its socket. The lock
// beside it is held as long as the server's owner lives, so that a folder
// whose lock is free is known to be left behind.
type cluster struct {
	dir    string
	lock   *flock.Flock
	socket string
}

func (c *cluster) data() string { return filepath.Join(c.dir, "data") }

// newCluster makes an empty one. The lock comes first: a folder never exists
// without it.
func newCluster(runDir string, id identity) (*cluster, error) {
	for {
		dir := filepath.Join(runDir, shortID(uuid.NewString()))
		lock := flock.New(dir+".lock", flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("cluster folder: %w", err)
		}
		if !ok || !sameFile(lock) {
			// Somebody sweeping took the new file for an old one.
			lock.Close()
			continue
		}
		cl := &cluster{dir: dir, lock: lock}
		if err := cl.make(id); err != nil {
			return nil, errors.Join(fmt.Errorf("cluster folder: %w", explainDisk(err, dir)), cl.remove())
		}
		return cl, nil
	}
}

func (c *cluster) make(id identity) (err error) {
	if err := id.mkdir(c.dir); err != nil {
		return err
	}
	c.socket, err = newSocketDir(c.dir, id)
	return err
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

// fill copies the image into the cluster, anew when it was filled before.
func (c *cluster) fill(ctx context.Context, im *image) error {
	if err := os.RemoveAll(c.data()); err != nil {
		return fmt.Errorf("cluster folder: %w", err)
	}
	return im.copyTo(ctx, c.data())
}

// remove deletes the folders and then lets go of the lock: the lock's file is
// the record that there is something to delete.
func (c *cluster) remove() error {
	err := os.RemoveAll(c.dir)
	if c.socket != "" {
		err = errors.Join(err, os.RemoveAll(c.socket))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("remove cluster: %w", err), c.lock.Close())
	}
	return errors.Join(os.Remove(c.lock.Path()), c.lock.Close())
}
