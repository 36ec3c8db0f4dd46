// Package psql runs a script as `psql -X -A -t -q -v ON_ERROR_STOP=1 -f FILE` does, which is how pg_prove runs a pgTAP test:
// a session of its own, one query at a time in the simple protocol, rows as lines, variables, and the backslash commands that
// tests use. It promises psql's output, messages with file and line, and exit status for what it knows, a refusal by name for
// what it does not, and that no script reads a file outside the folder it was given. It is no terminal: nothing is aligned,
// nothing is asked, no program is run.
//
// Source: PostgreSQL's documentation of psql, and what psql 15 does.
package psql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// Config is what a script runs with.
type Config struct {
	URL    string    // the database
	Root   string    // the folder that scripts may be read from, with what is below it; absolute
	Dir    string    // where \i finds relative paths; absolute, in Root
	Stdout io.Writer // rows, and what \echo says
	Stderr io.Writer // notices, errors, and what \warn says
}

// The exit statuses of psql.
const (
	exitOK     = 0
	exitFatal  = 1 // the script cannot be read
	exitLost   = 2 // the connection cannot be made, or was lost
	exitScript = 3 // an error in the script, while ON_ERROR_STOP is set
)

// maxScript bounds the bytes of one file.
const maxScript = 10 << 20

// Run runs a script, whose path is absolute or relative to Dir, and returns psql's exit status. What goes wrong with the script
// is said on Stderr. An error is returned when ctx ends or output cannot be written.
func Run(ctx context.Context, cfg Config, path string) (status int, err error) {
	root, err := os.OpenRoot(cfg.Root)
	if err != nil {
		return exitFatal, fmt.Errorf("open the folder of scripts: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing to lose: it is the folder
	s := &session{cfg: cfg, root: root, vars: map[string]string{"ON_ERROR_STOP": "1", "QUIET": "on"}}
	text, err := s.read(cfg.Dir, path)
	if err != nil {
		s.printf(cfg.Stderr, "psql: error: %s\n", err)
		return exitFatal, s.output
	}
	if err := s.connect(ctx); err != nil {
		s.printf(cfg.Stderr, "psql: error: %s\n", err)
		return exitLost, errors.Join(ctx.Err(), s.output)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = s.conn.Close(closing) // a session that does not end in order ends all the same
	}()
	err = s.script(ctx, path, text)
	var stop *stopError
	switch {
	case ctx.Err() != nil:
		return exitLost, context.Cause(ctx)
	case s.output != nil:
		return exitFatal, s.output
	case errors.As(err, &stop):
		return stop.status, nil
	}
	return exitOK, err
}

// stopError ends the script, after its reason was said.
type stopError struct{ status int }

func (e *stopError) Error() string { return "exit status " + strconv.Itoa(e.status) }

// session is one run.
type session struct {
	cfg    Config
	root   *os.Root
	conn   *pgconn.PgConn
	vars   map[string]string
	null   string // what NULL is shown as
	place  place
	depth  int   // of files within files
	output error // of the first write that failed
}

// place is where messages say that something happened.
type place struct {
	path string
	line int
}

// connect opens the session. When ctx ends, the server is told to cancel what it is doing.
func (s *session) connect(ctx context.Context) error {
	cfg, err := pgconn.ParseConfig(s.cfg.URL)
	if err != nil {
		return err
	}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { s.message((*pgconn.PgError)(n), "") }
	cfg.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "psql"
	}
	if s.conn, err = pgconn.ConnectConfig(ctx, cfg); err != nil {
		return err
	}
	maps.Copy(s.vars, map[string]string{
		"DBNAME": cfg.Database, "USER": cfg.User, "HOST": cfg.Host, "PORT": strconv.Itoa(int(cfg.Port)),
	})
	return nil
}

// read reads a script, from base when its path is relative. Its error is for people.
func (s *session) read(base, path string) (string, error) {
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(base, path)
	}
	within, err := filepath.Rel(s.cfg.Root, full)
	if err != nil || !filepath.IsLocal(within) {
		return "", fmt.Errorf("%s: is outside of %s, from which scripts are read", path, s.cfg.Root)
	}
	f, err := s.root.Open(within)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, cause(err))
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: is not a regular file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, cause(err))
	}
	if len(text) > maxScript {
		return "", fmt.Errorf("%s: has more than %d bytes", path, maxScript)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}

// cause drops the path from a path error: the message names it as the script does.
func cause(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

func (s *session) printf(w io.Writer, format string, args ...any) {
	if _, err := fmt.Fprintf(w, format, args...); err != nil && s.output == nil {
		s.output = fmt.Errorf("write the output of %s: %w", s.place.path, err)
	}
}

// complain says what is wrong at the current place, and ends the script when errors do.
func (s *session) complain(format string, args ...any) error {
	s.printf(s.cfg.Stderr, "psql:%s:%d: error: %s\n", s.place.path, s.place.line, fmt.Sprintf(format, args...))
	if s.output != nil {
		return s.output
	}
	return s.failed()
}

// refuse says that something is not done here, which ends the script in any case: what follows could not be judged.
func (s *session) refuse(format string, args ...any) error {
	_ = s.complain(format, args...) // the script ends either way
	return &stopError{exitScript}
}

// failed is what an error in the script leads to.
func (s *session) failed() error {
	if s.on("ON_ERROR_STOP") {
		return &stopError{exitScript}
	}
	return nil
}

// on reports whether a variable is set to something that psql takes for true.
func (s *session) on(name string) bool {
	value, set := s.vars[name]
	return set && !slices.Contains([]string{"off", "of", "false", "fals", "fal", "fa", "f", "no", "n", "0"}, strings.ToLower(value))
}
