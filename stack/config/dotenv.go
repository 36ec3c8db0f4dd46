package config

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/joho/godotenv"
)

// variable is an environment variable with the .env file it came from; file is empty for the real environment.
type variable struct {
	value string
	file  string
	line  int
}

// environment is what the CLI's process environment is after it has read its .env files.
type environment map[string]variable

// lookup returns a variable that is set and not empty: the CLI treats an empty one as unset everywhere.
func (e environment) lookup(name string) (variable, bool) {
	v, ok := e[name]
	return v, ok && v.value != ""
}

// envFiles lists the .env files in the order in which they count, for the environment named by SUPABASE_ENV. The CLI reads
// those in supabase/ before those of the project folder, and leaves .env.local out of tests (loadDefaultEnv).
func envFiles(name string) []string {
	if name == "" {
		name = "development"
	}
	names := []string{".env." + name + ".local"}
	if name != "test" {
		names = append(names, ".env.local")
	}
	names = append(names, ".env."+name, ".env")
	var files []string
	for _, dir := range []string{"supabase", "."} {
		for _, n := range names {
			files = append(files, path.Join(dir, n))
		}
	}
	return files
}

// readEnvironment lays the .env files under the real environment: the first definition of a variable wins, and a real one
// beats all, even when it is empty.
func readEnvironment(files fs.FS, real map[string]string) (environment, []*Problem) {
	env := environment{}
	for name, value := range real {
		env[name] = variable{value: value}
	}
	var problems []*Problem
	for _, file := range envFiles(real["SUPABASE_ENV"]) {
		if !fs.ValidPath(file) {
			continue // a SUPABASE_ENV with a slash or a .. names no file of the workspace
		}
		text, err := readLimited(files, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = env.add(file, text)
		}
		if err != nil {
			problems = append(problems, &Problem{File: file, Message: err.Error(), Remedy: "fix or remove " + file})
		}
	}
	return env, problems
}

// add reads one .env file. The parser's own messages quote the file, which holds secrets, so they are not passed on.
func (e environment) add(file string, text []byte) error {
	values, err := godotenv.UnmarshalBytes(text)
	if err != nil {
		return errors.New("not a valid .env file: expected lines of NAME=value, with quotes closed")
	}
	lines := definitionLines(text)
	for name, value := range values {
		if _, known := e[name]; !known {
			e[name] = variable{value: value, file: file, line: lines[name]}
		}
	}
	return nil
}

var definition = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z0-9_.]+)\s*[=:]`)

// definitionLines finds the line that defines each variable, the last one where there are several, as the parser does.
func definitionLines(text []byte) map[string]int {
	lines := map[string]int{}
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, maxFileSize+1)
	for n := 1; scanner.Scan(); n++ {
		if m := definition.FindStringSubmatch(scanner.Text()); m != nil {
			lines[strings.TrimSpace(m[1])] = n
		}
	}
	return lines
}
