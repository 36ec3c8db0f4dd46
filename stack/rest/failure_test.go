package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest"
)

const sleepSQL = `
	create function public.sleepy(s float8) returns text language sql volatile as $$ select 'slept'::text from pg_sleep(s) $$;
	create table public.t (id int);
	grant execute on function public.sleepy to service_role;`

// count asks the server's database for a number, as a superuser who sees all sessions.
func (a *api) count(sql string) int {
	a.t.Helper()
	conn, err := pgx.Connect(a.t.Context(), a.postgres.URL("supabase_admin", a.database))
	require.NoError(a.t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(a.t.Context())) }()
	var n int
	require.NoError(a.t, conn.QueryRow(a.t.Context(), sql).Scan(&n))
	return n
}

// sleeping counts the sessions of the database that run pg_sleep.
const sleeping = `select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

func TestAQueryStopsWhenItsClientLeaves(t *testing.T) {
	t.Parallel()
	a := serve(t, sleepSQL, func(c *rest.Config) { c.PoolSize = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := a.try(ctx, as("service_role"), http.MethodPost, "/rpc/sleepy", `{"s":600}`)
		done <- err
	}()
	eventually(t, func() bool { return a.count(sleeping) == 1 }, "the query runs")
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	eventually(t, func() bool { return a.count(sleeping) == 0 }, "the query is cancelled")
	// The connection is usable again.
	a.get(nobody(), "/t").answers(200, `[]`)
}

func TestAServerStopsThoughAQueryRuns(t *testing.T) {
	t.Parallel()
	a := serve(t, sleepSQL)
	done := make(chan reply, 1)
	go func() {
		r, err := a.try(t.Context(), as("service_role"), http.MethodPost, "/rpc/sleepy", `{"s":600}`)
		assert.NoError(t, err)
		done <- r
	}()
	eventually(t, func() bool { return a.count(sleeping) == 1 }, "the query runs")
	require.NoError(t, a.server.Stop(t.Context()))
	r := <-done
	r.refuses(500, "57014")
}

func TestARequestWaitsOnlySoLongForAConnection(t *testing.T) {
	t.Parallel()
	a := serve(t, sleepSQL, func(c *rest.Config) { c.PoolSize, c.PoolTimeout = 1, time.Second })
	eventually(t, func() bool { return a.get(nobody(), "/t").status == 200 }, "a connection is there")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, _ = a.try(ctx, as("service_role"), http.MethodPost, "/rpc/sleepy", `{"s":600}`) }()
	eventually(t, func() bool { return a.count(sleeping) == 1 }, "the query runs")
	a.get(nobody(), "/t").refuses(504, "PGRST003")
}

func TestALostDatabaseIsReportedAndFoundAgain(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Start(t, postgres.Config{})
	db := postgrestest.ExposedDatabase(t, srv, true)
	postgrestest.Exec(t, srv, "postgres", db, sleepSQL)
	a := serveDatabase(t, srv, db)
	admin := httptest.NewServer(a.server.Admin())
	t.Cleanup(admin.Close)
	ready := func() int { return status(t, admin.URL+"/ready") }
	assert.Equal(t, 200, status(t, admin.URL+"/live"))
	assert.Equal(t, 200, ready())
	a.get(nobody(), "/t").answers(200, `[]`)

	// Every connection of the server is cut, the listening one too.
	a.exec("supabase_admin", `alter role authenticator connection limit 0`)
	a.exec("supabase_admin", `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'`)
	eventually(t, func() bool { return ready() == 503 }, "not ready")
	eventually(t, func() bool {
		r := a.get(nobody(), "/t")
		return r.status == 503 && r.header.Get("Retry-After") != ""
	}, "requests are refused")
	a.exec("supabase_admin", `alter role authenticator connection limit -1; create table public.later (id int); grant select on public.later to anon`)
	eventually(t, func() bool { return ready() == 200 }, "ready again")
	a.get(nobody(), "/t").answers(200, `[]`)
	// What changed while nobody listened is known.
	eventually(t, func() bool { return a.get(nobody(), "/later").status == 200 }, "the new table")
}

func status(t *testing.T, url string) int {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	return r.StatusCode
}

func TestChangesOfTheSchemaAreFollowed(t *testing.T) {
	t.Parallel()
	a := serve(t, sleepSQL)
	a.get(nobody(), "/fresh").refuses(404, "PGRST205")
	a.exec("postgres", `create table public.fresh (id int); insert into public.fresh values (1); notify pgrst, 'reload schema'`)
	eventually(t, func() bool { return a.get(nobody(), "/fresh").status == 200 }, "the new table")
	a.get(nobody(), "/fresh?id=eq.1").answers(200, `[{"id":1}]`)
	a.exec("postgres", `alter table public.fresh alter column id type text; notify pgrst`)
	eventually(t, func() bool { return a.get(nobody(), "/fresh?id=eq.1").body == `[{"id":"1"}]` }, "the changed column")
}

func TestSerializationFailuresAreTriedAgainWithinReason(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create sequence public.tries;
		create function public.stubborn() returns void language plpgsql volatile as $$
		begin
		  perform nextval('public.tries');
		  raise exception 'never' using errcode = 'serialization_failure';
		end $$;
		grant usage on sequence public.tries to service_role;`)
	a.send(as("service_role"), http.MethodPost, "/rpc/stubborn", `{}`).refuses(500, "40001")
	assert.Equal(t, 101, a.count(`select last_value from public.tries`))
}
