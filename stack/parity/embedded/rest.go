package embedded

import (
	"context"
	"fmt"

	"github.com/supascore/supascore/stack/parity/ground"
	"github.com/supascore/supascore/stack/parity/restreplay"
	"github.com/supascore/supascore/stack/rest"
)

// REST is the embedded REST engine as a target for recordings of PostgREST.
func (e *Engine) REST() restreplay.Target { return restTarget{e} }

type restTarget struct{ engine *Engine }

// Open makes a fresh database in the recorded setting.
func (t restTarget) Open(ctx context.Context) (restreplay.Instance, error) {
	d, err := t.engine.cluster.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &restInstance{Database: d}, nil
}

// Cleanup runs SQL as a superuser in the cluster's own database.
func (t restTarget) Cleanup(ctx context.Context, sql string) error {
	return t.engine.cluster.Cleanup(ctx, sql)
}

type restInstance struct {
	*ground.Database
	site   ground.Site
	server *rest.Server
}

// Exec runs a script as a role.
func (i *restInstance) Exec(ctx context.Context, role, sql string) error {
	if role == restreplay.Superuser {
		role = ground.Recorder
	}
	return i.Database.Exec(ctx, role, sql)
}

// Start starts the engine with settings by PostgREST's names.
func (i *restInstance) Start(ctx context.Context, config map[string]string) (string, error) {
	cfg, err := rest.FromEnv(restreplay.Environment(i.URL("authenticator"), config))
	if err != nil {
		return "", err
	}
	if i.server, err = rest.Start(ctx, cfg); err != nil {
		return "", fmt.Errorf("start rest: %w", err)
	}
	return i.site.Open(ctx, i.server)
}

// Reload makes the engine read its schema again.
func (i *restInstance) Reload(ctx context.Context) error { return i.server.Reload(ctx) }

// Close stops the engine and drops the database.
func (i *restInstance) Close(ctx context.Context) error {
	if err := i.site.Close(ctx); err != nil {
		return err
	}
	if i.server != nil {
		if err := i.server.Stop(ctx); err != nil {
			return err
		}
	}
	return i.Drop(ctx)
}
