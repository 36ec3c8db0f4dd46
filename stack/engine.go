package stack

import (
	"context"
	"errors"
	"net/http"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/rest"
)

// Engine says who plays REST and Auth.
type Engine string

// The engines.
const (
	// EngineEmbedded are the engines of this module, in the caller's process.
	EngineEmbedded Engine = "embedded"
	// EngineNative are the real PostgREST and Auth executables, as children.
	EngineNative Engine = "native"
	// EngineAuto is EngineNative when both executables are found, and EngineEmbedded
	// otherwise.
	EngineAuto Engine = "auto"
)

// service is Auth or REST, whoever plays it. The embedded ones cannot die by
// themselves; a process of its own can.
type service interface {
	// ServeHTTP answers requests whose public prefix is taken off.
	http.Handler
	// Version is what the running service is, as it is shown and recorded.
	Version() string
	// Done is closed when the service has ended; nil for one that cannot end by itself.
	Done() <-chan struct{}
	// Err is why it ended by itself, with the end of its log.
	Err() error
	// Stop ends it. It is idempotent.
	Stop(ctx context.Context) error
}

// authService is Auth with what else it serves.
type authService interface {
	service
	// Mailbox serves the messages that Auth sent; nil without a mailbox.
	Mailbox() http.Handler
}

// restService is REST with what else it serves.
type restService interface {
	service
	// Admin serves /live and /ready.
	Admin() http.Handler
}

// warner is a service that has something to say about itself.
type warner interface{ Warnings() []string }

// engine starts the services with the environment variables that the real
// executables are configured by. Settings that a service refuses are an *StartError
// of FaultWorkspace.
type engine interface {
	startAuth(ctx context.Context, env map[string]string) (authService, error)
	startREST(ctx context.Context, env map[string]string) (restService, error)
	// bcryptCost is the cost of the password hashes that its Auth makes.
	bcryptCost() int
}

// embedded are this module's own engines.
type embedded struct{ stack *Stack }

func (e embedded) bcryptCost() int { return e.stack.cfg.BcryptCost }

// The contracts that the embedded engines keep, as they are shown and recorded.
const (
	restContract = "embedded (PostgREST 14)"
	authContract = "embedded (Auth 2)"
)

func (e embedded) startAuth(ctx context.Context, env map[string]string) (authService, error) {
	cfg, err := auth.FromEnv(env)
	if err == nil {
		cfg.BcryptCost = e.stack.cfg.BcryptCost
		cfg.Log = e.stack.log.Logger("auth", e.stack.cfg.Log.Handler())
		var server *auth.Server
		if server, err = auth.Start(ctx, cfg); err == nil {
			return embeddedAuth{server}, nil
		}
	}
	if errors.Is(err, auth.ErrConfig) {
		return nil, &StartError{Phase: "auth", Fault: FaultWorkspace, Err: err}
	}
	return nil, err
}

func (e embedded) startREST(ctx context.Context, env map[string]string) (restService, error) {
	cfg, err := rest.FromEnv(env)
	if err != nil {
		return nil, &StartError{Phase: "rest", Fault: FaultWorkspace, Err: err}
	}
	cfg.Log = e.stack.log.Logger("rest", e.stack.cfg.Log.Handler())
	server, err := rest.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return embeddedREST{server}, nil
}

// embeddedAuth is the embedded Auth as a service.
type embeddedAuth struct{ *auth.Server }

func (embeddedAuth) Version() string         { return authContract }
func (embeddedAuth) Done() <-chan struct{}   { return nil }
func (embeddedAuth) Err() error              { return nil }
func (a embeddedAuth) Mailbox() http.Handler { return a.Server.Mailbox() }

// embeddedREST is the embedded REST as a service.
type embeddedREST struct{ *rest.Server }

func (embeddedREST) Version() string       { return restContract }
func (embeddedREST) Done() <-chan struct{} { return nil }
func (embeddedREST) Err() error            { return nil }
