package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gofrs/flock"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/proc"
)

// A kept cluster outlives its server: the next server of its name goes on where the
// last one stopped. It lies in the cache folder, from its first moment on, so that
// nothing has to be saved when a process is killed; PostgreSQL then recovers from its
// log, which the kernel still has. Only a machine that goes down takes what was not
// written yet, and that is noticed (see keptNote.Boot).

// keptFormat is raised when kept clusters of earlier versions cannot be used any more.
const keptFormat = 1

// keptNoteName is the file that says that a cluster is worth keeping.
const keptNoteName = "kept.json"

// keptNote is the flag file of a kept cluster, written when there is something to
// keep: a folder without one is what an unfinished start left.
type keptNote struct {
	// Format is keptFormat, Major the server's major version, UID the user who owns
	// the files: a server of another kind cannot or must not use them.
	Format int `json:"format"`
	Major  int `json:"postgres"`
	UID    int `json:"uid"`
	// Scripts is the hash of what made the cluster before its user's own SQL.
	Scripts string `json:"scripts"`
	// Boot names the run of the machine in which a server has the files open. It is
	// empty after a clean end.
	Boot string `json:"boot,omitempty"`
}

// ErrKeptInUse is returned, wrapped, when another server has a kept cluster.
var ErrKeptInUse = errors.New("the cluster is in use by another server")

// KeptError says that a kept cluster cannot be used by the server that is there.
type KeptError struct {
	// Name is the cluster's name, Dir its folder.
	Name, Dir string
	// Reason says what is in the way, Err why its server did not start where it did not.
	Reason string
	Err    error
}

// Error names the cluster and the reason.
func (e *KeptError) Error() string {
	return fmt.Sprintf("the kept data of %s cannot be used: %s", e.Name, e.Reason)
}

// Unwrap is why its server did not start, nil when it was not tried.
func (e *KeptError) Unwrap() error { return e.Err }

// Hint says where the data is: it is the only copy.
func (e *KeptError) Hint() string { return "the data is in " + e.Dir }

var keptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

func (c cache) kept() string { return filepath.Join(c.root, "kept") }

// keptDir is the folder of a kept cluster. The endings keep names such as "a" and
// "a.lock" apart.
func (c cache) keptDir(name string) string { return filepath.Join(c.kept(), name+".d") }

