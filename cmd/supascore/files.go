package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// writeFile writes a file whole or not at all: into a file beside it, which takes
// its place when everything is written.
func writeFile(path string, write func(io.Writer) error) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	if err := errors.Join(write(temp), temp.Chmod(0o644), temp.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(temp.Name(), path)
}

// oneStdout refuses more than one of the files, by their flags, to be stdout.
func oneStdout(c *cobra.Command, files map[string]string) error {
	var stdout []string
	for _, flag := range slices.Sorted(maps.Keys(files)) {
		if files[flag] == "-" {
			stdout = append(stdout, "--"+flag)
		}
	}
	if len(stdout) > 1 {
		return usagef(c, "", "only one of %s can be stdout", strings.Join(stdout, " and "))
	}
	return nil
}

// saveJSON writes a value as indented JSON to a file, to stdout when the name is "-",
// and nowhere when it is empty.
func (a *app) saveJSON(path string, value any) error {
	write := func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	}
	return a.save(path, write)
}

// save writes to a file whole or not at all, to stdout when its name is "-", and
// nowhere when it is empty.
func (a *app) save(path string, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(a.stdout)
	}
	return writeFile(path, write)
}
