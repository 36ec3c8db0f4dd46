package evals

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/supascore/supascore/internal/strictyaml"
)

// The files of an eval's folder.
const (
	evalFile   = "eval.yaml"
	promptFile = "PROMPT.md"
	readmeFile = "README.md"
	// LocalDir is the folder of the workspace that an agent starts from.
	LocalDir = "local"
)

// evalYAML is the shape of eval.yaml. Its fields are those of Eval.
type evalYAML struct {
	Title   string      `yaml:"title"`
	People  []Person    `yaml:"people"`
	Arrange []Step      `yaml:"arrange"`
	Checks  []CheckSpec `yaml:"checks"`
}

// UnknownEvalError is the error for an id that no eval has.
type UnknownEvalError struct {
	ID    string
	Known []string
}

// Error names the id.
func (e *UnknownEvalError) Error() string {
	return fmt.Sprintf("there is no eval %q", e.ID)
}

// Hint suggests the eval that was probably meant.
func (e *UnknownEvalError) Hint() string { return strictyaml.DidYouMean(e.ID, e.Known) }

// IDs lists the ids of the evals in fsys, sorted: the names of all folders that
// hold an eval.yaml, at any depth. A folder inside an eval is not looked at.
func IDs(fsys fs.FS) ([]string, error) {
	dirs, err := folders(fsys)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(dirs))
	for id := range dirs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// folders maps each eval's id to its folder.
func folders(fsys fs.FS) (map[string]string, error) {
	found := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if _, err := fs.Stat(fsys, path.Join(name, evalFile)); err != nil {
			return nil
		}
		id := path.Base(name)
		if other, ok := found[id]; ok {
			return fmt.Errorf("two evals have the id %q: %s and %s", id, other, name)
		}
		found[id] = name
		return fs.SkipDir
	})
	if err != nil {
		return nil, fmt.Errorf("look for evals: %w", err)
	}
	return found, nil
}

// Find loads the eval with the id from fsys. The error is an *UnknownEvalError
// when there is none.
func Find(fsys fs.FS, id string, kinds Kinds) (*Eval, error) {
	dirs, err := folders(fsys)
	if err != nil {
		return nil, err
	}
	dir, ok := dirs[id]
	if !ok {
		known, err := IDs(fsys)
		if err != nil {
			return nil, err
		}
		return nil, &UnknownEvalError{ID: id, Known: known}
	}
	return Load(fsys, dir, kinds)
}

// List loads every eval in fsys, sorted by id.
func List(fsys fs.FS, kinds Kinds) ([]*Eval, error) {
	ids, err := IDs(fsys)
	if err != nil {
		return nil, err
	}
	list := make([]*Eval, 0, len(ids))
	for _, id := range ids {
		eval, err := Find(fsys, id, kinds)
		if err != nil {
			return nil, err
		}
		list = append(list, eval)
	}
	return list, nil
}

// Load loads the eval in a folder of fsys. Everything wrong with eval.yaml is
// reported at once: the error joins *FileErrors with line and column. Words in the
// prompt that should not be there are not an error but the Eval's Violations.
func Load(fsys fs.FS, dir string, kinds Kinds) (*Eval, error) {
	file := path.Join(dir, evalFile)
	data, err := readLimited(fsys, file)
	if err != nil {
		return nil, err
	}
	var raw evalYAML
	doc, err := decodeYAML(file, data, &raw)
	if err != nil {
		return nil, err
	}
	eval := &Eval{
		ID: path.Base(dir), Title: raw.Title, People: raw.People,
		Arrange: raw.Arrange, Checks: raw.Checks,
	}
	for i := range eval.People {
		if eval.People[i].Password == "" {
			eval.People[i].Password = DefaultPassword
		}
	}
	if err := validate(eval, doc, kinds); err != nil {
		return nil, err
	}
	if err := eval.loadPrompt(fsys, dir); err != nil {
		return nil, err
	}
	if eval.Files, err = fs.Sub(fsys, dir); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if eval.Hash, err = HashFS(eval.Files); err != nil {
		return nil, err
	}
	return eval, nil
}

// loadPrompt reads PROMPT.md and README.md, which an eval may lack.
func (e *Eval) loadPrompt(fsys fs.FS, dir string) error {
	file := path.Join(dir, promptFile)
	prompt, err := readLimited(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	body, firstLine := promptBody(string(prompt))
	e.Prompt = body
	readme, err := readLimited(fsys, path.Join(dir, readmeFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	e.ForbiddenWords = ForbiddenWords(string(readme))
	e.Violations = Lint(file, body, firstLine, e.ForbiddenWords)
	return nil
}

// readLimited reads a file of at most MaxFileSize bytes.
func readLimited(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read eval: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("read eval: %w", err)
	}
	if len(data) > MaxFileSize {
		return nil, &FileError{File: name, Problem: fmt.Sprintf("is larger than %d bytes", MaxFileSize)}
	}
	return data, nil
}

// HashFS is the hex SHA-256 of every regular file in fsys, with its name and its
// length, in lexical order. Anything that changes what a run does changes it.
func HashFS(fsys fs.FS) (string, error) {
	hash := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		// Name and length are framed, so that no two trees have the same bytes.
		io.WriteString(hash, strconv.Quote(name)+" "+strconv.Itoa(len(data))+"\n") //nolint:errcheck // a hash never fails
		hash.Write(data)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hash eval: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
