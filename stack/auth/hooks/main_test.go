package hooks_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// world is a database as supabase_auth_admin sees it, with a schema for the
// hook of one test.
type world struct {
	t      *testing.T
	db     string
	schema string
	conn   *pgx.Conn
}

func newWorld(t *testing.T) world {
	t.Helper()
	return world{t: t, db: postgrestest.ExposedDatabase(t, postgrestest.Shared(t), true)}.sub(t)
}

// sub is a world in the same database, with a schema and a connection of its
// own: subtests that run at the same time do not meet.
func (w world) sub(t *testing.T) world {
	t.Helper()
	schema := "s" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	conn, err := pgx.Connect(t.Context(), postgrestest.Shared(t).URL("supabase_auth_admin", w.db))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	w = world{t, w.db, schema, conn}
	w.sql("create schema " + schema + "; grant usage on schema " + schema + " to supabase_auth_admin")
	return w
}

// point is the setting of the world's hook.
func (w world) point() hooks.Point {
	return hooks.Point{URI: "pg-functions://postgres/" + w.schema + "/f"}
}

// sql runs statements as the project's owner, in the world's schema.
func (w world) sql(text string) {
	w.t.Helper()
	postgrestest.Exec(w.t, postgrestest.Shared(w.t), "postgres", w.db, "set search_path = "+w.schema+";"+text)
}

// hook defines f(event jsonb) with a body.
func (w world) hook(body string) {
	w.t.Helper()
	w.sql("create or replace function f(event jsonb) returns jsonb language plpgsql as $hook$ begin " +
		body + " end $hook$")
}

func (w world) begin() pgx.Tx {
	w.t.Helper()
	tx, err := w.conn.Begin(w.t.Context())
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// newHooks has one hook enabled.
func newHooks(t *testing.T, name hooks.Name, point hooks.Point, change func(*hooks.Config)) *hooks.Hooks {
	t.Helper()
	point.Enabled = true
	cfg := hooks.Config{Points: map[hooks.Name]hooks.Point{name: point}}
	if change != nil {
		change(&cfg)
	}
	h, err := hooks.New(cfg, nil)
	require.NoError(t, err)
	t.Cleanup(h.Close)
	return h
}

func claims() map[string]any {
	return map[string]any{
		"aud": "authenticated", "exp": 1893456000, "iat": 1893452400, "sub": "11111111-1111-4111-8111-111111111111",
		"email": "a@example.com", "phone": "", "role": "authenticated", "aal": "aal1",
		"session_id": "22222222-2222-4222-8222-222222222222", "is_anonymous": false,
	}
}

func tokenInput() hooks.AccessTokenInput {
	return hooks.AccessTokenInput{
		IPAddress: "127.0.0.1", UserID: "11111111-1111-4111-8111-111111111111",
		Claims: claims(), AuthenticationMethod: "password",
	}
}
