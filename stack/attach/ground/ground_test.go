package ground_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/attach/ground"
)

// running is the place of a stack that runs until the test ends, of an empty project
// unless migrations are given.
func running(t testing.TB, migrations ...string) attach.Place {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "supabase", "migrations")
	require.NoError(t, os.MkdirAll(folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "config.toml"), []byte("project_id = \"ground\"\n"), 0o600))
	for i, sql := range migrations {
		name := "2026010100000" + string(rune('0'+i)) + "_made.sql"
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(sql), 0o600))
	}
	s, err := stack.Start(t.Context(), stack.Config{Workspace: dir, Engine: stack.EngineEmbedded})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	e := s.Endpoints()
	place, err := attach.Place{APIURL: e.APIURL, DBURL: e.DBURL, Keys: e.Keys}.Complete()
	require.NoError(t, err)
	return place
}

// open opens the ground of a place; it is closed when the test ends.
func open(t testing.TB, place attach.Place) *ground.Ground {
	t.Helper()
	g, err := ground.Open(t.Context(), ground.Config{Place: place})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.Background())) })
	return g
}

// notes is a setup with two owners' notes.
func notes() arena.Setup {
	return arena.Setup{
		Expose: true,
		Schema: "create table notes (id int generated always as identity primary key, owner uuid, body text, long int generated always as (length(body)) stored);",
		Seed:   "insert into notes (owner, body) values ('00000000-0000-4000-8000-00000000000a', 'a, b'), (null, '\"q\"');",
	}
}

// sql runs statements as the stack's superuser would not: as postgres, but for rights on
// parameters, which the superuser alone gives and takes.
func sql(t testing.TB, place attach.Place, statements string) {
	t.Helper()
	url := place.DBURL
	if strings.Contains(statements, "on parameter") {
		url = strings.Replace(url, "//postgres:", "//supabase_admin:", 1)
	}
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), statements, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
}
