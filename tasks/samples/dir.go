package samples

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/supascore/supascore/tasks"
)

// MaxFileSize bounds a candidate's file, in bytes.
const MaxFileSize = 1 << 20

// ReadDir reads a folder of candidates, one an .sql file. Where a file lies says whose
// it is:
//
//	MODEL/T001.sql            the only sample of MODEL for T001
//	MODEL/T001-own-notes.sql  the same
//	MODEL/T001/1.sql          a sample; samples are numbered in the order of their names
//
// MODEL may be several folders deep, which make one name; without it the model is named
// as the folder is. Hidden files and files of other kinds are passed over; symbolic links
// are not followed. The error joins an *Error for each file that is no candidate.
func ReadDir(dir string) ([]Sample, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open candidates: %w", err)
	}
	defer root.Close()
	r := &dirReader{dir: dir, fsys: root.FS(), last: map[Key]int{}}
	err = fs.WalkDir(r.fsys, ".", r.visit)
	if err := errors.Join(append(r.errs, err)...); err != nil {
		return nil, err
	}
	return r.list, Check(r.list)
}

// dirReader reads a folder of candidates.
type dirReader struct {
	dir  string
	fsys fs.FS
	list []Sample
	// last is the last number given to a model's samples for a task.
	last map[Key]int
	errs []error
}

// visit reads one file. WalkDir comes by in the order of the names.
func (r *dirReader) visit(name string, entry fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case strings.HasPrefix(entry.Name(), ".") && name != ".":
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	case !entry.Type().IsRegular() || path.Ext(name) != ".sql":
		return nil
	}
	sample, ok := r.owner(name)
	if !ok {
		r.errs = append(r.errs, &Error{
			Origin: sample.Origin, Problem: "the path does not say which task the candidate is for",
			Remedy: "name it MODEL/T001.sql or MODEL/T001/1.sql",
		})
		return nil
	}
	if sample.SQL, err = r.read(name); err != nil {
		r.errs = append(r.errs, err)
		return nil
	}
	r.list = append(r.list, sample)
	return nil
}

// owner tells from a candidate's path whose it is.
func (r *dirReader) owner(name string) (Sample, bool) {
	sample := Sample{Origin: filepath.Join(r.dir, filepath.FromSlash(name))}
	parent, file := path.Split(path.Clean(name))
	parent = strings.TrimSuffix(parent, "/")
	id, ok := taskOf(strings.TrimSuffix(file, ".sql"))
	if !ok {
		if id, ok = taskOf(path.Base(parent)); !ok {
			return sample, false
		}
		parent, _ = path.Split(parent)
		parent = strings.TrimSuffix(parent, "/")
	}
	sample.Task, sample.Model = id, parent
	if parent == "" {
		sample.Model = r.name()
	}
	key := sample.Key()
	r.last[key]++
	sample.Number = r.last[key]
	return sample, true
}

// name is the folder's own name, which stands for the model when no other does.
func (r *dirReader) name() string {
	if full, err := filepath.Abs(r.dir); err == nil {
		return filepath.Base(full)
	}
	return filepath.Base(r.dir)
}

// taskOf reads a name such as "T001" or "T001-own-notes".
func taskOf(name string) (id string, ok bool) {
	id, _, _ = strings.Cut(name, "-")
	return id, tasks.ValidID(id)
}

func (r *dirReader) read(name string) (string, error) {
	file, err := r.fsys.Open(name)
	if err != nil {
		return "", fmt.Errorf("read candidate: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxFileSize+1))
	if err != nil {
		return "", fmt.Errorf("read candidate: %w", err)
	}
	if len(text) > MaxFileSize {
		return "", &Error{
			Origin: filepath.Join(r.dir, filepath.FromSlash(name)), Problem: fmt.Sprintf("is larger than %d bytes", MaxFileSize),
		}
	}
	return string(text), nil
}
