package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// runDir is the folder in which the clusters of running servers live: the
// configured one, or memory where there is plenty, or the cache folder.
//
// Memory is not only for speed of data. A cluster is a thousand small files,
// and so is every database; some file systems need half a second to make them.
func runDir(cfg Config, c cache, id identity) (string, error) {
	if dir := firstOf(cfg.RunDir, os.Getenv("SUPASCORE_RUN_DIR")); dir != "" {
		dir, err := filepath.Abs(dir)
		if err == nil {
			err = privateDir(dir, id)
		}
		if err != nil {
			return "", withHint(fmt.Errorf("run folder: %w", err),
				"set SUPASCORE_RUN_DIR to a folder of your own that can be written")
		}
		return dir, nil
	}
	if base := roomyMemoryDir(); base != "" {
		dir := filepath.Join(base, "supascore-"+strconv.Itoa(os.Geteuid()))
		// Somebody else may have taken the name; then it is not used.
		if privateDir(dir, id) == nil {
			return dir, nil
		}
	}
	return c.run(), nil
}

// runDirs are all folders that clusters may have been left in.
func runDirs(c cache, current string) []string {
	dirs := []string{current}
	if c.run() != current {
		dirs = append(dirs, c.run())
	}
	return dirs
}

// privateDir makes the folder, or checks that an existing one is ours and that
// nobody else can write to it: a shared folder such as /dev/shm lets anybody
// choose names.
func privateDir(dir string, id identity) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a folder")}
	case ok && int(st.Uid) != os.Geteuid():
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("belongs to somebody else")}
	case info.Mode().Perm()&0o022 != 0:
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("others may write to it")}
	}
	if id.cred != nil {
		// Root's server runs as somebody else, who has to pass.
		if err := os.Chmod(dir, 0o711); err != nil {
			return err
		}
	}
	return id.canReach(dir)
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
