package embedded

import (
	"context"
	"errors"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/ground"
)

// Auth is the embedded Auth engine as a target for recordings of Auth.
func (e *Engine) Auth() authreplay.Target { return authTarget{e} }

// authConns bounds the connections of one scenario's server: many run at once.
const authConns = 4

type authTarget struct{ engine *Engine }

// Open makes a fresh database in the recorded setting.
func (t authTarget) Open(ctx context.Context) (authreplay.Instance, error) {
	d, err := t.engine.cluster.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &authInstance{Database: d}, nil
}

type authInstance struct {
	*ground.Database
	site   ground.Site
	server *auth.Server
}

// Start starts the engine; settings that it refuses are a *authreplay.Refusal.
func (i *authInstance) Start(ctx context.Context, start authreplay.Start) (string, error) {
	cfg, err := auth.FromEnv(start.Env)
	if err != nil {
		return "", &authreplay.Refusal{Reason: err.Error()}
	}
	cfg.DatabaseURL = i.URL("supabase_auth_admin")
	cfg.MaxConns = authConns
	cfg.FirstTokenIssued, cfg.BcryptCost = start.FirstTokenIssued, start.BcryptCost
	i.server, err = auth.Start(ctx, cfg)
	if errors.Is(err, auth.ErrConfig) {
		return "", &authreplay.Refusal{Reason: err.Error()}
	}
	if err != nil {
		return "", err
	}
	return i.site.Open(ctx, i.server)
}

// Stop stops the engine; without one it does nothing.
func (i *authInstance) Stop(ctx context.Context) error {
	if i.server == nil {
		return nil
	}
	err := errors.Join(i.site.Close(ctx), i.server.Stop(ctx))
	i.server = nil
	return err
}

// Close stops the engine and drops the database.
func (i *authInstance) Close(ctx context.Context) error {
	if err := i.Stop(ctx); err != nil {
		return err
	}
	return i.Drop(ctx)
}
