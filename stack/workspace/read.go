package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// roles reads supabase/roles.sql, which few projects have.
func (r *reader) roles() error {
	file, err := r.file("supabase/roles.sql")
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	r.out.Roles = &file
	return nil
}

// The CLI's rules for names (pkg/migration/list.go): the first entry of the folder is passed over when it is the file that
// versions of the CLI before December 2021 made for the initial schema.
var (
	migrationName = regexp.MustCompile(`^([0-9]+)_(.*)\.sql$`)
	oldInitName   = regexp.MustCompile(`([0-9]{14})_init\.sql`)
)

// firstNewInit is the version from which on an init migration is an ordinary one.
const firstNewInit = "20211209000000"

// migrations reads the folder in the order of the names, byte by byte, which is not the order of the numbers. Folders in it are
// passed over in silence, as the CLI does.
func (r *reader) migrations() error {
	const dir = "supabase/migrations"
	if !r.options.Migrations {
		return nil
	}
	entries, err := fs.ReadDir(r.root.FS(), dir)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return r.unreadable(dir, err)
	}
	if len(entries) > maxFiles {
		return &Error{Path: dir, Message: fmt.Sprintf("the folder has %d entries, but at most %d are read", len(entries), maxFiles)}
	}
	for i, entry := range entries {
		file := path.Join(dir, entry.Name())
		if entry.IsDir() {
			continue
		}
		if reason := skip(i, entry.Name()); reason != "" {
			r.out.Skipped = append(r.out.Skipped, Skipped{Path: file, Reason: reason})
			continue
		}
		m := migrationName.FindStringSubmatch(entry.Name())
		content, err := r.file(file)
		if err != nil {
			return err
		}
		r.out.Migrations = append(r.out.Migrations, Migration{File: content, Version: m[1], Name: m[2]})
	}
	return nil
}

// skip says why an entry is no migration, "" when it is one.
func skip(i int, name string) string {
	if m := oldInitName.FindStringSubmatch(name); i == 0 && m != nil && m[1] < firstNewInit {
		return `the first migration is not applied when it is an "init" from before December 2021; give it another name to apply it`
	}
	if !migrationName.MatchString(name) {
		return `the file name must match "<digits>_<name>.sql"`
	}
	return ""
}

// defaultSeed is the seed file that the template of config.toml names in every project, whether it has one or not.
const defaultSeed = "supabase/seed.sql"

// seeds finds the seed files. A pattern that matches nothing is no error, as in the CLI, but deserves a warning.
func (r *reader) seeds() error {
	var seen []string
	for _, pattern := range r.options.SeedPatterns {
		full := path.Join("supabase", pattern)
		if path.IsAbs(pattern) || !fs.ValidPath(full) {
			return &Error{Path: pattern, Message: "this pattern of [db.seed] sql_paths leads out of the workspace"}
		}
		matches, err := fs.Glob(r.root.FS(), full)
		if err != nil {
			r.out.Warnings = append(r.out.Warnings, fmt.Sprintf("[db.seed] sql_paths: %q is not a valid pattern", pattern))
			continue
		}
		if err := r.blocked(full); len(matches) == 0 && err != nil {
			return err
		}
		if len(matches) == 0 && full != defaultSeed {
			r.out.Warnings = append(r.out.Warnings, fmt.Sprintf("[db.seed] sql_paths: no file matches %q", pattern))
		}
		slices.Sort(matches)
		for _, name := range matches {
			if slices.Contains(seen, name) {
				continue
			}
			seen = append(seen, name)
			file, err := r.file(name)
			if err != nil {
				return err
			}
			r.out.Seeds = append(r.out.Seeds, file)
		}
	}
	return nil
}

// blocked reports a symbolic link out of the workspace along a pattern, which Glob takes for nothing being there.
func (r *reader) blocked(pattern string) error {
	parts := strings.Split(pattern, "/")
	for n := 1; n <= len(parts); n++ {
		name := strings.Join(parts[:n], "/")
		if strings.ContainsAny(name, `*?[\`) {
			return nil
		}
		if _, err := r.root.Stat(name); err != nil {
			if isMissing(err) {
				return nil
			}
			return r.unreadable(name, err)
		}
	}
	return nil
}

// file reads one SQL file. The size is looked at first, and so is the kind: opening a pipe would wait for its writer.
func (r *reader) file(name string) (File, error) {
	if err := r.ctx.Err(); err != nil {
		return File{}, fmt.Errorf("read workspace: %w", err)
	}
	info, err := r.root.Stat(name)
	if err != nil {
		return File{}, r.unreadable(name, err)
	}
	if !info.Mode().IsRegular() {
		return File{}, &Error{Path: name, Message: "is not a regular file"}
	}
	if info.Size() > r.options.MaxFile {
		return File{}, r.tooLarge(name, info.Size())
	}
	f, err := r.root.Open(name)
	if err != nil {
		return File{}, r.unreadable(name, err)
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	text, err := io.ReadAll(io.LimitReader(f, r.options.MaxFile+1))
	if err != nil {
		return File{}, r.unreadable(name, err)
	}
	if int64(len(text)) > r.options.MaxFile {
		return File{}, r.tooLarge(name, int64(len(text)))
	}
	if err := checkText(name, text); err != nil {
		return File{}, err
	}
	sum := sha256.Sum256(text)
	r.sums[name] = hex.EncodeToString(sum[:])
	return File{Path: name, SQL: string(text), SHA256: r.sums[name]}, nil
}

// tooLarge says the size and the limit.
func (r *reader) tooLarge(name string, size int64) error {
	return &Error{
		Path:    name,
		Message: fmt.Sprintf("the file has %s, but at most %s are read", bytesSize(size), bytesSize(r.options.MaxFile)),
		Remedy:  "split the file, or load the data in another way",
	}
}

// unreadable says why a path cannot be read; for a link that leads out of the workspace, that it does.
func (r *reader) unreadable(name string, err error) error {
	e := &Error{Path: name, Message: "cannot be read: " + cause(err).Error(), Err: err}
	if strings.Contains(err.Error(), "path escapes") {
		e.Message = "is a symbolic link that leads out of the workspace, which is not followed"
		e.Remedy = "put the file itself into the workspace"
	}
	return e
}

// checkText finds what PostgreSQL would refuse as text, with its place.
func checkText(name string, text []byte) error {
	if utf8.Valid(text) && !bytes.ContainsRune(text, 0) {
		return nil
	}
	line, start := 1, 0
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		if c == 0 {
			return &Error{Path: name, Line: line, Column: i - start + 1, Message: "there is a NUL byte, so this is not text"}
		}
		if c == utf8.RuneError && size == 1 {
			return &Error{
				Path: name, Line: line, Column: i - start + 1,
				Message: fmt.Sprintf("the byte 0x%02x is not valid UTF-8", text[i]), Remedy: "save the file as UTF-8",
			}
		}
		i += size
		if c == '\n' {
			line, start = line+1, i
		}
	}
	return nil
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// cause drops the path from a path error, as the path is named beside it.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
