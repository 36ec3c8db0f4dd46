package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/supascore/supascore/stack/native/install"
)

// The variables that name the executables.
const (
	// EnvPostgREST names the executable of PostgREST.
	EnvPostgREST = "SUPASCORE_POSTGREST_BIN"
	// EnvAuth names the executable of Auth.
	EnvAuth = "SUPASCORE_AUTH_BIN"
)

// Search says where to look for the executables. The order is: the given path, the
// variable, the folders of PATH, what was installed into the cache.
type Search struct {
	// PostgREST and Auth are paths of the executables; empty: look for them.
	PostgREST, Auth string
	// Env is the environment that has the variables and PATH.
	Env map[string]string
	// CacheDir is the cache folder; empty: the usual one.
	CacheDir string
}

// Programs are the executables of the real servers.
type Programs struct{ PostgREST, Auth Program }

// Program is an executable that was found.
type Program struct {
	// Path is its absolute path.
	Path string
	// Source is how it was found: "--auth-bin", "SUPASCORE_AUTH_BIN", "PATH" or "cache".
	Source string
}

// candidate is what is looked for.
type candidate struct {
	title    string   // as people know it
	names    []string // of the file in a folder of PATH
	given    string
	flag     string
	variable string
	cached   string // name in the cache
}

// Find looks for both executables. Without one of them the error is a *MissingError, and
// what was found is returned with it. A path that was given by name and cannot be run is
// an *UnusableError: nothing takes its place.
func (s Search) Find() (Programs, error) {
	rest, restErr := s.find(candidate{
		"PostgREST", []string{"postgrest"}, s.PostgREST, "--postgrest-bin", EnvPostgREST, install.PostgREST,
	})
	auth, authErr := s.find(candidate{
		"Auth", []string{"gotrue", "auth"}, s.Auth, "--auth-bin", EnvAuth, install.Auth,
	})
	found := Programs{rest, auth}
	var missing MissingError
	for _, err := range []error{restErr, authErr} {
		var one *missingProgram
		switch {
		case errors.As(err, &one):
			missing.programs = append(missing.programs, *one)
		case err != nil:
			return found, err
		}
	}
	if len(missing.programs) > 0 {
		return found, &missing
	}
	return found, nil
}

func (s Search) find(c candidate) (Program, error) {
	for _, named := range []struct{ path, source string }{{c.given, c.flag}, {s.Env[c.variable], c.variable}} {
		if named.path == "" {
			continue
		}
		abs, err := filepath.Abs(named.path)
		if err == nil {
			err = executable(abs)
		}
		if err != nil {
			return Program{}, &UnusableError{c.title, named.path, named.source, err}
		}
		return Program{abs, named.source}, nil
	}
	looked := []string{c.variable + " is not set"}
	for _, name := range c.names {
		if path := inPath(name, s.Env["PATH"]); path != "" {
			return Program{path, "PATH"}, nil
		}
	}
	looked = append(looked, strings.Join(c.names, " or ")+" is not in PATH")
	if path, _, ok := install.Find(s.CacheDir, c.cached); ok {
		return Program{path, "cache"}, nil
	}
	dir, err := install.Dir(s.CacheDir)
	if err != nil {
		dir = "the cache folder"
	}
	return Program{}, &missingProgram{c.title, c.variable, append(looked, "not installed in "+dir)}
}

// inPath looks for an executable in the folders of PATH. Relative folders are passed
// over: what they hold depends on where we were started.
func inPath(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if file := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(file) == nil {
			return file
		}
	}
	return ""
}

// executable says why a file cannot be run; nil when it can.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		var of *os.PathError
		if errors.As(err, &of) {
			return of.Err
		}
		return err
	case info.IsDir():
		return errors.New("it is a folder")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("it is not executable")
	}
	return nil
}

// missingProgram is one executable that was not found.
type missingProgram struct {
	title, variable string
	looked          []string
}

func (e *missingProgram) Error() string {
	return fmt.Sprintf("no executable of %s found: %s", e.title, strings.Join(e.looked, ", "))
}

// MissingError says which executables were not found and where they were looked for.
type MissingError struct{ programs []missingProgram }

// Error names the executables and the places.
func (e *MissingError) Error() string {
	list := make([]string, len(e.programs))
	for i := range e.programs {
		list[i] = e.programs[i].Error()
	}
	return strings.Join(list, "; ")
}

// Short names what is missing in a few words.
func (e *MissingError) Short() string {
	titles := make([]string, len(e.programs))
	for i, p := range e.programs {
		titles[i] = p.title
	}
	return "no executable of " + strings.Join(titles, " and ") + " was found"
}

// Hint says how to get them.
func (e *MissingError) Hint() string {
	variables := make([]string, len(e.programs))
	for i, p := range e.programs {
		variables[i] = p.variable
	}
	return "install them with `supascore stack install`, or name the files with " + strings.Join(variables, " and ")
}

// UnusableError is an executable that was given by name and cannot be run.
type UnusableError struct {
	// Program is "PostgREST" or "Auth", Path the file, Source who named it.
	Program, Path, Source string
	// Err is why it cannot be run.
	Err error
}

// Error names the file and who named it.
func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s: the executable of %s, %s, cannot be run: %s", e.Source, e.Program, e.Path, e.Err)
}

// Unwrap is why it cannot be run.
func (e *UnusableError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *UnusableError) Hint() string {
	return "name an executable file, or leave it away to use what is found"
}
