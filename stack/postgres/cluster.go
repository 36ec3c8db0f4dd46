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

// socketNote holds the path of a socket folder that had to be elsewhere, for
// whoever has to sweep up.
const socketNote = "socket"

// newCluster makes an empty one. The lock comes first: a folder never exists
// without it.
func newCluster(runDir string, id identity) (*cluster, error) {
	for {
		dir := filepath.Join(runDir, uuid.NewString()[:8])
		lock, err := tryLockFile(dir + ".lock")
		if err != nil {
			return nil, fmt.Errorf("cluster folder: %w", explainDisk(err, dir))
		}
		if lock == nil {
			continue // somebody sweeping took the new file for an old one
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
	if c.socket, err = newSocketDir(c.dir, id); err != nil {
		return err
	}
	if filepath.Dir(c.socket) == c.dir {
		return nil
	}
	return os.WriteFile(filepath.Join(c.dir, socketNote), []byte(c.socket), 0o600)
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

// newSocketDir makes the folder of a server's socket: inside dir, or, where
// that path is too long for a socket address, in the temporary folder.
func newSocketDir(dir string, id identity) (string, error) {
	inside := filepath.Join(dir, "s")
	if len(filepath.Join(inside, longestSocket)) < maxSocketPath {
		return inside, id.mkdir(inside)
	}
	for _, base := range []string{os.TempDir(), "/tmp"} {
		if len(filepath.Join(base, socketDirPrefix+"0123456789", longestSocket)) >= maxSocketPath || id.canReach(base) != nil {
			continue
		}
		short, err := os.MkdirTemp(base, socketDirPrefix)
		if err != nil {
			return "", err
		}
		return short, id.own(short)
	}
	return "", withHint(fmt.Errorf("no folder with a path short enough for a socket (%d bytes)", maxSocketPath),
		"set SUPASCORE_RUN_DIR or TMPDIR to a folder with a short path")
}

const (
	// maxSocketPath is the size of sockaddr_un's path on macOS; Linux has 108.
	maxSocketPath = 104
	longestSocket = ".s.PGSQL.65535"
	// socketDirPrefix begins the name of a socket folder outside the cluster.
	socketDirPrefix = "supascore-"
)
