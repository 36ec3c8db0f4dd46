package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// hash sums up the workspace: SHA-256 over one line "<sha256 of the content>  <path>" for each file under supabase/ and each
// .env file beside it, sorted by path. Files that were read as SQL count with the content that was read. Left out is what
// tools put there: .temp and .branches of the CLI, node_modules, .git. Of a symbolic link the target's name counts, unless it
// was read as SQL.
func (r *reader) hash() error {
	total := int64(0)
	add := func(name string, entry fs.DirEntry) error {
		if _, known := r.sums[name]; known {
			return nil
		}
		if len(r.sums) >= maxFiles {
			return &Error{Path: "supabase", Message: fmt.Sprintf("the folder has more than %d files", maxFiles)}
		}
		return r.sum(name, entry, &total)
	}
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
		return add(name, entry)
	})
	if err != nil {
		return err
	}
	beside, err := fs.ReadDir(r.root.FS(), ".")
	if err != nil {
		return r.unreadable(".", err)
	}
	for _, entry := range beside {
		if entry.IsDir() || (entry.Name() != ".env" && !strings.HasPrefix(entry.Name(), ".env.")) {
			continue
		}
		if err := add(path.Clean(entry.Name()), entry); err != nil {
			return err
		}
	}
	r.out.Hash = r.combine()
	return nil
}

// sum hashes one file without keeping it.
func (r *reader) sum(name string, entry fs.DirEntry, total *int64) error {
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
		n, err := io.Copy(h, io.LimitReader(f, r.options.MaxTotal-*total+1))
		_ = f.Close() // opened for reading: nothing to lose
		if err != nil {
			return r.unreadable(name, err)
		}
		if *total += n; *total > r.options.MaxTotal {
			return &Error{
				Path: "supabase", Message: "the folder has more than " + bytesSize(r.options.MaxTotal) + " of files",
				Remedy: "remove what is not part of the project, such as build output",
			}
		}
	}
	r.sums[name] = hex.EncodeToString(h.Sum(nil))
	return nil
}

func (r *reader) combine() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		_, _ = fmt.Fprintf(h, "%s  %q\n", r.sums[name], name) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
