// Package stack boots a local Supabase stack from a workspace folder: Postgres with
// the workspace's migrations, Auth, REST and the gateway before them. It composes
// the packages below it and owns their order, their supervision and what is said
// when one of them fails. It promises that a stack is ready when Start returns, that
// a part which dies ends the whole with its cause, and that nothing is left after
// Stop. It knows nothing of evals and judges nobody.
package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/workspace"
)

// Ports says which TCP ports a stack listens on.
type Ports int

// The choices of ports.
const (
	// PortsRandom are free ports, so that stacks never meet.
	PortsRandom Ports = iota
	// PortsOfConfig are [api] port and [db] port of config.toml, as the CLI uses them.
	PortsOfConfig
)

// Config says what to boot and how.
type Config struct {
	// Workspace is the project folder, the one with supabase/ in it. Required.
	Workspace string
	// Env is the environment that config.toml may refer to and that overrides it
	// (SUPABASE_…). Nil: an empty one. The process's own environment is not read.
	Env map[string]string
	// Engine says who plays REST and Auth; empty means EngineEmbedded.
	Engine Engine
	// PostgREST and AuthServer are paths of the executables for EngineNative and
	// EngineAuto; empty: looked for by the variables of Env, in its PATH and in the
	// cache.
	PostgREST, AuthServer string
	// Attach says which running stack is meant; for EngineAttach only, to which the
	// fields below except Log and OnPhase mean nothing.
	Attach attach.Config
	// AttachLog reads what the services of the running stack have logged, oldest first;
	// nil when nobody can tell. A container of Auth is asked for its own log.
	AttachLog func() []LogEntry
	// Ports says which ports are used; default PortsRandom.
	Ports Ports
	// Postgres says where PostgreSQL and the cache are. Port is overwritten. With Kept,
	// the data of a stack that got as far as its services is there for the next one,
	// which then applies no migrations.
	Postgres postgres.Config
	// Without are the parts that are not started. Without the gateway nobody could
	// reach Auth and REST, so they are not started either.
	Without []Part
	// BcryptCost is the cost of password hashes, 4 to 31. 0 means 4, the lowest:
	// sign-ups dominate the time of a run, and its users live for seconds. The
	// hosted service uses 10, and so does EngineNative, whatever is set here.
	BcryptCost int
	// ExposeNewTables overrides [api] auto_expose_new_tables; nil leaves it to the
	// configuration.
	ExposeNewTables *bool
	// RandomKeys makes fresh keys where config.toml sets none, instead of the
	// well-known ones of a local project.
	RandomKeys bool
	// Log receives what happens; nil discards it.
	Log *slog.Logger
	// OnPhase is told when a phase of the start begins; may be nil. It may be
	// called from several goroutines.
	OnPhase func(name string)
	// OnFile is told which file of the workspace is applied next; may be nil.
	OnFile func(kind migrate.Kind, path string)
}

// Part is a part of a stack that it can do without.
type Part string

// The parts of a stack beside its database.
const (
	PartAuth    Part = "auth"
	PartREST    Part = "rest"
	PartGateway Part = "gateway"
)

// has says whether a part is started, as far as the caller decides that.
func (c Config) has(p Part) bool {
	return !slices.Contains(c.Without, p) && !slices.Contains(c.Without, PartGateway)
}

