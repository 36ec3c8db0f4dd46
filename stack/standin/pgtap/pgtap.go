// Package pgtap runs the pgTAP tests of a workspace against a database and reports as pg_prove does, which the Supabase CLI
// runs in a container: the same files in the same order, each in a session of its own, the same lines on the same streams, the
// same verdict. It needs the extension pgtap in PostgreSQL's installation and neither Perl nor psql. What scripts may do, its
// package psql knows; what their output means, its package tap.
//
// Source: supabase/cli, apps/cli-go/internal/db/test, and pg_prove 3.36.
package pgtap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/standin/extension"
	"github.com/supascore/supascore/stack/standin/pgtap/psql"
)

// Config is what to test.
type Config struct {
	URL       string   // the database, as a role that may create the extension in schema extensions
	Workspace string   // the project folder, absolute
	Paths     []string // tests, or folders of them, absolute; none: Folder of the workspace
	Verbose   bool     // show every line, and not comments alone
	Stdout    io.Writer
	Stderr    io.Writer
	Now       func() time.Time // default time.Now
}

// Summary is how the tests went.
type Summary struct {
	Files, Tests int
	OK           bool // nothing failed; also true when there was nothing to test
}

// Run runs the tests. A *extension.MissingError is returned when the installation lacks pgTAP. The extension is dropped again
// when the database did not have it before.
func Run(ctx context.Context, cfg Config) (summary Summary, err error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	files, err := find(cfg.Workspace, cfg.Paths)
	if err != nil {
		return Summary{}, err
	}
	drop, err := enable(ctx, cfg)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	r := &report{stdout: cfg.Stdout, verbose: cfg.Verbose, started: cfg.Now()}
	for _, f := range files {
		r.longest = max(r.longest, len(f.path))
	}
	for _, f := range files {
		t := r.open(f.path)
		status, err := psql.Run(ctx, psql.Config{URL: cfg.URL, Root: f.root, Dir: f.dir, Stdout: t, Stderr: cfg.Stderr}, f.path)
		if err != nil && !errors.Is(err, errBailOut) {
			return Summary{}, err
		}
		r.close(t, status)
		if t.result.Bailed {
			_, err := fmt.Fprintf(cfg.Stderr, "FAILED--Further testing stopped%s\n", reason(t.bailed))
			return Summary{Files: len(r.tests), Tests: r.total()}, errors.Join(err, r.err)
		}
	}
	return r.finish(cfg.Now()), r.err
}

// enable makes the extension, and returns what takes it away again.
func enable(ctx context.Context, cfg Config) (drop func() error, err error) {
	conn, err := pgx.Connect(ctx, cfg.URL)
	if err != nil {
		return nil, err
	}
	made, err := extension.Ensure(ctx, conn, extension.PgTAP())
	if err != nil || !made {
		return func() error { return nil }, errors.Join(err, conn.Close(ctx))
	}
	return func() error {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if _, err := conn.Exec(ending, "drop extension if exists pgtap"); err != nil {
			// Tests that kept objects of pgTAP's did so on purpose: not a failure of the run.
			fmt.Fprintln(cfg.Stderr, "failed to disable pgTAP:", err) //nolint:errcheck // nobody could be told
		}
		return conn.Close(ending)
	}, nil
}

func reason(text string) string {
	if text == "" {
		return "."
	}
	return ": " + text
}
