package tasks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/internal/strictyaml"
)

// MaxFileSize bounds each file of a task, in bytes.
const MaxFileSize = 1 << 20

// folderReader reads a task's files and keeps what went wrong.
type folderReader struct {
	fsys fs.FS
	// dir is the folder in fsys, origin what messages call it.
	dir, origin string
	errs        []error
}

// label names a file of the folder in messages.
func (r *folderReader) label(file string) string { return path.Join(r.origin, file) }

func (r *folderReader) fail(file, problem, remedy string) {
	r.errs = append(r.errs, &FileError{File: r.label(file), Problem: problem, Remedy: remedy})
}

// text reads a file that must be there.
func (r *folderReader) text(name string) string {
	text, err := r.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		r.fail(name, "is missing", "")
	} else if err != nil {
		r.errs = append(r.errs, err)
	}
	return text
}

// optionalText reads a file; a missing one is empty.
func (r *folderReader) optionalText(name string) string {
	text, err := r.read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, err)
	}
	return text
}

// read reads a UTF-8 file of at most MaxFileSize bytes.
func (r *folderReader) read(name string) (string, error) {
	file, err := r.fsys.Open(path.Join(r.dir, name))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", r.label(name), err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxFileSize+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", r.label(name), err)
	case len(data) > MaxFileSize:
		return "", &FileError{File: r.label(name), Problem: fmt.Sprintf("is larger than %d bytes", MaxFileSize)}
	case !utf8.Valid(data):
		return "", &FileError{File: r.label(name), Problem: "is not UTF-8", Remedy: "save the file as UTF-8"}
	}
	return string(data), nil
}

// traps reads traps/*.sql, sorted by name.
func (r *folderReader) traps() []NamedSQL {
	entries, err := fs.ReadDir(r.fsys, path.Join(r.dir, trapsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, fmt.Errorf("read traps of %s: %w", r.origin, err))
	}
	var traps []NamedSQL
	for _, entry := range entries {
		file := path.Join(trapsDir, entry.Name())
		stem, isSQL := strings.CutSuffix(entry.Name(), ".sql")
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case entry.IsDir() || !isSQL:
			r.fail(file, "is no .sql file", "the folder holds traps only")
		default:
			traps = append(traps, NamedSQL{Name: stem, SQL: r.text(file)})
		}
	}
	return traps
}

// strangers reports files that no task has: a row could not carry them. Hidden files
// are the file system's business.
func (r *folderReader) strangers() {
	entries, err := fs.ReadDir(r.fsys, r.dir)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("read %s: %w", r.origin, err))
	}
	known := []string{metaFile, requirementFile, schemaFile, seedFile, testsFile, solutionFile, trapsDir}
	for _, entry := range entries {
		if !slices.Contains(known, entry.Name()) && !strings.HasPrefix(entry.Name(), ".") {
			r.fail(entry.Name(), "is no file of a task", strictyaml.DidYouMean(entry.Name(), known))
		}
	}
}
