package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/parity/restreplay"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest"
)

// TestRecordings replays what the real server answered, request by request.
func TestRecordings(t *testing.T) {
	scripts, err := bootstrap.Scripts(bootstrap.Options{NoRoleTimeouts: true})
	if err != nil {
		t.Fatal(err)
	}
	// Roles and their settings belong to the cluster, so the recordings have one of their own.
	srv := postgrestest.Start(t, postgres.Config{Scripts: scripts})
	// What supabase_admin makes is granted to the API roles; what the recordings' superuser made was not.
	postgrestest.Exec(t, srv, bootstrap.Superuser, "postgres", "create role "+recorder+" superuser login")
	restreplay.Exercise(t, &target{t: t, srv: srv}, os.DirFS("../../fixtures/recordings/rest"), nil)
}

// recorder is the superuser of the recordings' SQL.
const recorder = "recorder"

type target struct {
	t   *testing.T
	srv *postgres.Server
}

func (tg *target) Open(context.Context) (restreplay.Instance, error) {
	return &instance{target: tg, db: postgrestest.ExposedDatabase(tg.t, tg.srv, true)}, nil
}

func (tg *target) Cleanup(ctx context.Context, sql string) error {
	return tg.exec(ctx, recorder, "postgres", sql)
}

func (tg *target) exec(ctx context.Context, role, database, sql string) error {
	conn, err := pgx.Connect(ctx, tg.srv.URL(role, database))
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

type instance struct {
	*target
	db     string
	server *rest.Server
	http   *httptest.Server
}

func (i *instance) Exec(ctx context.Context, role, sql string) error {
	if role == restreplay.Superuser {
		role = recorder
	}
	return i.exec(ctx, role, i.db, sql)
}

func (i *instance) Start(ctx context.Context, config map[string]string) (string, error) {
	env := map[string]string{
		"PGRST_DB_URI": i.srv.URL("authenticator", i.db),
		// The recordings say when the server learns of a change; here every change is announced.
		"PGRST_DB_CHANNEL_ENABLED": "false",
	}
	for name, value := range config {
		env["PGRST_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = value
	}
	c, err := rest.FromEnv(env)
	if err != nil {
		return "", err
	}
	if i.server, err = rest.Start(ctx, c); err != nil {
		return "", fmt.Errorf("start: %w", err)
	}
	i.http = httptest.NewServer(i.server)
	return i.http.URL, nil
}

func (i *instance) Reload(ctx context.Context) error { return i.server.Reload(ctx) }

func (i *instance) Close(ctx context.Context) error {
	if i.server == nil {
		return nil
	}
	i.http.Close()
	if err := i.server.Stop(ctx); err != nil {
		return err
	}
	return i.srv.DropDatabase(ctx, i.db)
}
