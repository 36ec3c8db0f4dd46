// Package postgres owns throw-away PostgreSQL servers: it finds an installed
// PostgreSQL, keeps a cluster image that already is a Supabase project, and
// starts servers on copies of it. It promises that a server is a child of this
// process, that it and its folder are gone after Stop, and that what a killed
// process left behind is swept by the next start. It keeps no data and tunes
// nothing for production.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/supascore/supascore/stack/proc"
)

// Server is a running PostgreSQL whose database postgres is a Supabase project
// without any migration. Its methods may be called from any goroutine.
type Server struct {
	backend *backend
	cluster *cluster
	fresh   bool

	stopOnce sync.Once
	stopErr  error
}

// Start finds PostgreSQL, builds the cluster image when there is none yet
// (seconds, once a machine), copies it and starts a server on the copy. ctx
// bounds the start only. On an error nothing is left running and no folder
// remains. Errors with a remedy have a method Hint() string; a fixed port
// that is taken is a *proc.PortError.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	clock := phases{log: cfg.Log, last: time.Now()}
	id, err := serverIdentity()
	if err != nil {
		return nil, err
	}
	c, err := openCache(cfg.CacheDir, id)
	if err != nil {
		return nil, err
	}
	found, err := discover(ctx, cfg, c, id)
	if err != nil {
		return nil, err
	}
	clock.done("find postgresql")
	run, err := runDir(cfg, c, id)
	if err != nil {
		return nil, err
	}
	if err := sweep(ctx, runDirs(c, run)); err != nil {
		cfg.Log.Warn("clusters left by an earlier run cannot be removed", "error", err)
	}
	clock.done("sweep")
	cl, err := openCluster(ctx, c, cfg, found, id, run)
	if err != nil {
		return nil, err
	}
	s, err := launch(ctx, cfg, newImage(c, found, id, cfg), cl, clock)
	if err != nil {
		return nil, errors.Join(err, cl.release())
	}
	return s, nil
}

// openCluster is the cluster that the configuration asks for: a throw-away, or the
// kept one of its name.
func openCluster(ctx context.Context, c cache, cfg Config, found install, id identity, run string) (*cluster, error) {
	if cfg.Kept != "" {
		return openKept(ctx, c, cfg, found, id)
	}
	return newCluster(run, id)
}

// launch fills the cluster and starts a server on it. When the server does not
// start from the copy the image is suspected and built again, once. A kept cluster
// that there is already is started as it is.
func launch(ctx context.Context, cfg Config, im *image, cl *cluster, clock phases) (*Server, error) {
	b := &backend{install: im.install, id: im.id, data: cl.data(), socket: cl.socket, save: cl.note != nil}
	if cl.kept.Load() {
		if err := startKept(ctx, b, cl, cfg); err != nil {
			return nil, err
		}
		clock.done("start server on kept cluster")
		return &Server{backend: b, cluster: cl}, nil
	}
	for attempt := 0; ; attempt++ {
		generation := im.generation()
		if err := cl.fill(ctx, im); err != nil {
			return nil, err
		}
		clock.done("copy cluster image")
		err := startOnPort(ctx, b, cfg.Port)
		if err == nil {
			break
		}
		var port *proc.PortError
		if attempt > 0 || ctx.Err() != nil || b.child == nil || errors.As(err, &port) {
			return nil, err
		}
		if err := im.replace(ctx, generation, err); err != nil {
			return nil, err
		}
	}
	clock.done("start server")
	s := &Server{backend: b, cluster: cl, fresh: true}
	if cfg.Password != defaultPassword {
		if err := s.changePasswords(ctx, cfg.Password); err != nil {
			return nil, errors.Join(err, b.child.Stop(context.WithoutCancel(ctx)))
		}
		clock.done("set passwords")
	}
	return s, nil
}

// phases logs how long the steps of a start take.
type phases struct {
	log  *slog.Logger
	last time.Time
}

func (p *phases) done(name string) {
	now := time.Now()
	p.log.Debug("postgres: "+name, "took", now.Sub(p.last).Round(100*time.Microsecond))
	p.last = now
}

func (s *Server) changePasswords(ctx context.Context, password string) error {
	conn, err := s.connectAdmin(ctx)
	if err != nil {
		return fmt.Errorf("set passwords: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return setPasswords(ctx, conn, password)
}

// SocketDir is the folder of the Unix socket. Only the user that the server
// runs as, and root, may enter it; inside, nobody is asked for a password.
func (s *Server) SocketDir() string { return s.backend.socket }

// Port is the TCP port on 127.0.0.1, and the number in the socket's name.
func (s *Server) Port() int { return s.backend.port }

// PID is the process id of the server.
func (s *Server) PID() int { return s.backend.child.PID() }

// Version is the server's version, such as "15.18".
func (s *Server) Version() string { return s.backend.install.version }

// BinDir is the folder of the executables that the server runs from.
func (s *Server) BinDir() string { return s.backend.install.binDir }

// URL is a connection string over the socket for any role, without password.
func (s *Server) URL(role, database string) string { return s.backend.url(role, database) }

// TCPURL is a connection string over loopback TCP, for programs that cannot
// use the socket. The password is Config.Password unless somebody changed it.
func (s *Server) TCPURL(role, password, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(role, password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.backend.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Done is closed when the server process has ended, for whatever reason.
func (s *Server) Done() <-chan struct{} { return s.backend.child.Done() }

// Err is nil while the server runs and after Stop. When the server ended on
// its own it says how, with the end of the log.
func (s *Server) Err() error { return s.backend.child.Err() }

// LogTail is the last lines of the server's log.
func (s *Server) LogTail(lines int) string { return s.backend.child.Tail(lines) }

// Stop ends the server at once, without saving anything, and removes its
// folder. A cluster that is kept is saved and stays. It may be called again; every call returns the first call's error.
// ctx shortens the wait before the server is killed.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		s.stopErr = errors.Join(s.backend.child.Stop(ctx), s.cluster.release())
	})
	return s.stopErr
}
