package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/supascore/supascore/stack/proc"
)

// identity is the user that the server runs as. PostgreSQL refuses to run as
// root, so root's server runs as somebody without rights.
type identity struct {
	// name is for messages only.
	name string
	uid  int
	gid  int
	// cred is nil when the server runs as this process does.
	cred *proc.Credential
}

// serverIdentity is who runs the server: we ourselves, or, for root, the user
// that a PostgreSQL package made, or nobody.
func serverIdentity() (identity, error) {
	if os.Geteuid() != 0 {
		return identity{name: "uid " + strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return identity{}, fmt.Errorf("user %s: %w", name, err)
		}
		return identity{
			name: name, uid: int(uid), gid: int(gid),
			cred: &proc.Credential{UID: uint32(uid), GID: uint32(gid)},
		}, nil
	}
	return identity{}, withHint(errors.New("postgresql refuses to run as root, and there is no user postgres or nobody to run it as"),
		"run supascore as a normal user, or add a system user named postgres")
}

// own gives a file or folder to the server's user.
func (id identity) own(path string) error {
	if id.cred == nil {
		return nil
	}
	return os.Lchown(path, id.uid, id.gid)
}

// canReach says whether the server's user may walk into dir; it names the
// first folder on the way that is closed. Only root's server runs as somebody
// else, so everybody else is not asked.
func (id identity) canReach(dir string) error {
	if id.cred == nil {
		return nil
	}
	var chain []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		chain = append(chain, d)
		if d == filepath.Dir(d) {
			break
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		info, err := os.Stat(chain[i])
		if err != nil {
			return err
		}
		if !id.mayEnter(info) {
			return fmt.Errorf("folder %s is closed to user %s, which runs the server", chain[i], id.name)
		}
	}
	return nil
}

// mayEnter is the kernel's check of the search permission, without groups
// beyond the primary one: the child drops those.
func (id identity) mayEnter(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	mode := info.Mode().Perm()
	switch {
	case int(st.Uid) == id.uid:
		return mode&0o100 != 0
	case int(st.Gid) == id.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// mkdir makes a private folder of the server's user.
func (id identity) mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return id.own(dir)
}
