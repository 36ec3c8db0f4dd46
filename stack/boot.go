package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/keys"
	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/workspace"
)

// database is the one that a stack uses, and owner the role that owns it.
const (
	database = "postgres"
	owner    = "postgres"
)

// boot brings the parts up: Postgres while the workspace is read, then the
// workspace's SQL, then the services and the door to them.
func (s *Stack) boot(ctx context.Context) error {
	if s.cfg.Engine == EngineAttach {
		return s.attach(ctx)
	}
	if err := s.phase("engine", FaultInfrastructure, s.chooseEngine); err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if err := s.fillDatabase(ctx); err != nil {
		return err
	}
	if err := s.openDoor(ctx); err != nil {
		return err
	}
	if err := s.startServices(ctx); err != nil {
		return err
	}
	if err := s.phase("ready", FaultInfrastructure, func() error { return s.awaitReady(ctx) }); err != nil {
		return err
	}
	return s.keepData()
}

// phase runs a phase and says whose doing its failure is, unless it says so itself.
func (s *Stack) phase(name string, fault Fault, fn func() error) error {
	err := s.phases.run(name, fn)
	var start *StartError
	if err == nil || errors.As(err, &start) {
		return err
	}
	return &StartError{Phase: name, Fault: fault, Err: err}
}

// prepare reads the workspace and starts Postgres at the same time, when the ports
// need not come from the workspace. A workspace that cannot be read ends both.
func (s *Stack) prepare(ctx context.Context) error {
	if s.cfg.Ports == PortsOfConfig {
		if err := s.readWorkspace(ctx); err != nil {
			return err
		}
		return s.startPostgres(ctx, int(s.effective.DB.Port))
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.readWorkspace(groupCtx) })
	group.Go(func() error {
		err := s.startPostgres(groupCtx, 0)
		if groupCtx.Err() != nil && ctx.Err() == nil {
			return nil // the workspace's error is the one to report
		}
		return err
	})
	return group.Wait()
}

func (s *Stack) readWorkspace(ctx context.Context) error {
	err := s.phase("config", FaultWorkspace, func() error {
		effective, err := config.Load(ctx, config.Options{Dir: s.cfg.Workspace, Env: s.cfg.Env})
		if err != nil {
			effective = config.Partial(err)
		}
		s.effective = effective
		return err
	})
	if err != nil {
		return err
	}
	s.settle()
	return s.phase("workspace", FaultWorkspace, func() error {
		space, err := workspace.Read(ctx, workspace.OptionsFor(s.cfg.Workspace, s.effective))
		s.space = space
		if err != nil {
			return err
		}
		s.settings.Warnings = append(s.settings.Warnings, space.Warnings...)
		for _, skipped := range space.Skipped {
			s.settings.Warnings = append(s.settings.Warnings, skipped.Path+" is not applied: "+skipped.Reason)
		}
		return nil
	})
}

// settle works out the settings that a report has to name.
func (s *Stack) settle() {
	expose, source := s.effective.ExposeNewTables()
	s.settings.ExposeNewTables, s.settings.ExposeNewTablesSource = expose, source.String()
	if s.cfg.ExposeNewTables != nil {
		s.settings.ExposeNewTables, s.settings.ExposeNewTablesSource = *s.cfg.ExposeNewTables, "the caller"
	}
	if s.engine != nil { // a stack that runs already has made its choice
		s.settings.BcryptCost = s.engine.bcryptCost()
	}
	for _, absent := range s.effective.NotProvided() {
		s.settings.NotProvided = append(s.settings.NotProvided, absent.Section)
	}
	for _, w := range s.effective.Warnings() {
		s.settings.Warnings = append(s.settings.Warnings, w.String())
	}
}

func (s *Stack) startPostgres(ctx context.Context, port int) error {
	return s.phase("postgres", FaultInfrastructure, func() error {
		cfg := s.cfg.Postgres
		cfg.Port = port
		server, err := postgres.Start(ctx, cfg)
		s.services.set(func() { s.services.postgres = server })
		return err
	})
}

