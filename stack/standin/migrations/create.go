package migrations

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// Folder is where a workspace keeps its migrations.
const Folder = "supabase/migrations"

// Create makes the file of a new migration in a workspace, with the SQL that is given, and returns its path in the workspace,
// with slashes. at becomes its version, in UTC. The name must be one part of a path. A file that is there already is left alone
// and is an error, unlike in the CLI, which empties it.
func Create(workspace, name string, at time.Time, sql io.Reader) (file string, err error) {
	if name == "" || strings.ContainsAny(name, "/\\\x00") {
		return "", fmt.Errorf("failed to open migration file: the name %q cannot be part of a file name", name)
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", fmt.Errorf("failed to open migration file: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing to lose: it is the folder
	if err := root.MkdirAll(Folder, 0o755); err != nil {
		return "", fmt.Errorf("failed to mkdir: %w", err)
	}
	file = path.Join(Folder, at.UTC().Format(versionLayout)+"_"+name+".sql")
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s already exists", file)
	}
	if err != nil {
		return "", fmt.Errorf("failed to open migration file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, sql); err != nil {
		return "", fmt.Errorf("failed to copy from stdin: %w", err)
	}
	return file, nil
}
