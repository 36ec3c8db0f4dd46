// Package runner carries out a probes.Plan on a running stack: it signs people up,
// writes the owner's rows, looks at hooks and catalog, sends each probe's request
// and counts what came of it. What a candidate breaks becomes an observation, and
// so does a stack that dies; only a cancelled context or a bad Config is an error.
// It judges nothing and knows nothing of how the stack was started.
package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/auth"
	"github.com/supascore/supascore/probes/internal/bare"
	"github.com/supascore/supascore/probes/rest"
	"github.com/supascore/supascore/probes/sql"
	"github.com/supascore/supascore/probes/token"
)

// defaultTimeout is longer than every timeout of the stack itself (a hook's 2 s,
// the API roles' 8 s), so that its answer to a slow candidate is seen.
const defaultTimeout = 15 * time.Second

// aliveTimeout bounds each part of a liveness check.
const aliveTimeout = 5 * time.Second

// Config is one run.
type Config struct {
	// Target is the running stack.
	Target probes.Target
	// Plan is what to do on it.
	Plan probes.Plan
	// Borrowed is set for a stack that was there before the run and goes on after it;
	// nil for one of the run's own.
	Borrowed *Borrowed
	// Stack is copied into the observations: the caller knows how the boot went.
	Stack probes.StackState
	// Run is the run's eight hex digits. Default: random.
	Run string
	// RequestTimeout bounds each request and each statement. Default 15 s.
	RequestTimeout time.Duration
	// OnBegin is told each phase's name as it begins, and OnPhase its name and time
	// as it ends: "liveness", "hooks", "arrange", "catalog", "probes" and, on a borrowed
	// stack, "clean-up". May be nil.
	OnBegin func(name string)
	OnPhase func(name string, took time.Duration)
	// Log receives what the run does, at debug level. Default: discarded.
	Log *slog.Logger
}

var runPattern = regexp.MustCompile(`^[0-9a-f]{8}$`)

func (c Config) withDefaults() (Config, error) {
	if c.Run == "" {
		var digits [4]byte
		if _, err := rand.Read(digits[:]); err != nil {
			return c, fmt.Errorf("choose the run's digits: %w", err)
		}
		c.Run = hex.EncodeToString(digits[:])
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = defaultTimeout
	}
	if c.Target.Schema == "" {
		c.Target.Schema = "public"
	}
	if c.OnBegin == nil {
		c.OnBegin = func(string) {}
	}
	if c.OnPhase == nil {
		c.OnPhase = func(string, time.Duration) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func (c Config) validate() error {
	var errs []error
	for _, field := range []struct{ name, value string }{
		{"AuthURL", c.Target.AuthURL},
		{"RESTURL", c.Target.RESTURL},
		{"APIKey", c.Target.APIKey},
		{"OwnerURL", c.Target.OwnerURL},
	} {
		if field.value == "" {
			errs = append(errs, fmt.Errorf("probe the stack: the target has no %s", field.name))
		}
	}
	if !runPattern.MatchString(c.Run) {
		errs = append(errs, fmt.Errorf("probe the stack: run %q is not eight hex digits", c.Run))
	}
	return errors.Join(errs...)
}

// run is the state of one Run.
type run struct {
	cfg  Config
	seen *probes.Observations
	db   *sql.DB
	auth *auth.Client
	rest *rest.Client
	// tokens maps people to the access token of their latest session. They are
	// never part of the observations.
	tokens map[string]string
	// made are the rows to be removed from a borrowed stack; mixed is why its API and its
	// database do not belong together.
	made  []made
	mixed error
}

// Run carries out the plan and returns what it saw. When ctx ends it returns the
// observations so far together with the context's error.
func Run(ctx context.Context, cfg Config) (*probes.Observations, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	db, err := sql.New(cfg.Target.OwnerURL, cfg.RequestTimeout)
	if err != nil {
		return nil, fmt.Errorf("probe the stack: %w", err)
	}
	transport := bare.NewTransport()
	home, err := newHomebound(transport, cfg.Target.AuthURL, cfg.Target.RESTURL)
	if err != nil {
		return nil, err
	}
	r := &run{
		cfg: cfg, db: db,
		auth:   auth.New(cfg.Target.AuthURL, cfg.Target.APIKey, home),
		rest:   rest.New(cfg.Target.RESTURL, cfg.Target.APIKey, home),
		tokens: map[string]string{},
		seen: &probes.Observations{
			Version: probes.ObservationsVersion, Run: cfg.Run, Stack: cfg.Stack,
			People: map[string]*probes.PersonObservation{},
			Rows:   map[string]*probes.RowObservation{},
			Hooks:  map[string]*probes.HookObservation{},
		},
	}
	defer r.close(transport)
	err = r.all(ctx)
	r.leave(ctx)
	return r.seen, err
}

// close gives up the connections, also when the run was cancelled.
func (r *run) close(transport *http.Transport) {
	transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), aliveTimeout)
	defer cancel()
	if err := r.db.Close(ctx); err != nil {
		r.cfg.Log.Debug("close the owner's connection", "error", err)
	}
}

