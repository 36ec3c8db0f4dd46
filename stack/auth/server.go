package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/store"
	"github.com/supascore/supascore/stack/auth/token"
)

// Server is a running Auth server. It is an http.Handler for the API's root, which a gateway serves
// as /auth/v1. Safe for concurrent use.
type Server struct {
	cfg     Config
	store   *store.Store
	tokens  *token.Tokens
	hooks   *hooks.Hooks
	handler http.Handler
	// outgoing is where mails and text messages go.
	outgoing *outgoing

	// inFlight counts requests. The lock makes Stop's flag and the counting one step: a request that
	// was counted is waited for, later ones are refused.
	mu       sync.Mutex
	stopped  bool
	inFlight sync.WaitGroup
}

// Start checks the configuration, connects to the database and returns a server that is ready. The
// database must have the schema auth. ctx bounds the start, not the server's life.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	tokens, err := token.New(token.KeyConfig{
		Secret: cfg.JWT.Secret, KeyID: cfg.JWT.KeyID, JWKs: cfg.JWT.Keys, ValidMethods: cfg.JWT.ValidMethods,
		FirstTokenIssued: cfg.FirstTokenIssued,
	}, cfg.Now)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	out, err := newOutgoing(cfg)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Config{URL: cfg.DatabaseURL, MaxConns: cfg.MaxConns, Now: cfg.Now, Rand: cfg.Rand})
	if err != nil {
		return nil, fmt.Errorf("start auth: %w", err)
	}
	// Hooks share the clock and the log, whatever their own settings say.
	cfg.Hooks.Now, cfg.Hooks.Log = cfg.Now, cfg.Log
	called, err := hooks.New(cfg.Hooks, db)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("start auth: %w", err)
	}
	s := &Server{cfg: cfg, store: db, tokens: tokens, hooks: called, outgoing: out}
	s.handler = s.routes()
	return s, nil
}

// errStopped ends requests that come after Stop.
var errStopped = errors.New("the auth server has stopped")

// Stop refuses new requests, waits for those in flight until ctx ends, and closes the database
// connections. It may be called again; later calls do nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	again := s.stopped
	s.stopped = true
	s.mu.Unlock()
	if again {
		return nil
	}
	// Connections are closed after the last request even when nobody waits for that any longer.
	done := make(chan struct{})
	go func() {
		s.inFlight.Wait()
		s.hooks.Close()
		s.store.Close()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop auth: requests are still running: %w", ctx.Err())
	}
}

// enter counts a request in, unless the server has stopped.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.inFlight.Add(1)
	return true
}
