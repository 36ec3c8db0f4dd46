package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/workspace"
)

// ResetOptions says what a new database of a stack is filled with.
type ResetOptions struct {
	// NoSeed leaves the seed files out.
	NoSeed bool `json:"no_seed,omitempty"`
	// Version is the last migration to apply; empty means all.
	Version string `json:"version,omitempty"`
	// Last is how many of the last migrations are left out. Version comes first.
	Last uint `json:"last,omitempty"`
	// OnPhase and OnFile are told what happens, as those of Config; they may be nil.
	// OnPhase may be called from several goroutines.
	OnPhase func(name string)                    `json:"-"`
	OnFile  func(kind migrate.Kind, path string) `json:"-"`
}

// ErrBusy is returned by Reset while another reset, or the stack's end, is under way.
var ErrBusy = errors.New("the stack is being reset or stopped")

// Reset gives the stack a new database and applies to it what the workspace says now:
// its roles.sql, migrations and seed files, as [db] and auto_expose_new_tables of
// config.toml want it. Nothing of the old database stays, neither its users nor its
// roles. Auth and REST are started again with the settings that they had, whatever
// config.toml says meanwhile, as the CLI's containers are; addresses and keys stay.
//
// An error in the workspace that is found by reading it leaves everything as it was. A
// file that the database refuses is a *StartError of FaultWorkspace; the stack then
// goes on with the files before it. Every other error ends the stack.
func (s *Stack) Reset(ctx context.Context, o ResetOptions) error {
	if s.cfg.Engine == EngineAttach {
		return errors.New("a stack that somebody else started cannot be reset")
	}
	if !s.resetting.TryLock() {
		return ErrBusy
	}
	fatal, err := s.reset(ctx, o)
	s.resetting.Unlock()
	if fatal != nil {
		s.fail(fatal)
		return fatal
	}
	return err
}

// reset is Reset while nobody else changes the stack. The first error is one that the
// stack cannot go on with.
func (s *Stack) reset(ctx context.Context, o ResetOptions) (fatal, err error) {
	plan, exposed, err := s.readAgain(ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.phases.tell(o.OnPhase)()
	if !s.unwatch() {
		return nil, ErrBusy
	}
	// What follows has to be finished even when nobody waits for it any more, except
	// when the stack ends.
	whole, cancel := s.untilStop(context.WithoutCancel(ctx))
	defer cancel()
	if err := s.emptyDatabase(whole); err != nil {
		return err, nil
	}
	part, cancel := s.untilStop(ctx)
	defer cancel()
	err = s.refill(part, plan, exposed.on)
	if fatal := s.resume(whole); fatal != nil {
		return fatal, nil
	}
	s.reporting.Lock()
	s.settings.ExposeNewTables, s.settings.ExposeNewTablesSource = exposed.on, exposed.source
	s.reporting.Unlock()
	s.watching = s.watch()
	return nil, err
}

// unwatch ends the supervision of the parts; false when the stack is being stopped.
func (s *Stack) unwatch() bool {
	select {
	case <-s.stopping:
		return false
	default:
	}
	close(s.watching.halt)
	select {
	case <-s.watching.halted:
	case <-s.stopping: // it has just found a dead part, and waits for the reset to end
	}
	select {
	case <-s.stopping:
		return false
	default:
		return true
	}
}

// untilStop is a context that ends when the stack is being stopped.
func (s *Stack) untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.stopping:
			cancel(ErrBusy)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// refill applies the workspace's SQL. Whatever becomes of it, there is a database.
func (s *Stack) refill(ctx context.Context, plan migrate.Plan, exposed bool) error {
	err := s.applySQL(ctx, exposed, plan)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// exposure is whether new tables are exposed, and who said so.
type exposure struct {
	on     bool
	source string
}

// readAgain reads what the workspace says by now.
func (s *Stack) readAgain(ctx context.Context, o ResetOptions) (migrate.Plan, exposure, error) {
	now, err := config.Load(ctx, config.Options{Dir: s.cfg.Workspace, Env: s.cfg.Env})
	if err != nil {
		return migrate.Plan{}, exposure{}, &StartError{Phase: "config", Fault: FaultWorkspace, Err: err}
	}
	space, err := workspace.Read(ctx, workspace.OptionsFor(s.cfg.Workspace, now))
	if err != nil {
		return migrate.Plan{}, exposure{}, &StartError{Phase: "workspace", Fault: FaultWorkspace, Err: err}
	}
	plan := migrate.PlanOf(space)
	plan.OnFile = o.OnFile
	if plan.Migrations, err = o.migrations(space.Migrations); err != nil {
		return migrate.Plan{}, exposure{}, &StartError{Phase: "workspace", Fault: FaultWorkspace, Err: err}
	}
	if o.NoSeed {
		plan.Seeds = nil
	}
	on, source := now.ExposeNewTables()
	e := exposure{on, source.String()}
	if s.cfg.ExposeNewTables != nil {
		e = exposure{*s.cfg.ExposeNewTables, "the caller"}
	}
	return plan, e, nil
}

// ErrInvalidVersion is returned, wrapped, for a version that is no number.
var ErrInvalidVersion = errors.New("invalid version number")

// migrations are those that the options want.
func (o ResetOptions) migrations(all []workspace.Migration) ([]workspace.Migration, error) {
	if o.Version == "" {
		return all[:len(all)-int(min(o.Last, uint(len(all))))], nil
	}
	if _, err := strconv.Atoi(o.Version); err != nil {
		return nil, ErrInvalidVersion
	}
	at := slices.IndexFunc(all, func(m workspace.Migration) bool { return m.Version == o.Version })
	if at < 0 {
		return nil, fmt.Errorf("glob supabase/migrations/%s_*.sql: %w", o.Version, fs.ErrNotExist)
	}
	return all[:at+1], nil
}

// emptyDatabase ends the services and puts a new cluster in the place of the old one,
// at the same port.
func (s *Stack) emptyDatabase(ctx context.Context) error {
	if s.door != nil {
		s.door.behind.Store(nil)
	}
	if err := s.services.stopBehindGateway(ctx); err != nil {
		// Requests that do not end by themselves end with their database.
		s.cfg.Log.Info("the services did not stop in time", "error", err)
	}
	old := s.services.postgres
	if err := old.Discard(ctx); err != nil {
		return fmt.Errorf("remove the database: %w", err)
	}
	return s.startPostgres(ctx, old.Port())
}

// resume starts the services on the database that there is now, as they were.
func (s *Stack) resume(ctx context.Context) error {
	if s.cfg.has(PartGateway) {
		if err := s.serve(ctx, s.endpoints.Keys); err != nil {
			return err
		}
	}
	if err := s.phase("ready", FaultInfrastructure, func() error { return s.awaitReady(ctx) }); err != nil {
		return err
	}
	return s.keepData()
}

// resetGrace is how long requests get to finish before their database goes away.
const resetGrace = time.Second

// stopBehindGateway ends the services that the gateway passes requests on to.
func (s *services) stopBehindGateway(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, resetGrace)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.auth != nil {
		errs = append(errs, s.auth.Stop(ctx))
	}
	if s.rest != nil {
		errs = append(errs, s.rest.Stop(ctx))
	}
	s.auth, s.rest = nil, nil
	return errors.Join(errs...)
}
