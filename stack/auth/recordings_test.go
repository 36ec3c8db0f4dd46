package auth_test

import (
	"context"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestTheServerAnswersAsTheRecordedOne(t *testing.T) {
	t.Parallel()
	recordings := os.DirFS("../../fixtures/recordings/auth")
	// One scenario looks at a stored hash. The others need no hash as costly as the real server's.
	looksAtHash := func(name string) bool { return name == "signup_autoconfirm_session" }
	cheap := replayTarget{server: postgrestest.Shared(t)}
	authreplay.Exercise(t, cheap, recordings, func(name string) bool { return !looksAtHash(name) })
	costly := replayTarget{server: cheap.server, bcryptCost: 10}
	authreplay.Exercise(t, costly, recordings, looksAtHash)
}

// replayTarget replays against this package: every scenario has a database of its own.
type replayTarget struct {
	server     *postgres.Server
	bcryptCost int
}

func (t replayTarget) Open(ctx context.Context) (authreplay.Instance, error) {
	i := &replayInstance{postgres: t.server, database: "replay_" + uuid.NewString()[:8], bcryptCost: t.bcryptCost}
	if err := t.server.CreateDatabase(ctx, i.database); err != nil {
		return nil, err
	}
	conn, err := i.Connect(ctx, bootstrap.Superuser)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	_, err = conn.PgConn().Exec(ctx, bootstrap.ExposeNewTables(true)).ReadAll()
	return i, err
}

type replayInstance struct {
	postgres   *postgres.Server
	database   string
	bcryptCost int
	auth       *auth.Server
	http       *httptest.Server
}

func (i *replayInstance) Connect(ctx context.Context, role string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, i.postgres.URL(role, i.database))
}

func (i *replayInstance) Start(ctx context.Context, start authreplay.Start) (string, error) {
	cfg, err := auth.FromEnv(start.Env)
	if err != nil {
		return "", &authreplay.Refusal{Reason: err.Error()}
	}
	cfg.DatabaseURL = i.postgres.URL("supabase_auth_admin", i.database)
	cfg.MaxConns, cfg.BcryptCost = 4, i.bcryptCost
	cfg.FirstTokenIssued = start.FirstTokenIssued
	i.auth, err = auth.Start(ctx, cfg)
	if err != nil {
		return "", &authreplay.Refusal{Reason: err.Error()}
	}
	i.http = httptest.NewServer(i.auth)
	return i.http.URL, nil
}

func (i *replayInstance) Stop(ctx context.Context) error {
	if i.auth == nil {
		return nil
	}
	i.http.Close()
	err := i.auth.Stop(ctx)
	i.auth, i.http = nil, nil
	return err
}

func (i *replayInstance) Close(ctx context.Context) error {
	if err := i.Stop(ctx); err != nil {
		return err
	}
	return i.postgres.DropDatabase(ctx, i.database)
}
