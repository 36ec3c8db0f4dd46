package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// hash sums up the workspace: SHA-256 over one line "<sha256 of the content>  <path>" for each file under supabase/ and each
// .env file beside it, sorted by path. Files that were read as SQL count with the content that was read. Left out is what
// tools put there: .temp and .branches of the CLI, node_modules, .git. Of a symbolic link the target's name counts, unless it
// was read as SQL.
func (r *reader) hash() error {
	err := fs.WalkDir(r.root.FS(), "supabase", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return r.unreadable(name, err)
		case r.ctx.Err() != nil:
			return fmt.Errorf("read workspace: %w", r.ctx.Err())
		case entry.IsDir() && slices.Contains([]string{".temp", ".branches", "node_modules", ".git"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		return r.add(name, entry)
	})
	if err != nil {
		return err
	}
	beside, err := fs.ReadDir(r.root.FS(), ".")
	if err != nil {
		return r.unreadable(".", err)
	}
	for _, entry := range beside {
		isEnv := entry.Name() == ".env" || strings.HasPrefix(entry.Name(), ".env.")
		if entry.IsDir() || !isEnv {
			continue
		}
		if err := r.add(entry.Name(), entry); err != nil {
			return err
		}
	}
	r.out.Hash = r.combine()
	return nil
}

// add hashes a file unless it was read as SQL and so has its hash.
func (r *reader) add(name string, entry fs.DirEntry) error {
	if _, known := r.sums[name]; known {
		return nil
	}
	if len(r.sums) >= maxFiles {
		return &Error{Path: "supabase", Message: fmt.Sprintf("the folder has more than %d files", maxFiles)}
	}
	return r.sum(name, entry)
}

// sum hashes one file without keeping it.
func (r *reader) sum(name string, entry fs.DirEntry) error {
	h := sha256.New()
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := r.root.Readlink(name)
		if err != nil {
			return r.unreadable(name, err)
		}
		_, _ = io.WriteString(h, "link to "+target) // a hash never fails
	case !entry.Type().IsRegular():
		_, _ = io.WriteString(h, "special file") // opening a pipe would wait for its writer
	default:
		f, err := r.root.Open(name)
		if err != nil {
			return r.unreadable(name, err)
		}
		n, err := io.Copy(h, io.LimitReader(f, r.options.MaxTotal-r.total+1))
		_ = f.Close() // opened for reading: nothing to lose
		if err != nil {
			return r.unreadable(name, err)
		}
		if r.total += n; r.total > r.options.MaxTotal {
			return &Error{
				Path: "supabase", Message: "the folder has more than " + bytesSize(r.options.MaxTotal) + " of files",
				Remedy: "remove what is not part of the project, such as build output",
			}
		}
	}
	r.sums[name] = hex.EncodeToString(h.Sum(nil))
	return nil
}

// combine hashes the list. Names are quoted, so that a line break in one cannot make it look like two.
func (r *reader) combine() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		_, _ = fmt.Fprintf(h, "%s  %q\n", r.sums[name], name) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
