// Package workspace reads the SQL of a project folder: roles.sql, the migrations and the seed files, in the order and by the
// naming rules of the Supabase CLI. It owns what a workspace may contain at all. It promises that nothing outside the folder
// is read, whatever paths and symbolic links say, that a file is refused with its place when it is too large or is no text,
// that each file is read once, and that equal folders have equal hashes. It returns values and keeps nothing open; it parses
// no SQL and no configuration.
package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/docker/go-units"

	"github.com/supascore/supascore/stack/config"
)

// The limits of a workspace. Real ones stay far below; candidates that do not are not read.
const (
	DefaultMaxFile  = 10 << 20  // bytes of one SQL file
	DefaultMaxTotal = 256 << 20 // bytes of all files that count for the hash
	maxFiles        = 20_000
)

// Options says what to read.
type Options struct {
	Dir          string   // the workspace folder, the one that holds supabase/; required
	Migrations   bool     // read supabase/migrations, as [db.migrations] enabled says
	SeedPatterns []string // glob patterns of seed files relative to supabase/; none when seeding is off
	MaxFile      int64    // bytes of one SQL file; 0: DefaultMaxFile
	MaxTotal     int64    // bytes of all files under supabase/; 0: DefaultMaxTotal
}

// OptionsFor takes from a configuration what it says about migrations and seeding.
func OptionsFor(dir string, c *config.Config) Options {
	o := Options{Dir: dir, Migrations: c.DB.Migrations.Enabled}
	if c.DB.Seed.Enabled {
		o.SeedPatterns = c.DB.Seed.SQLPaths
	}
	return o
}

func (o Options) withDefaults() Options {
	if o.MaxFile == 0 {
		o.MaxFile = DefaultMaxFile
	}
	if o.MaxTotal == 0 {
		o.MaxTotal = DefaultMaxTotal
	}
	return o
}

func (o Options) validate() error {
	switch {
	case o.Dir == "":
		return fmt.Errorf("no workspace folder is given")
	case o.MaxFile < 0 || o.MaxTotal < 0:
		return fmt.Errorf("limits of a workspace must not be negative")
	}
	return nil
}

// Workspace is what was read.
type Workspace struct {
	Dir        string      // absolute path of the folder
	Roles      *File       // supabase/roles.sql, nil when there is none
	Migrations []Migration // in the order in which they are applied: that of the file names
	Seeds      []File      // in the order of the patterns, and of the names within one
	Skipped    []Skipped   // files of supabase/migrations that are no migrations
	Warnings   []string    // such as a seed pattern that matches nothing
	Hash       string      // SHA-256, in hex, over names and contents of all files; see hash
}

// File is a text file of SQL.
type File struct {
	Path   string // relative to the workspace, with slashes
	SQL    string // valid UTF-8 without NUL
	SHA256 string // of the content, in hex; what the CLI records of a seed file
}

// Migration is a file of supabase/migrations.
type Migration struct {
	File
	Version string // the digits that the file name begins with
	Name    string // what follows the digits and the underscore, without .sql
}

// Skipped is a file of supabase/migrations that is passed over.
type Skipped struct {
	Path   string
	Reason string
}

// Error is why a workspace cannot be read. It has a place when the fault is inside a file.
type Error struct {
	Path    string // relative to the workspace, or the workspace itself
	Line    int    // 1-based; 0 when the whole file is meant
	Column  int    // 1-based, in bytes
	Message string
	Remedy  string // what to do, "" when that is plain
	Err     error  // the cause, nil when there is none
}

// Error gives path, place and message.
func (e *Error) Error() string {
	place := e.Path
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
	}
	return place + ": " + e.Message
}

// Hint returns the remedy.
func (e *Error) Hint() string { return e.Remedy }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Read reads a workspace. Every error is an *Error, except for bad Options and a ctx that has ended.
func Read(ctx context.Context, o Options) (*Workspace, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("read workspace: %w", err)
	}
	root, err := open(o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // opened for reading: nothing to lose
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("read workspace: %w", err)
	}
	r := &reader{ctx: ctx, root: root, options: o, out: &Workspace{Dir: dir}, sums: map[string]string{}}
	for _, step := range []func() error{r.roles, r.migrations, r.seeds, r.hash} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// reader reads one workspace.
type reader struct {
	ctx     context.Context //nolint:containedctx // lives for one call of Read
	root    *os.Root
	options Options
	out     *Workspace
	sums    map[string]string // SHA-256 of each file by path
	total   int64             // bytes hashed that were not read as SQL
}

// open opens the folder so that no path leads out of it, and checks that it is a project.
func open(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, &Error{
			Path: dir, Message: "the workspace folder cannot be opened: " + cause(err).Error(), Err: err,
			Remedy: "name the project folder that holds supabase/",
		}
	case !info.IsDir():
		return nil, &Error{Path: dir, Message: "the workspace is a file, but must be a folder", Remedy: "name the project folder that holds supabase/"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &Error{Path: dir, Message: "the workspace folder cannot be opened: " + cause(err).Error(), Err: err}
	}
	if err := checkProject(dir, root); err != nil {
		_ = root.Close() // the error that counts is the first
		return nil, err
	}
	return root, nil
}

// checkProject checks that there is a folder supabase in the workspace, and nothing else: a project may lack everything in it.
func checkProject(dir string, root *os.Root) error {
	info, err := root.Stat("supabase")
	if err == nil && info.IsDir() {
		return nil
	}
	e := &Error{Path: dir, Message: "the workspace has no folder supabase", Err: err}
	switch {
	case err == nil:
		e.Message = "supabase is a file in this workspace, but must be a folder"
	case !isMissing(err):
		e.Path, e.Message = "supabase", "cannot be opened: "+cause(err).Error()
	default:
		e.Remedy = likelyFolder(dir, root)
	}
	return e
}

// likelyFolder guesses which folder was meant instead of one without supabase/.
func likelyFolder(dir string, root *os.Root) string {
	if _, err := root.Stat("config.toml"); err == nil {
		if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == "supabase" {
			return fmt.Sprintf("did you mean its parent, %s?", filepath.Dir(abs))
		}
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(entries) == 0 {
		return "the folder is empty; run `supabase init` in it"
	}
	for _, entry := range entries {
		if _, err := root.Stat(entry.Name() + "/supabase/config.toml"); err == nil {
			return fmt.Sprintf("did you mean %s?", filepath.Join(dir, entry.Name()))
		}
	}
	return "run `supabase init` in the project folder, or name the folder that holds supabase/"
}

func bytesSize(n int64) string { return units.BytesSize(float64(n)) }