// fillDatabase brings a new database to what the workspace says. One that was kept
// stays as it is: what came to the workspace since is applied when somebody asks for
// it.
func (s *Stack) fillDatabase(ctx context.Context) error {
	if !s.services.postgres.Fresh() {
		return s.phase("kept-data", FaultInfrastructure, func() error { return nil })
	}
	return s.applySQL(ctx, s.settings.ExposeNewTables, migrate.PlanOf(s.space))
}

// keepData makes the database one that the next stack goes on with, when that is
// wanted. It comes last: a start that fails leaves nothing.
func (s *Stack) keepData() error {
	if s.cfg.Postgres.Kept == "" {
		return nil
	}
	return s.phase("keep-data", FaultInfrastructure, s.services.postgres.Keep)
}

// applySQL applies to a new database the exposure of new tables, then roles.sql,
// migrations and seed as their owner.
func (s *Stack) applySQL(ctx context.Context, exposed bool, plan migrate.Plan) error {
	err := s.phase("exposure", FaultInfrastructure, func() error {
		return s.execute(ctx, bootstrap.Superuser, bootstrap.ExposeNewTables(exposed))
	})
	if err != nil {
		return err
	}
	if plan.OnFile == nil {
		plan.OnFile = s.cfg.OnFile
	}
	return s.phase("migrations", FaultWorkspace, func() error {
		conn, err := pgx.Connect(ctx, s.services.postgres.URL(owner, database))
		if err != nil {
			return &StartError{Phase: "migrations", Fault: FaultInfrastructure, Err: err}
		}
		defer conn.Close(context.WithoutCancel(ctx))
		_, err = migrate.Apply(ctx, conn, plan)
		var refused *migrate.Error
		if err != nil && !errors.As(err, &refused) {
			return &StartError{Phase: "migrations", Fault: FaultInfrastructure, Err: err}
		}
		return err
	})
}

func (s *Stack) execute(ctx context.Context, role, sql string) error {
	conn, err := pgx.Connect(ctx, s.services.postgres.URL(role, database))
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// door is the gateway's address before there is anything behind it: Auth has to
// know the address when it starts.
type door struct {
	behind atomic.Pointer[gateway.Handler]
}

// ServeHTTP passes requests on, and answers 503 while the stack starts.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := d.behind.Load(); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	http.Error(w, `{"message":"the stack is starting"}`, http.StatusServiceUnavailable)
}

func (s *Stack) openDoor(ctx context.Context) error {
	if !s.cfg.has(PartGateway) {
		return nil
	}
	s.door = &door{}
	port := 0
	if s.cfg.Ports == PortsOfConfig {
		port = int(s.effective.API.Port)
	}
	return s.phase("gateway", FaultInfrastructure, func() error {
		server, err := gateway.Listen(ctx, port, s.door, s.log.Logger("gateway", s.cfg.Log.Handler()))
		s.services.gateway = server
		return err
	})
}

// keysOf makes the stack's keys by what the configuration sets.
func (s *Stack) keysOf() (keys.Set, error) {
	auth := &s.effective.Auth
	cfg := keys.Config{
		Publishable: auth.PublishableKey.Reveal(), Secret: auth.SecretKey.Reveal(),
		Anon: auth.AnonKey.Reveal(), ServiceRole: auth.ServiceRoleKey.Reveal(), Random: s.cfg.RandomKeys,
	}
	if v, ok := s.effective.Lookup("auth.jwt_secret"); ok && v.Source.Kind != config.SourceDefault {
		cfg.JWTSecret = auth.JWTSecret.Reveal()
	}
	if list := s.effective.SigningKeys(); len(list) > 0 {
		signing, err := signingKey(list[0])
		if err != nil {
			return keys.Set{}, fmt.Errorf("auth.signing_keys_path: %w", err)
		}
		cfg.Signing = signing
	}
	return keys.New(cfg)
}
