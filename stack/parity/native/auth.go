package native

import (
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/ground"
)

type authTarget struct{ engine *Engine }

// Open makes a fresh database in the recorded setting.
func (t authTarget) Open(ctx context.Context) (authreplay.Instance, error) {
	d, err := t.engine.cluster.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &authInstance{Database: d, path: t.engine.programs.Auth.Path}, nil
}

type authInstance struct {
	*ground.Database
	path   string
	site   ground.Site
	server *native.Auth
	warm   *warmUp
}

// Start starts the server; settings that it refuses are a *authreplay.Refusal. The cost
// of hashes is the server's own.
func (i *authInstance) Start(ctx context.Context, start authreplay.Start) (string, error) {
	env := maps.Clone(start.Env)
	env["GOTRUE_DB_DATABASE_URL"] = i.URL("supabase_auth_admin")
	cfg := native.Config{Path: i.path, Env: env}
	var err error
	if start.FirstTokenIssued {
		err = i.startWarm(ctx, cfg)
	} else {
		i.server, err = native.StartAuth(ctx, cfg)
	}
	if errors.Is(err, native.ErrRefused) {
		return "", &authreplay.Refusal{Reason: err.Error()}
	}
	if err != nil {
		return "", err
	}
	return i.site.Open(ctx, i.server)
}

// startWarm starts the server so that it has signed a token already.
func (i *authInstance) startWarm(ctx context.Context, cfg native.Config) error {
	warm, err := newWarmUp(i.Database, cfg.Env)
	if err != nil {
		return err
	}
	i.warm = warm
	cfg.Env, cfg.Args, cfg.Log = warm.first, []string{"--config-dir", warm.dir}, slog.New(warm.heard)
	if i.server, err = native.StartAuth(ctx, cfg); err != nil {
		return err
	}
	if err := warm.run(ctx, i.server); err != nil {
		return errors.Join(err, i.Stop(ctx))
	}
	return nil
}

// Stop stops the server; without one it does nothing.
func (i *authInstance) Stop(ctx context.Context) error {
	err := i.site.Close(ctx)
	if i.server != nil {
		err = errors.Join(err, i.server.Stop(ctx))
		i.server = nil
	}
	if i.warm != nil {
		err = errors.Join(err, i.warm.remove())
		i.warm = nil
	}
	return err
}

// Close stops the server and drops the database.
func (i *authInstance) Close(ctx context.Context) error {
	return errors.Join(i.Stop(ctx), i.Drop(ctx))
}
