package tasks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// The files of a task's folder, as the dataset card lists them.
const (
	metaFile        = "task.yaml"
	requirementFile = "requirement.md"
	schemaFile      = "schema.sql"
	seedFile        = "seed.sql"
	testsFile       = "tests.yaml"
	solutionFile    = "solution.sql"
	trapsDir        = "traps"
	splitFile       = "split.json"
)

// UnknownTaskError is the error for an id that no task has.
type UnknownTaskError struct {
	ID    string
	Known []string
}

// Error names the id.
func (e *UnknownTaskError) Error() string { return fmt.Sprintf("there is no task %q", e.ID) }

// Hint suggests the task that was probably meant.
func (e *UnknownTaskError) Hint() string {
	if len(e.Known) > 12 {
		if name, ok := strictyaml.Nearest(e.ID, e.Known); ok {
			return fmt.Sprintf("did you mean %q?", name)
		}
		return fmt.Sprintf("there are %d tasks, %s to %s", len(e.Known), e.Known[0], e.Known[len(e.Known)-1])
	}
	return strictyaml.DidYouMean(e.ID, e.Known)
}

// Find returns the task with the id from a list. The id may be followed by a hyphen
// and the slug. The error is an *UnknownTaskError when there is none.
func Find(list []*Task, id string) (*Task, error) {
	known := make([]string, 0, len(list))
	for _, task := range list {
		if task.ID == id || task.DirName() == id {
			return task, nil
		}
		known = append(known, task.ID)
	}
	return nil, &UnknownTaskError{ID: id, Known: known}
}

// List loads every task in fsys, sorted by id: all folders, at any depth, that hold a
// task.yaml. A split.json outside of the tasks' folders gives them their splits. The
// error joins those of all tasks.
func List(fsys fs.FS) ([]*Task, error) {
	dirs, splits, err := folders(fsys)
	if err != nil {
		return nil, err
	}
	var list []*Task
	var errs []error
	dirOf := map[string]string{}
	for _, dir := range dirs {
		task, err := Load(fsys, dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, twice := dirOf[task.ID]; twice {
			errs = append(errs, fmt.Errorf("two tasks have the id %s: %s and %s", task.ID, other, dir))
			continue
		}
		dirOf[task.ID] = dir
		list = append(list, task)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := assignSplits(fsys, splits, list); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *Task) int { return CompareIDs(a.ID, b.ID) })
	return list, nil
}

// folders finds the tasks' folders and the split.json files outside of them.
func folders(fsys fs.FS) (dirs, splits []string, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			if entry.Name() == splitFile {
				splits = append(splits, name)
			}
			return nil
		}
		if strings.HasPrefix(entry.Name(), ".") && name != "." {
			return fs.SkipDir
		}
		if _, err := fs.Stat(fsys, path.Join(name, metaFile)); err != nil {
			return nil
		}
		dirs = append(dirs, name)
		return fs.SkipDir
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look for tasks: %w", err)
	}
	return dirs, splits, nil
}

// ListDir is List for a folder of the file system. Nothing outside of it is read, not
// through symbolic links either.
func ListDir(dir string) ([]*Task, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open tasks: %w", err)
	}
	defer root.Close()
	list, err := List(root.FS())
	for _, task := range list {
		task.Origin = path.Join(dir, task.Origin)
	}
	return list, err
}

// LoadDir loads the task in a folder of the file system, which no symbolic link in it
// can leave.
func LoadDir(dir string) (*Task, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open task: %w", err)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("open task: %w", err)
	}
	defer root.Close()
	return load(&folderReader{fsys: root.FS(), dir: ".", origin: filepath.ToSlash(dir)}, filepath.Base(full))
}

// Load loads the task in a folder of fsys, whose name begins with the task's id.
// Everything wrong with its files is reported at once: the error joins
// *FileErrors with line and column. What a loadable task lacks to be a good
// one is not an error here but Check's.
func Load(fsys fs.FS, dir string) (*Task, error) {
	return load(&folderReader{fsys: fsys, dir: dir, origin: dir}, path.Base(dir))
}

// load reads the task in a folder of that name.
func load(r *folderReader, name string) (*Task, error) {
	id, slug, err := splitName(r.origin, name)
	if err != nil {
		return nil, err
	}
	task := &Task{ID: id, Slug: slug, Origin: r.origin}
	task.Requirement = r.text(requirementFile)
	task.Schema = r.text(schemaFile)
	task.Seed = r.optionalText(seedFile)
	task.TestsYAML = r.text(testsFile)
	task.Solution = r.text(solutionFile)
	task.TrapFiles = r.traps()
	sortTraps(task.TrapFiles)
	r.strangers()
	meta := r.text(metaFile)
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	if err := errors.Join(readMeta(r.label(metaFile), meta, task), task.interpret(r.label)); err != nil {
		return nil, err
	}
	return task, nil
}

// splitName takes a folder's name apart.
func splitName(origin, name string) (id, slug string, err error) {
	id, slug, dashed := strings.Cut(name, "-")
	if !idPattern.MatchString(id) || dashed && !slugPattern.MatchString(slug) {
		return "", "", &FileError{
			File: origin, Problem: "the folder's name is not made of an id and a slug",
			Remedy: `for example "T001-own-notes"`,
		}
	}
	return id, slug, nil
}
