package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest/schema"
)

// BenchmarkLoad reads a schema of 2,000 tables with ten columns and a foreign key each, 200 views and 200 functions.
func BenchmarkLoad(b *testing.B) {
	srv := postgrestest.Shared(b)
	db := postgrestest.Database(b, srv)
	var sql strings.Builder
	sql.WriteString("create table public.t0 (id int primary key);")
	for i := 1; i <= 2000; i++ {
		fmt.Fprintf(&sql, "create table public.t%d (id int primary key, parent int references public.t%d (id), a text, b text, c text, d int, e int, f jsonb, g uuid, h timestamptz);", i, i/2)
	}
	for i := 1; i <= 200; i++ {
		fmt.Fprintf(&sql, "create view public.v%d as select * from public.t%d;", i, i)
		fmt.Fprintf(&sql, "create function public.f%d(a int, b text) returns setof public.t%d language sql stable as $$ select * from public.t%d $$;", i, i, i)
	}
	postgrestest.Exec(b, srv, "postgres", db, sql.String())
	conn, err := pgx.Connect(b.Context(), srv.URL("authenticator", db))
	require.NoError(b, err)
	defer func() { _ = conn.Close(b.Context()) }()
	for b.Loop() {
		snap, err := schema.Load(b.Context(), conn, schema.Options{Schemas: []string{"public"}})
		require.NoError(b, err)
		require.Len(b, snap.Tables("public"), 2201)
	}
}
