package postgres

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// trim removes from a cleanly stopped cluster the files that PostgreSQL does
// without or makes again. Half of an empty cluster's files are of that kind,
// and every copy pays for each.
func trim(data string) error {
	return filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || !dispensable(data, path) {
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// dispensable knows these kinds of files:
//
//   - free space maps and visibility maps of relations: a relation without is
//     one that was never vacuumed;
//   - caches of the catalogue, which every server start removes;
//   - statistics of the building server, and what it said about itself.
func dispensable(data, path string) bool {
	dir, name := filepath.Split(path)
	switch {
	case name == "pg_internal.init", name == "postmaster.opts", name == "postmaster.pid":
		return true
	case filepath.Base(dir) == "pg_stat":
		return true
	case strings.HasSuffix(name, "_fsm"), strings.HasSuffix(name, "_vm"):
		return strings.HasPrefix(dir, filepath.Join(data, "base")) || strings.HasPrefix(dir, filepath.Join(data, "global"))
	}
	return false
}