// scriptsKey is the hash of the scripts that make a cluster.
func scriptsKey(scripts []bootstrap.Script) string {
	h := sha256.New()
	for _, s := range scripts {
		fmt.Fprintf(h, "%d:%s%d:%s", len(s.Name), s.Name, len(s.SQL), s.SQL)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// openKept opens the kept cluster of the configuration's name, or makes an empty one.
func openKept(ctx context.Context, c cache, cfg Config, found install, id identity) (*cluster, error) {
	if err := makePassable(c.kept(), c.root); err != nil {
		return nil, fmt.Errorf("kept clusters: %w", err)
	}
	lock, err := lockKept(ctx, c, cfg.Kept)
	if err != nil {
		return nil, err
	}
	cl := &cluster{dir: c.keptDir(cfg.Kept), lock: lock, note: &keptNote{
		Format: keptFormat, Major: found.major, UID: id.uid, Scripts: scriptsKey(cfg.Scripts),
	}}
	if err := cl.open(ctx, id, cfg.Kept); err != nil {
		if cl.kept.Load() {
			return nil, errors.Join(err, lock.Close()) // as it is, with its note
		}
		return nil, errors.Join(err, cl.remove())
	}
	return cl, nil
}

// keptWait bounds the wait for a lock that others hold only to look.
const keptWait = 500 * time.Millisecond

func lockKept(ctx context.Context, c cache, name string) (*flock.Flock, error) {
	short, cancel := context.WithTimeoutCause(ctx, keptWait, ErrKeptInUse)
	defer cancel()
	lock, err := lockFile(short, filepath.Join(c.kept(), name+".lock"), false)
	if errors.Is(err, ErrKeptInUse) && ctx.Err() == nil {
		return nil, fmt.Errorf("%s: %w", name, ErrKeptInUse)
	}
	return lock, err
}

// open ends what still runs on the folder, and takes up or clears away what is in it.
func (c *cluster) open(ctx context.Context, id identity, name string) error {
	if err := endLeftServer(ctx, c.data()); err != nil {
		return err
	}
	c.socket = socketElsewhere(c.dir)
	note, err := readNote(c.dir)
	if err != nil {
		return err
	}
	if note == nil {
		if err := c.removeFiles(); err != nil {
			return err
		}
		return c.make(id)
	}
	c.kept.Store(true)
	if reason := note.unusable(c.note); reason != "" {
		return &KeptError{Name: name, Dir: c.dir, Reason: reason}
	}
	if err := c.remakeSocket(id); err != nil {
		return err
	}
	c.note.Boot = bootID()
	return c.note.write(c.dir)
}

// unusable says why the server that is there cannot use the cluster; empty when it can.
func (n *keptNote) unusable(want *keptNote) string {
	switch boot := bootID(); {
	case n.Format != want.Format:
		return "another version of this program made it"
	case n.Major != want.Major:
		return fmt.Sprintf("it was made by PostgreSQL %d, and the server is PostgreSQL %d", n.Major, want.Major)
	case n.UID != want.UID:
		return fmt.Sprintf("it belongs to user %d, and the server runs as user %d", n.UID, want.UID)
	case n.Scripts != want.Scripts:
		return "the schema that every project begins with was another one when it was made"
	case n.Boot != "" && boot != "" && n.Boot != boot:
		return "the machine went down while its server ran, and may have left it damaged"
	}
	return ""
}

// readNote is the flag file of a cluster's folder; nil when there is none, or half of one.
func readNote(dir string) (*keptNote, error) {
	text, err := os.ReadFile(filepath.Join(dir, keptNoteName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no note is an answer
	}
	if err != nil {
		return nil, err
	}
	note := &keptNote{}
	if err := json.Unmarshal(text, note); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, keptNoteName), err)
	}
	return note, nil
}

// write puts the note in its place whole.
func (n *keptNote) write(dir string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, keptNoteName)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// startKept starts a server on a kept cluster as it is. That it does not start is the
// cluster's fault, unless somebody else has the port.
func startKept(ctx context.Context, b *backend, cl *cluster, cfg Config) error {
	err := startOnPort(ctx, b, cfg.Port)
	if err == nil || ctx.Err() != nil || b.child == nil || errors.As(err, new(*proc.PortError)) {
		return err
	}
	return &KeptError{Name: cfg.Kept, Dir: cl.dir, Reason: "its server does not start: " + err.Error(), Err: err}
}

// Fresh is true when the server began on a new cluster, and false when it goes on
// with a kept one.
func (s *Server) Fresh() bool { return s.fresh }

// Keep says that the cluster is worth keeping from now on: Stop lets it stand, and
// the next server of its name goes on with it. It is an error for a server whose
// Config.Kept is empty.
func (s *Server) Keep() error {
	c := s.cluster
	if c.note == nil {
		return errors.New("postgres: a server without a name for its cluster cannot keep it")
	}
	if c.kept.Load() {
		return nil
	}
	c.note.Boot = bootID()
	if err := c.note.write(c.dir); err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	c.kept.Store(true)
	return nil
}

// Discard is Stop, and nothing is kept.
func (s *Server) Discard(ctx context.Context) error {
	if s.cluster.kept.Swap(false) {
		// First the note: without it, what is left of an interrupted removal is not used.
		if err := os.Remove(filepath.Join(s.cluster.dir, keptNoteName)); err != nil {
			return fmt.Errorf("discard the cluster: %w", err)
		}
	}
	return s.Stop(ctx)
}
