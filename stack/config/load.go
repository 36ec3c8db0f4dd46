package config

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// configPath is where config.toml is in a workspace.
const configPath = "supabase/config.toml"

// Options says what to load.
type Options struct {
	// Dir is the workspace folder, the one that holds supabase/. Required when FS is nil; its base name is the default
	// project_id.
	Dir string
	// FS is the workspace folder already opened. Nil: Dir is opened such that no path and no symbolic link leads out of it.
	FS fs.FS
	// Env is the environment: SUPABASE_ENV, SUPABASE_ overrides, and what env(NAME) may name. Nil: an empty one.
	Env map[string]string
	// ProjectRef is the project the workspace is linked to. A [remotes] block with this project_id overrides the rest of the
	// file. Empty: the name of the workspace folder, as in the CLI, which no valid block has.
	ProjectRef string
}

// Warning is something that the CLI lets pass and that deserves a look.
type Warning struct {
	Message string
	Source  Source
}

// String gives the place and the message.
func (w Warning) String() string { return w.Source.String() + ": " + w.Message }

// Config is the configuration in effect. It is not changed after Load and may be used from several goroutines.
type Config struct {
	Settings
	values      map[string]Value
	tree        *node // what the file says, before overrides
	layout      *layout
	remotes     map[string]Settings
	remote      string // name of the [remotes] block in effect
	warnings    []Warning
	signingKeys []JWK
}

// Load reads supabase/config.toml and what belongs to it. Every error is a *LoadError, except for a Dir that cannot be opened
// and a ctx that has ended.
func Load(ctx context.Context, o Options) (*Config, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("load configuration: %w", err)
	}
	if o.FS == nil {
		root, err := os.OpenRoot(o.Dir)
		if err != nil {
			return nil, fmt.Errorf("open workspace %s: %w", o.Dir, cause(err))
		}
		defer func() { _ = root.Close() }() // opened for reading: nothing to lose
		o.FS = root.FS()
	}
	text, problem := readConfig(o.FS)
	if problem != nil {
		return nil, &LoadError{Problems: []*Problem{problem}}
	}
	return load(o, text)
}

// load parses, layers, types and validates one file's text.
func load(o Options, text []byte) (*Config, error) {
	table, problem := parse(text)
	if problem != nil {
		return nil, &LoadError{Problems: []*Problem{problem}}
	}
	c := &Config{layout: newLayout(configPath, text), tree: &node{}}
	c.tree.plant(nil, table, c.layout)
	env, problems := readEnvironment(o.FS, o.Env)
	problems = append(problems, c.layout.clash...)
	problems = append(problems, c.checkKeys()...)

	effective := &node{}
	effective.plant(nil, table, c.layout)
	addTemplateDefaults(effective)
	problems = append(problems, c.applyRemote(effective, o)...)

	d := &decoder{env: env, layout: c.layout, values: map[string]Value{}}
	var doc document
	d.decode(slot{field: field{typ: reflect.TypeFor[document]()}, out: reflect.ValueOf(&doc).Elem(), node: effective, bound: true})
	c.Settings, c.remotes, c.values, c.warnings = doc.Settings, doc.Remotes, d.values, d.warnings
	problems = append(problems, d.problems...)

	c.derive(o)
	problems = append(problems, c.validate(o.FS)...)
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b *Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &LoadError{Problems: problems, Partial: c}
	}
	return c, nil
}

// readConfig reads the file; that it is missing is the one fault for which there is a command.
func readConfig(files fs.FS) ([]byte, *Problem) {
	text, err := readLimited(files, configPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Problem{
			File: configPath, Message: "the workspace has no such file",
			Remedy: "run `supabase init` in the project folder, or name the folder that holds supabase/",
		}
	case err != nil:
		return nil, &Problem{File: configPath, Message: err.Error()}
	}
	return text, nil
}

// maxKeys bounds the keys of the file, roughly counted: the TOML reader compares each new key with its siblings, so that its
// work grows with the square of their number. A real file has some hundred.
const maxKeys = 20_000

