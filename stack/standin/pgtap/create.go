package pgtap

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

//go:embed template.sql
var template []byte

// ExistsError is returned for a test whose file is there already.
type ExistsError struct{ File string }

// Error is the CLI's message.
func (e *ExistsError) Error() string { return e.File + " already exists." }

// Create makes the file of a new test in a workspace and returns its path in the workspace, with slashes. The name may have
// folders in it. For a file that is there already the error is a *ExistsError.
func Create(workspace, name string) (file string, err error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", fmt.Errorf("failed to write file: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing to lose: it is the folder
	file = path.Join(Folder, name+"_test.sql")
	if err := root.MkdirAll(path.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("failed to mkdir: %w", err)
	}
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", &ExistsError{File: file}
	}
	if err != nil {
		return "", fmt.Errorf("failed to write file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(template)
	return file, err
}
