package native

import (
	"context"
	"errors"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/parity/ground"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

type restTarget struct{ engine *Engine }

// Open makes a fresh database in the recorded setting.
func (t restTarget) Open(ctx context.Context) (restreplay.Instance, error) {
	d, err := t.engine.cluster.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &restInstance{Database: d, path: t.engine.programs.PostgREST.Path}, nil
}

// Cleanup runs SQL as a superuser in the cluster's own database.
func (t restTarget) Cleanup(ctx context.Context, sql string) error {
	return t.engine.cluster.Cleanup(ctx, sql)
}

type restInstance struct {
	*ground.Database
	path   string
	site   ground.Site
	server *native.REST
}

// Exec runs a script as a role.
func (i *restInstance) Exec(ctx context.Context, role, sql string) error {
	if role == restreplay.Superuser {
		role = ground.Recorder
	}
	return i.Database.Exec(ctx, role, sql)
}

// Start starts the server with settings by PostgREST's names.
func (i *restInstance) Start(ctx context.Context, config map[string]string) (string, error) {
	server, err := native.StartREST(ctx, native.Config{Path: i.path, Env: restreplay.Environment(i.URL("authenticator"), config)})
	if err != nil {
		return "", err
	}
	i.server = server
	return i.site.Open(ctx, server)
}

// Reload makes the server read its schema again.
func (i *restInstance) Reload(ctx context.Context) error { return i.server.Reload(ctx) }

// Close stops the server and drops the database.
func (i *restInstance) Close(ctx context.Context) error {
	err := i.site.Close(ctx)
	if i.server != nil {
		err = errors.Join(err, i.server.Stop(ctx))
	}
	return errors.Join(err, i.Drop(ctx))
}
