package standin

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/supascore/supascore/stack/config"
)

var (
	//go:embed files/config.toml.tmpl
	configTemplate string
	//go:embed files/gitignore
	gitignore string
)

// ExistsError says that a project has a config.toml already.
type ExistsError struct{}

// Error is the CLI's message.
func (*ExistsError) Error() string {
	return "failed to create config file: open " + ConfigPath + ": file exists"
}

// Hint is the CLI's suggestion.
func (*ExistsError) Hint() string {
	return "Run supabase init --force to overwrite existing config file."
}

// Init makes dir a project: supabase/config.toml with the defaults and the folder's
// name as its project_id, and the lines of supabase/.gitignore that keep what belongs
// to one machine out of the repository. An existing config.toml is an *ExistsError
// unless force is given; other lines of an existing .gitignore stay.
func Init(dir string, force bool) error {
	if err := os.MkdirAll(filepath.Join(dir, "supabase"), 0o755); err != nil { //nolint:gosec // a project is for everybody
		return fmt.Errorf("failed to mkdir: %w", err)
	}
	text, err := ConfigFile(config.ProjectIDOf(filepath.Base(dir)))
	if err != nil {
		return err
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if err := write(filepath.Join(dir, filepath.FromSlash(ConfigPath)), flag, text); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return &ExistsError{}
		}
		return fmt.Errorf("failed to create config file: %w", err)
	}
	return ignore(filepath.Join(dir, "supabase", ".gitignore"))
}

// ConfigFile is the text of a new project's config.toml.
func ConfigFile(projectID string) (string, error) {
	t, err := template.New("config.toml").Parse(configTemplate)
	if err != nil {
		return "", err
	}
	if projectID == "" { // a folder's name may have nothing that an id may have
		projectID = "supabase"
	}
	var out bytes.Buffer
	err = t.Execute(&out, struct{ ProjectID string }{projectID})
	return out.String(), err
}

// ignore adds the lines to a .gitignore that it lacks as a block.
func ignore(path string) error {
	have, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return write(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, gitignore)
	case err != nil:
		return fmt.Errorf("failed to read git ignore file: %w", err)
	case strings.Contains(string(have), gitignore):
		return nil
	}
	return write(path, os.O_WRONLY|os.O_APPEND, "\n"+gitignore)
}

func write(path string, flag int, text string) (err error) {
	f, err := os.OpenFile(path, flag, 0o644) //nolint:gosec // a project is for everybody
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.WriteString(text)
	return err
}