func (c Config) withDefaults() Config {
	if c.Engine == "" {
		c.Engine = EngineEmbedded
	}
	if c.BcryptCost == 0 {
		c.BcryptCost = minBcryptCost
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

const (
	minBcryptCost = 4
	maxBcryptCost = 31
)

func (c Config) validate() error {
	if c.Workspace == "" {
		return errors.New("no workspace folder is given")
	}
	switch c.Engine {
	case EngineEmbedded, EngineNative, EngineAuto, EngineAttach:
	default:
		return fmt.Errorf("unknown engine %q", c.Engine)
	}
	if c.BcryptCost < minBcryptCost || c.BcryptCost > maxBcryptCost {
		return fmt.Errorf("bcrypt cost %d is not between %d and %d", c.BcryptCost, minBcryptCost, maxBcryptCost)
	}
	return nil
}

// stopGrace is how long the parts get to finish their requests before a failing
// or cancelled stack cuts them off.
const stopGrace = 5 * time.Second

// Stack is a running stack. Its methods may be called from any goroutine.
type Stack struct {
	cfg       Config
	effective *config.Config
	space     *workspace.Workspace
	endpoints Endpoints
	settings  Settings
	phases    *phases
	log       *LogBook
	engine    engine
	// postgresLog is what of Postgres' log is in log.
	postgresLog postgresLog
	services    services
	// attachment is set for EngineAttach.
	attachment *Attachment
	door       *door

	// resetting is held by Reset, and by Stop for as long as it takes.
	resetting sync.Mutex
	// watching is the supervision of the parts; Reset interrupts it.
	watching *watch
	// stopping is closed when Stop begins.
	stopping chan struct{}
	// reporting guards what Reset changes: settings.
	reporting sync.Mutex

	stopOnce sync.Once
	stopErr  error
	done     chan struct{}
	failure  error
}

// Settings are the choices that shape what a stack does, as they came out.
type Settings struct {
	// ExposeNewTables is what [api] auto_expose_new_tables came to, and
	// ExposeNewTablesSource where that came from.
	ExposeNewTables       bool   `json:"auto_expose_new_tables"`
	ExposeNewTablesSource string `json:"auto_expose_new_tables_source"`
	// BcryptCost is the cost of password hashes; 0 for a stack that ran before.
	BcryptCost int `json:"bcrypt_cost"`
	// EngineReason says why the engine is what it is, in a few words; empty when it was
	// asked for by its name.
	EngineReason string `json:"engine_reason,omitempty"`
	// NotProvided are the sections of config.toml that the stack accepts and does
	// not provide.
	NotProvided []string `json:"not_provided,omitempty"`
	// Warnings are what the configuration and the workspace are warned about.
	Warnings []string `json:"warnings,omitempty"`
}

// Start boots a stack and returns when every service has answered a real request
// through the gateway. ctx bounds the start only. Every error but a bad Config is
// a *StartError or ctx's; after an error nothing is left running. The stack that
// comes with an error is never nil when the workspace could be looked at: it
// holds the phases, the log and whatever of the configuration was understood.
func Start(ctx context.Context, cfg Config) (*Stack, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(cfg.Workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", cfg.Workspace, err)
	}
	cfg.Workspace = abs
	s := &Stack{cfg: cfg, log: &LogBook{source: cfg.AttachLog}, phases: &phases{onStart: cfg.OnPhase}, done: make(chan struct{}), stopping: make(chan struct{})}
	if err := s.boot(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		err = s.explain(ctx, err)
		s.endpoints = Endpoints{Engine: s.endpoints.Engine, Versions: s.endpoints.Versions}
		return s, errors.Join(err, s.Stop(stopCtx))
	}
	s.watching = s.watch()
	return s, nil
}

// explain puts what ended the start in the place of what it led to: a cancelled
// context, or the death of Postgres while something spoke to it.
func (s *Stack) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if pg := s.services.postgres; pg != nil {
		select {
		case <-pg.Done():
			return &StartError{Phase: "postgres", Fault: FaultInfrastructure, Err: errors.Join(pg.Err(), err)}
		default:
		}
	}
	return err
}

// Endpoints is where the stack can be reached; after a failed start, nowhere.
func (s *Stack) Endpoints() Endpoints { return s.endpoints }

// Configuration is the configuration in effect. When config.toml was refused it is
// what could be understood of it; nil when that is nothing.
func (s *Stack) Configuration() *config.Config { return s.effective }

// Workspace is what was found in the workspace folder; nil when it could not be read.
func (s *Stack) Workspace() *workspace.Workspace { return s.space }

// Settings are the choices that shape what the stack does.
func (s *Stack) Settings() Settings {
	s.reporting.Lock()
	defer s.reporting.Unlock()
	return s.settings
}

// Phases are the steps of the start, in the order in which they ended.
func (s *Stack) Phases() []Phase { return s.phases.all() }

// Log is what the services have logged, and Postgres until now.
func (s *Stack) Log() *LogBook {
	var server *postgres.Server
	s.services.set(func() { server = s.services.postgres })
	if server != nil {
		s.postgresLog.takeIn(server, s.log)
	}
	return s.log
}

// Done is closed when the stack has ended, by Stop or because a part died.
func (s *Stack) Done() <-chan struct{} { return s.done }

// Err says why the stack ended by itself; nil while it runs and after Stop.
func (s *Stack) Err() error {
	select {
	case <-s.done:
		return s.failure
	default:
		return nil
	}
}

// watch is the supervision of the running parts.
type watch struct{ halt, halted chan struct{} }

// watch ends the stack when a part dies, until it is halted.
func (s *Stack) watch() *watch {
	w := &watch{halt: make(chan struct{}), halted: make(chan struct{})}
	parts := s.services.parts()
	go func() {
		defer close(w.halted)
		if cause := s.services.await(parts, s.done, w.halt); cause != nil {
			s.fail(cause)
		}
	}()
	return w
}

// fail stops the stack because of a cause.
func (s *Stack) fail(cause error) {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	s.stop(ctx, cause)
}

// Stop ends every part, gateway first, and removes the cluster unless it is kept. It
// may be called again and before a failed start is over; every call returns the first
// call's error. ctx bounds how long running requests may take.
func (s *Stack) Stop(ctx context.Context) error {
	s.stop(ctx, nil)
	return s.stopErr
}

func (s *Stack) stop(ctx context.Context, cause error) {
	s.stopOnce.Do(func() {
		close(s.stopping)
		s.resetting.Lock()
		defer s.resetting.Unlock()
		s.stopErr = errors.Join(s.services.stop(ctx), s.attachment.close(ctx))
		s.failure = cause
		close(s.done)
	})
}
