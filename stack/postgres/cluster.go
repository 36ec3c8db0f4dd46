package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

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
	// note describes a cluster that may be kept, nil for a throw-away; kept is true
	// when the note is on disk.
	note *keptNote
	kept atomic.Bool
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

func (c *cluster) make(id identity) error {
	if err := id.mkdir(c.dir); err != nil {
		return err
	}
	return c.makeSocket(id)
}

func (c *cluster) makeSocket(id identity) (err error) {
	if c.socket, err = newSocketDir(c.dir, id); err != nil {
		return err
	}
	if filepath.Dir(c.socket) == c.dir {
		return nil
	}
	return os.WriteFile(filepath.Join(c.dir, socketNote), []byte(c.socket), 0o600)
}

// remakeSocket makes the socket folder anew: that of the last server may be gone with
// the temporary folder, or hold what a killed server left.
func (c *cluster) remakeSocket(id identity) error {
	for _, old := range []string{c.socket, filepath.Join(c.dir, "s"), filepath.Join(c.dir, socketNote)} {
		if old == "" {
			continue
		}
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	return c.makeSocket(id)
}

// fill copies the image into the cluster, anew when it was filled before.
func (c *cluster) fill(ctx context.Context, im *image) error {
	if err := os.RemoveAll(c.data()); err != nil {
		return fmt.Errorf("cluster folder: %w", err)
	}
	return im.copyTo(ctx, c.data())
}

// release is the end of a cluster whose server has ended: a kept one is marked as
// closed and let go, every other one is removed.
func (c *cluster) release() error {
	if !c.kept.Load() {
		return c.remove()
	}
	err := c.close()
	if c.socket != "" {
		err = errors.Join(err, os.RemoveAll(c.socket))
	}
	return errors.Join(err, c.lock.Close())
}

// close notes that a kept cluster was left in order, which it was when the server has
// taken its own note away. Only what is on disk by then survives the machine.
func (c *cluster) close() error {
	if _, err := os.Stat(filepath.Join(c.data(), "postmaster.pid")); !errors.Is(err, fs.ErrNotExist) {
		return nil // the next server recovers
	}
	if err := syncTree(c.data()); err != nil {
		return fmt.Errorf("write kept cluster to disk: %w", err)
	}
	c.note.Boot = ""
	return c.note.write(c.dir)
}

// remove deletes the folders and then lets go of the lock: the lock's file is
// the record that there is something to delete.
func (c *cluster) remove() error {
	if err := c.removeFiles(); err != nil {
		return errors.Join(fmt.Errorf("remove cluster: %w", err), c.lock.Close())
	}
	return errors.Join(os.Remove(c.lock.Path()), c.lock.Close())
}

func (c *cluster) removeFiles() error {
	err := os.RemoveAll(c.dir)
	if c.socket != "" {
		err = errors.Join(err, os.RemoveAll(c.socket))
	}
	return err
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