// all runs the phases in order.
func (r *run) all(ctx context.Context) error {
	if err := r.phase(ctx, "liveness", func(ctx context.Context) { r.seen.Before = r.liveness(ctx) }); err != nil {
		return err
	}
	if !r.seen.Before.OK {
		return nil
	}
	for _, phase := range []struct {
		name string
		do   func(context.Context)
	}{
		{"hooks", r.hooks},
		{"arrange", r.arrange},
		{"catalog", r.catalog},
		{"probes", r.rows},
	} {
		if err := r.phase(ctx, phase.name, phase.do); err != nil {
			return err
		}
		if r.mixed != nil {
			return r.mixed
		}
	}
	r.seen.After = r.liveness(ctx)
	return ctx.Err()
}

// phase runs one phase and reports its time. A cancelled context makes every later
// observation one of the cancellation, so the run ends at once.
func (r *run) phase(ctx context.Context, name string, do func(context.Context)) error {
	r.cfg.OnBegin(name)
	start := time.Now()
	do(ctx)
	took := time.Since(start)
	r.cfg.OnPhase(name, took)
	r.cfg.Log.Debug("probed the stack", "phase", name, "took", took)
	return context.Cause(ctx)
}

// liveness asks every part of the stack for a sign of life.
func (r *run) liveness(ctx context.Context) *probes.Liveness {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	alive := &probes.Liveness{
		Timing:   probes.Timing{Started: start.UTC()},
		Postgres: r.db.Alive(ctx),
		Auth:     r.auth.Alive(ctx),
		REST:     r.rest.Alive(ctx),
	}
	alive.OK = alive.Postgres == "" && alive.Auth == "" && alive.REST == ""
	alive.MS = bare.Milliseconds(time.Since(start))
	return alive
}

// hooks looks at the hooks that the plan names.
func (r *run) hooks(ctx context.Context) {
	for _, name := range r.cfg.Plan.Hooks {
		seen := r.db.Hook(ctx, r.cfg.Target.Hooks[name])
		for other, config := range r.cfg.Target.Hooks {
			if other != name && config.Enabled {
				seen.Others = append(seen.Others, other)
			}
		}
		slices.Sort(seen.Others)
		r.seen.Hooks[name] = seen
	}
}

// catalog looks at the tables that the plan touches.
func (r *run) catalog(ctx context.Context) {
	r.seen.Catalog = r.db.Catalog(ctx, r.cfg.Plan.AllTables(), r.cfg.Target.Schema)
}

func (r *run) keys() token.Keys {
	return token.Keys{Secret: r.cfg.Target.JWTSecret, Set: r.cfg.Target.JWKS}
}

// logMark is a place in the stack's log.
type logMark int

// mark remembers where the log stands.
func (r *run) mark() logMark {
	if r.cfg.Target.Logs == nil {
		return 0
	}
	return logMark(len(r.cfg.Target.Logs()))
}

// maxLogs bounds how many logged lines one observation keeps.
const maxLogs = 20

// since returns the error lines that were logged since a mark.
func (r *run) since(mark logMark) []probes.LogEntry {
	if r.cfg.Target.Logs == nil {
		return nil
	}
	logged := r.cfg.Target.Logs()
	var errs []probes.LogEntry
	for _, entry := range logged[min(int(mark), len(logged)):] {
		if (entry.Error != "" || entry.SQLState != "") && len(errs) < maxLogs {
			errs = append(errs, entry)
		}
	}
	return errs
}

// serverError is the first HTTP status that may have its cause in a dying stack.
const serverError = http.StatusInternalServerError

// gone says why a failing answer allows no conclusion: Postgres is gone. Asked
// right after the answer, so that what was observed before still counts.
func (r *run) gone(ctx context.Context, status int) string {
	if status < serverError {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	if problem := r.db.Alive(ctx); problem != "" {
		return "postgres is gone: " + problem
	}
	return ""
}
