package pgtap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is where a workspace keeps its tests.
const Folder = "supabase/tests"

// file is a test.
type file struct {
	path string // absolute; what the report calls it
	root string // the folder that it may read from
	dir  string // where it runs
}

// find lists the tests below paths, sorted for each of them: files that end in .pg or .sql, as the CLI has pg_prove look for.
// A path that is a file is a test whatever it is called. Of workspace's own, Folder is looked through when no path is given.
func find(workspace string, paths []string) ([]file, error) {
	if len(paths) == 0 {
		paths = []string{filepath.Join(workspace, filepath.FromSlash(Folder))}
		if _, err := os.Stat(paths[0]); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	var files []file
	dir := "" // all run where the first path is
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("find tests: %w", err)
		}
		folder, found := p, []string{p}
		if !info.IsDir() {
			folder = filepath.Dir(p)
		} else if found, err = below(p); err != nil {
			return nil, fmt.Errorf("find tests: %w", err)
		}
		if dir == "" {
			dir = folder
		}
		root := folder
		if within(workspace, folder) {
			root = workspace
		}
		for _, f := range found {
			at := dir
			if !within(root, dir) {
				at = folder
			}
			files = append(files, file{path: f, root: root, dir: at})
		}
	}
	return files, nil
}

// below lists the tests in a folder and the folders in it.
func below(folder string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && (strings.HasSuffix(path, ".pg") || strings.HasSuffix(path, ".sql")) {
			out = append(out, path)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// within reports whether a path is a folder or below it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
