package main

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/tasks"
)

// gradeFlags are the flags of every verb that grades candidates.
type gradeFlags struct {
	engine   string
	programs programFlags
	// attach and workspace say which stack lends its database, with --engine attach, and
	// lender is that stack.
	attach    attachFlags
	workspace string
	lender    attach.Config
	paths     []string
	readings  []string
	expose    string
	postgres  string
	cache     string
	signIn    bool
	parallel  int
	verbose   bool
}

func (f *gradeFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.engine, "engine", "embedded", "who plays REST and Auth for a candidate: embedded, or native (the real PostgREST, and Auth with --real-sign-in), which starts them for each candidate; attach lets candidates into the database of a stack that runs already; auto is embedded here")
	f.programs.register(c)
	f.registerAttach(c)
	flags.StringSliceVar(&f.paths, "path", []string{"sql", "api"}, "how tests reach the database: sql, api")
	flags.StringSliceVar(&f.readings, "reading", nil, "how to read what the format leaves open, such as count=rows, instead of what the task says")
	flags.StringVar(&f.expose, "auto-expose-new-tables", "", "true or false: whether new tables are granted to the API roles (default: by the task)")
	flags.BoolVar(&f.signIn, "real-sign-in", false, "sign the users up in Auth and let them sign in, instead of signing tokens with their claims")
	flags.StringVar(&f.postgres, "postgres-bin", "", "folder with postgres and initdb (default: found, else downloaded)")
	flags.StringVar(&f.cache, "cache-dir", "", "folder for cluster images (default: $SUPASCORE_CACHE_DIR or the user's cache)")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log what happens to stderr")
}

// registerParallel adds the flag of verbs that grade several candidates.
func (f *gradeFlags) registerParallel(c *cobra.Command) {
	c.Flags().IntVar(&f.parallel, "parallel", runtime.GOMAXPROCS(0), "candidates at once, each on a cluster of its own")
}

// options turns the flags into how candidates are graded.
func (f *gradeFlags) options(c *cobra.Command, a *app) (supascore.GradeOptions, error) {
	var opts supascore.GradeOptions
	attached, err := f.attached(c, a)
	if err == nil && !attached {
		err = f.checkEngine(c)
	}
	if err != nil {
		return opts, err
	}
	for _, name := range f.paths {
		path := probes.RLSPath(name)
		if path != probes.RLSPathSQL && path != probes.RLSPathAPI {
			return opts, usagef(c, "the paths are: sql, api", "unknown path %q", name)
		}
		opts.Paths = append(opts.Paths, path)
	}
	if len(opts.Paths) == 0 {
		return opts, usagef(c, "the paths are: sql, api", "--path is empty")
	}
	readings, err := tasks.ParseReadings(f.readings)
	if err != nil {
		return opts, wrongInput(c, err)
	}
	opts.Readings = readings
	if f.signIn && !slices.Contains(opts.Paths, probes.RLSPathAPI) {
		return opts, usagef(c, "add --path api", "--real-sign-in makes tokens for the path api, which is not taken")
	}
	opts.RealSignIn = f.signIn
	if opts.Expose, err = exposed(c, f.expose); err != nil {
		return opts, err
	}
	a.out.verbose = f.verbose
	opts.Log = a.logger(f.verbose)
	return opts, nil
}

// checkEngine refuses the engines that tasks cannot use. The embedded one answers within
// the process, on a database that lives for milliseconds, so it is what auto means: a
// server for each candidate takes longer to start than all its tests take.
func (f *gradeFlags) checkEngine(c *cobra.Command) error {
	switch engine := stack.Engine(f.engine); engine {
	case stack.EngineEmbedded, stack.EngineAuto:
		return f.programs.unused(c, engine)
	case stack.EngineNative:
		return nil
	}
	return usagef(c, "the engines for tasks are: embedded, native, attach", "unknown engine %q", f.engine)
}

// withGrader runs do with a grader that can grade as many candidates at once, and takes
// everything down afterwards, also when the run was cancelled.
func (f *gradeFlags) withGrader(c *cobra.Command, a *app, clusters int, do func(*supascore.Grader) error) error {
	if clusters < 1 {
		return usagef(c, "", "--parallel takes a number from 1, got %d", clusters)
	}
	if stack.Engine(f.engine) == stack.EngineAttach {
		return f.withGround(c, a, do)
	}
	cfg := arena.Config{
		Clusters: clusters, Log: a.logger(f.verbose),
		Postgres: postgres.Config{BinDir: f.postgres, CacheDir: f.cache, Log: a.logger(f.verbose)},
	}
	if !f.verbose {
		cfg.Postgres.Log = slog.New(&noteHandler{out: a.out})
	}
	var err error
	if cfg.Engine, err = f.players(a); err != nil {
		return err
	}
	ring, err := arena.New(cfg)
	if err != nil {
		return err
	}
	err = do(supascore.NewGrader(ring))
	return errors.Join(err, ring.Stop(context.WithoutCancel(c.Context())))
}

// players are who plays REST and Auth for each candidate; nil for the embedded engine. The
// real Auth is needed only where users sign in.
func (f *gradeFlags) players(a *app) (arena.Engine, error) {
	if stack.Engine(f.engine) != stack.EngineNative {
		return nil, nil
	}
	cfg := stack.Config{
		PostgREST: f.programs.postgrest, AuthServer: f.programs.auth, Env: environment(a.env),
		Postgres: postgres.Config{CacheDir: f.cache},
	}
	programs, err := cfg.Programs()
	var missing *native.MissingError
	if errors.As(err, &missing) && programs.PostgREST.Path != "" && !f.signIn {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return arena.Native{Programs: programs, Log: a.logger(f.verbose)}, nil
}

// name is the engine's name in what is written.
func (f *gradeFlags) name() string {
	if stack.Engine(f.engine) == stack.EngineAuto {
		return string(stack.EngineEmbedded)
	}
	return f.engine
}
