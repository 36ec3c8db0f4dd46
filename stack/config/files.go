package config

import (
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/docker/go-units"
)

// maxFileSize limits config.toml and every file it names; a real one has a few KiB.
const maxFileSize = 1 << 20

// readLimited reads a file of the workspace, or fails when it is larger than maxFileSize or not a file.
func readLimited(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name) // before opening it: opening a pipe would wait for its writer
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, cause(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, cause(err))
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	text, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, cause(err))
	}
	if len(text) > maxFileSize {
		return nil, fmt.Errorf("%s is larger than %s", name, units.BytesSize(maxFileSize))
	}
	return text, nil
}

// cause drops the path from a path error: the caller names the file as the user knows it.
func cause(err error) error {
	if pathErr, ok := err.(*fs.PathError); ok { //nolint:errorlint // only the outermost layer carries the path to drop
		return pathErr.Err
	}
	return err
}

// within turns a path of config.toml into one of the workspace. base is the folder the path is relative to. ok is false when
// the path is absolute or leads out of the workspace.
func within(base, name string) (string, bool) {
	if path.IsAbs(name) {
		return name, false
	}
	joined := path.Join(base, name)
	return joined, fs.ValidPath(joined)
}
