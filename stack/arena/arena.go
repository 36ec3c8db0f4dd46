// Package arena owns the databases that hostile SQL is tried in. It promises that a
// candidate runs as the owner of a copy of its task's database that is as good as new, in
// a cluster that no other candidate uses at the same time, within limits of time, memory
// and disk, and that nothing of it is left for the next one: copies are dropped, or kept
// for candidates that run in one transaction, which is undone; a cluster whose shared
// catalogs a candidate managed to change is thrown away. It applies, looks and serves
// the Data API; it knows nothing of tests and judges nothing.
package arena

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/supascore/supascore/stack/keys"
	"github.com/supascore/supascore/stack/postgres"
)

// Config says how an arena is made.
type Config struct {
	// Postgres says where PostgreSQL comes from. Port, Password and Scripts are the
	// arena's business.
	Postgres postgres.Config
	// Clusters is how many candidates can be tried at a time. Default 1.
	Clusters int
	// Limits bound what a candidate and the tests on it may use.
	Limits Limits
	// Engine plays the Data API and Auth; nil for this module's own in the process, whose
	// requests are undone.
	Engine Engine
	// Log gets what happens; nil discards it.
	Log *slog.Logger
}

// Limits bound what a candidate may use. A zero field has its default.
type Limits struct {
	// Statement bounds each statement, default 5 s. Code can lift it for the
	// statements that follow in its session; Apply and Request cannot be lifted.
	Statement time.Duration
	// Lock bounds each wait for a lock, default 1 s.
	Lock time.Duration
	// Apply bounds the whole of a candidate's SQL, default 15 s.
	Apply time.Duration
	// Request bounds one test or request as a whole, default 8 s.
	Request time.Duration
	// TempFiles bounds the temporary files of a session, in bytes, default 64 MiB.
	TempFiles int64
	// Memory bounds the memory of one server process, in bytes, default 512 MiB. Only
	// Linux can do it; elsewhere work_mem and the size of values bound it.
	Memory int64
	// Growth bounds how much larger than its template a database may get, in bytes,
	// default 256 MiB.
	Growth int64
	// Connections bounds the sessions in one database, default 16.
	Connections int
	// Templates is how many templates a cluster keeps, default 8.
	Templates int
}

func (l Limits) withDefaults() Limits {
	def := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	def(&l.Statement, 5*time.Second)
	def(&l.Lock, time.Second)
	def(&l.Apply, 15*time.Second)
	def(&l.Request, 8*time.Second)
	for _, size := range []struct {
		field *int64
		value int64
	}{{&l.TempFiles, 64 << 20}, {&l.Memory, 512 << 20}, {&l.Growth, 256 << 20}} {
		if *size.field == 0 {
			*size.field = size.value
		}
	}
	if l.Connections == 0 {
		l.Connections = 16
	}
	if l.Templates == 0 {
		l.Templates = 8
	}
	return l
}

func (c Config) withDefaults() Config {
	if c.Clusters == 0 {
		c.Clusters = 1
	}
	c.Limits = c.Limits.withDefaults()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Postgres.Log == nil {
		c.Postgres.Log = c.Log
	}
	c.Postgres.Port, c.Postgres.Password = 0, ""
	return c
}

func (c Config) validate() error {
	if c.Clusters < 1 {
		return fmt.Errorf("arena: %d clusters are too few, at least 1 is needed", c.Clusters)
	}
	return nil
}

// Arena is a set of clusters for candidates. Its methods may be called from any
// goroutine.
type Arena struct {
	config Config
	keys   keys.Set
	free   chan struct{} // a token for each cluster that may be in use

	mu      sync.Mutex
	idle    []*cluster
	stopped bool
}

// New makes an arena. Clusters are started when they are first needed.
func New(cfg Config) (*Arena, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	set, err := keys.New(keys.Config{})
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	a := &Arena{config: cfg, keys: set, free: make(chan struct{}, cfg.Clusters)}
	for range cfg.Clusters {
		a.free <- struct{}{}
	}
	return a, nil
}

// ErrStopped is returned when an arena is used after Stop.
var ErrStopped = errors.New("the arena is stopped")

// Clone takes a cluster for one candidate, makes the setup's template there unless
// the cluster has it, and copies it. It waits while all clusters are in use. The
// clone must be closed. An error of the setup's own SQL is a *SQLError.
func (a *Arena) Clone(ctx context.Context, setup Setup) (*Clone, error) {
	return a.clone(ctx, setup, (*cluster).own)
}

// clone takes a cluster and lets it make a clone of the setup's template.
func (a *Arena) clone(ctx context.Context, setup Setup, make func(*cluster, context.Context, *template) (*Clone, error)) (*Clone, error) {
	select {
	case <-a.free:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c, err := a.take(ctx, setup.key())
	if err != nil {
		a.free <- struct{}{}
		return nil, err
	}
	began := time.Now()
	var clone *Clone
	t, err := c.templateOf(ctx, setup)
	built := time.Since(began)
	if err == nil {
		clone, err = make(c, ctx, t)
	}
	if err != nil {
		return nil, errors.Join(err, a.giveBack(ctx, c))
	}
	clone.arena, clone.Timing = a, Timing{Template: built, Copy: time.Since(began) - built}
	return clone, nil
}

// take finds a cluster for a template: one that has it, else the one with the fewest.
func (a *Arena) take(ctx context.Context, key string) (*cluster, error) {
	a.mu.Lock()
	if a.stopped {
		a.mu.Unlock()
		return nil, ErrStopped
	}
	best := -1
	for i, c := range a.idle {
		if c.templates[key] != nil {
			best = i
			break
		}
		if c.suits(key) && (best < 0 || len(c.templates) < len(a.idle[best].templates)) {
			best = i
		}
	}
	var c, condemned *cluster
	switch {
	case best >= 0:
		c = a.idle[best]
		a.idle = slices.Delete(a.idle, best, best+1)
	case len(a.idle) > 0:
		// All idle ones hold roles of other tasks.
		condemned = a.idle[0]
		a.idle = a.idle[1:]
	}
	a.mu.Unlock()
	if condemned != nil {
		if err := condemned.stop(ctx); err != nil {
			a.config.Log.Warn("arena: a cluster did not stop well", "error", err)
		}
	}
	if c != nil {
		return c, nil
	}
	return startCluster(ctx, a.config)
}

// giveBack lets others use a cluster, or ends it when it is not fit any more.
func (a *Arena) giveBack(ctx context.Context, c *cluster) error {
	defer func() { a.free <- struct{}{} }()
	a.mu.Lock()
	keep := !a.stopped && !c.spoilt && c.server.Err() == nil
	if keep {
		a.idle = append(a.idle, c)
	}
	a.mu.Unlock()
	if keep {
		return nil
	}
	return c.stop(ctx)
}

// Version is the version of PostgreSQL, such as "15.18"; empty before the first clone.
func (a *Arena) Version() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.idle {
		return c.server.Version()
	}
	return ""
}

// Stop ends all clusters, those in use when their clone is closed. It may be called
// again.
func (a *Arena) Stop(ctx context.Context) error {
	a.mu.Lock()
	idle := a.idle
	a.idle, a.stopped = nil, true
	a.mu.Unlock()
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.stop(ctx))
	}
	return errors.Join(errs...)
}