// parse decodes the TOML. Encoding comes first, so that the message for a file in another encoding says so. A byte-order mark
// is an error in the CLI, whose TOML reader takes it for the start of a key.
func parse(text []byte) (map[string]any, *Problem) {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return nil, &Problem{
			File: configPath, Line: 1, Column: 1, Message: "the file starts with a byte-order mark, which the CLI refuses",
			Remedy: "save it as UTF-8 without a byte-order mark",
		}
	}
	if line, column, ok := invalidUTF8(text); ok {
		return nil, &Problem{
			File: configPath, Line: line, Column: column, Message: "the file is not valid UTF-8", Remedy: "save it as UTF-8",
		}
	}
	if n := bytes.Count(text, []byte("=")) + bytes.Count(text, []byte("\n[")); n > maxKeys {
		return nil, &Problem{File: configPath, Message: fmt.Sprintf("the file has about %d keys, but at most %d are read", n, maxKeys)}
	}
	var table map[string]any
	err := toml.Unmarshal(text, &table)
	if err == nil {
		return table, nil
	}
	p := &Problem{File: configPath, Message: strings.TrimPrefix(err.Error(), "toml: ")}
	var decodeErr *toml.DecodeError
	if errors.As(err, &decodeErr) {
		p.Line, p.Column = decodeErr.Position()
		p.Key = strings.Join(decodeErr.Key(), ".")
		p.Text = excerpt(strings.Split(string(text), "\n"), p.Line)
	}
	return nil, p
}

// invalidUTF8 finds the first byte that belongs to no character.
func invalidUTF8(text []byte) (line, column int, found bool) {
	line, start := 1, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return line, i - start + 1, true
		}
		i += size
		if r == '\n' {
			line, start = line+1, i
		}
	}
	return 0, 0, false
}

// addTemplateDefaults adds the optional sections that the CLI's own template has and that are therefore always there.
func addTemplateDefaults(tree *node) {
	for path, value := range map[string]any{
		"auth.external.apple.enabled":          false,
		"auth.external.apple.secret":           "env(SUPABASE_AUTH_EXTERNAL_APPLE_SECRET)",
		"auth.sms.twilio.auth_token":           "env(SUPABASE_AUTH_SMS_TWILIO_AUTH_TOKEN)",
		"storage.s3_protocol.enabled":          true,
		"auth.external.apple.email_optional":   false,
		"auth.external.apple.skip_nonce_check": false,
	} {
		if n := tree.grow(strings.Split(path, ".")); n.value == nil && n.children == nil {
			n.value = value
		}
	}
}

// maxRemotes bounds the work that a hostile file can ask for: each block is a whole configuration.
const maxRemotes = 100

// applyRemote lays the [remotes] block of this project over the rest of the file. As in the CLI, such a block switches seeding
// off unless it says otherwise.
func (c *Config) applyRemote(tree *node, o Options) []*Problem {
	remotes := tree.find("remotes")
	if !remotes.isSection() {
		return nil
	}
	if n := len(remotes.children); n > maxRemotes {
		tree.children["remotes"] = nil
		return []*Problem{c.problemAt(remotes.source, "remotes", fmt.Sprintf("there are %d blocks in [remotes], but at most %d are read", n, maxRemotes), "")}
	}
	var problems []*Problem
	owner := map[string]string{}
	for _, name := range remotes.names() {
		block := remotes.children[name]
		ref, _ := block.find("project_id").text()
		if other, taken := owner[ref]; taken {
			p := c.layout.source([]string{"remotes", name, "project_id"})
			problems = append(problems, c.problemAt(p, "remotes."+name+".project_id",
				fmt.Sprintf("[remotes.%s] and [remotes.%s] have the same project_id", other, name), ""))
		}
		owner[ref] = name
		if ref == "" || ref != o.projectRef() {
			continue
		}
		c.remote = name
		block.walk(nil, func(path []string, n *node) {
			if n.value == nil {
				return
			}
			target := tree.grow(path)
			*target = node{value: n.value, source: n.source, final: true}
			target.source.Kind, target.source.Remote = SourceRemote, name
		})
		if block.find("db", "seed", "enabled") == nil {
			*tree.grow([]string{"db", "seed", "enabled"}) = node{value: false, final: true, source: Source{
				Kind: SourceRemote, Remote: name, File: configPath, Line: block.source.Line, Column: block.source.Column,
			}}
		}
	}
	return problems
}

// text returns a string value, and false for a node of another kind or none.
func (n *node) text() (string, bool) {
	if n == nil {
		return "", false
	}
	s, ok := n.value.(string)
	return s, ok
}

// projectRef is what the CLI compares the project ids of remotes with.
func (o Options) projectRef() string {
	if o.ProjectRef != "" {
		return o.ProjectRef
	}
	return o.folderName()
}

// folderName is the base name of the workspace folder, "workspace" when there is none.
func (o Options) folderName() string {
	if o.Dir == "" {
		return "workspace"
	}
	abs, err := filepath.Abs(o.Dir)
	if err != nil {
		abs = o.Dir
	}
	return filepath.Base(abs)
}
