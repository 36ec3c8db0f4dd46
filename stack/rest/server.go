package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/stack/rest/cors"
	"github.com/supascore/supascore/stack/rest/schema"
)

// Server answers requests on one database. Make it with [Start]; it is safe for use by many requests at a time.
type Server struct {
	config Config // as given, without what the database adds
	conns  connections
	state  atomic.Pointer[state]
	log    *slog.Logger

	timezones lazyTimezones
	loading   sync.Mutex      // held while a new state is made
	life      context.Context // ends with Stop
	stop      context.CancelFunc
	stopped   sync.Once
	running   sync.WaitGroup // background work
	listening atomic.Bool
}

// Start opens the connections, reads the schema, and listens for changes of it. It returns when requests can be
// answered. ctx bounds the start alone; [Server.Stop] ends the server. Errors say which setting is wrong, or that the
// database could not be read.
func Start(ctx context.Context, c Config) (*Server, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	if _, err := newVerifier(&c); err != nil {
		return nil, err
	}
	// ctx may end when the start is over; what it carries, such as a logger, is still of use.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	conns, err := newConnections(background, &c)
	if err != nil {
		stop()
		return nil, err
	}
	s := &Server{config: c, conns: conns, log: c.Log, life: background, stop: stop}
	s.timezones.load = s.loadTimezones
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	return s, nil
}

// start listens before it reads the schema, so that no change in between is missed. The connection for reading is made at
// the same time, as making one takes longer than most queries; it stays for the first request.
func (s *Server) start(ctx context.Context) error {
	group, connecting := errgroup.WithContext(ctx)
	group.Go(func() error {
		_, giveBack, err := s.conns.lend(connecting)
		if err != nil {
			return fmt.Errorf("rest: connect to the database: %w", err)
		}
		giveBack()
		return nil
	})
	if !s.config.ChannelDisabled {
		group.Go(func() error { return s.listen(connecting) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return s.Reload(ctx)
}

// Reload reads the settings and the schema again and uses them for the requests that follow. Requests that are running
// finish with what they began with. When it fails the server keeps what it has.
func (s *Server) Reload(ctx context.Context) error { return s.reload(ctx, true) }

// ReloadConfig reads the settings stored in the database again, not the schema.
func (s *Server) ReloadConfig(ctx context.Context) error { return s.reload(ctx, false) }

// reload makes a new state and puts it in the place of the old one. Two reloads do not overlap, so an older one can never
// win over a newer one.
func (s *Server) reload(ctx context.Context, withSchema bool) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	next, err := s.load(ctx, withSchema)
	if err != nil {
		return err
	}
	if previous := s.state.Swap(next); withSchema && previous != nil {
		// Connections keep plans and types that a change of the schema can make wrong.
		s.conns.reset()
	}
	return nil
}

// load makes a new state over a connection of its own.
func (s *Server) load(ctx context.Context, withSchema bool) (*state, error) {
	conn, giveBack, err := s.conns.lend(ctx)
	if err != nil {
		return nil, fmt.Errorf("rest: connect to the database: %w", err)
	}
	defer giveBack()
	c, roles := s.config, schema.Roles(nil)
	if !c.StaticConfig {
		stored, err := schema.LoadServerSettings(ctx, conn)
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		// The configuration as given is the base each time, so a setting that was removed is no longer in force.
		if c, err = s.config.withDatabase(stored); err != nil {
			s.log.WarnContext(ctx, "a setting stored in the database is ignored", "error", err)
		}
		if roles, err = schema.LoadRoles(ctx, conn); err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
	}
	var snap *schema.Snapshot
	switch current := s.state.Load(); {
	case current != nil && !withSchema:
		snap = current.snapshot
	case current == nil && c.Snapshot != nil:
		snap = c.Snapshot
	default:
		snap, err = schema.Load(ctx, conn, schema.Options{
			Schemas: c.Schemas, ExtraSearchPath: c.ExtraSearchPath, HoistedSettings: c.HoistedSettings,
			Savepoint: c.Savepoint,
		})
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
	}
	next, err := newState(c, snap, roles, s.timezones.known)
	if err != nil {
		return nil, err
	}
	next.handler = cors.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(next, w, r) }), c.CORSOrigins)
	return next, nil
}

// Snapshot is the schema that requests are answered by. It can be given to servers of databases with the same schema,
// see [Config].
func (s *Server) Snapshot() *schema.Snapshot { return s.state.Load().snapshot }

// whileRunning is a context that ends with ctx or with the server, so that Stop need not wait for slow queries.
func (s *Server) whileRunning(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.life, cancel)
	return ctx, func() { unhook(); cancel() }
}

// Stop ends the background work and closes the connections. The queries of running requests are
// cancelled. It can be called several times.
func (s *Server) Stop(context.Context) error {
	s.stopped.Do(func() {
		s.stop()
		s.running.Wait()
		s.conns.close()
	})
	return nil
}
