package tasks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteDir writes the task as a folder of its DirName below parent, which it makes if
// need be, and returns the folder's path. The folder appears whole or not at all; when
// it is there already the error is fs.ErrExist and nothing is touched.
func (t *Task) WriteDir(parent string) (string, error) {
	dir := filepath.Join(parent, t.DirName())
	if _, err := os.Lstat(dir); err == nil {
		return "", fmt.Errorf("write task %s: %s: %w", t.ID, dir, fs.ErrExist)
	}
	files, err := t.files()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("write task %s: %w", t.ID, err)
	}
	half, err := os.MkdirTemp(parent, ".task-*")
	if err != nil {
		return "", fmt.Errorf("write task %s: %w", t.ID, err)
	}
	if err = writeFiles(half, files); err == nil {
		err = os.Rename(half, dir)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("write task %s: %w", t.ID, err), os.RemoveAll(half))
	}
	return dir, nil
}

// files are the task's files by their slash-separated names.
func (t *Task) files() (map[string]string, error) {
	meta, err := metaYAML(t)
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		metaFile: string(meta), requirementFile: t.Requirement, schemaFile: t.Schema, seedFile: t.Seed,
		testsFile: t.TestsYAML, solutionFile: t.Solution,
	}
	if err := checkTrapNames(t.Origin, t.TrapFiles); err != nil {
		return nil, err
	}
	for _, trap := range t.TrapFiles {
		files[trapsDir+"/"+trap.Name+".sql"] = trap.SQL
	}
	return files, nil
}

func writeFiles(dir string, files map[string]string) error {
	// A temporary folder is private; a task's folder is as public as its parent.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
