package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest"
	"github.com/supascore/supascore/stack/rest/schema"
)

func TestAFunctionCanRunBeforeEachRequest(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create table public.t (id int);
		create function public.guard() returns void language plpgsql as $$
		begin
		  if current_setting('request.headers')::json ->> 'x-blocked' = 'yes' then
		    raise sqlstate 'PT418' using message = 'blocked';
		  end if;
		  perform set_config('response.headers', '[{"X-Guarded": "as ' || current_user || '"}]', true);
		end $$;`, func(c *rest.Config) { c.PreRequest = "public.guard" })
	r := a.get(nobody(), "/t")
	assert.Equal(t, "as anon", r.header.Get("X-Guarded"))
	a.get(nobody(), "/t", "X-Blocked: yes").refuses(418, "PT418")
	assert.Equal(t, "as authenticated", a.get(user("00000000-0000-4000-8000-000000000001"), "/t").header.Get("X-Guarded"))
}

func TestTransactionsEndAsConfigured(t *testing.T) {
	t.Parallel()
	const sql = `create table public.t (id int primary key deferrable initially deferred);`
	insert := func(a *api, prefer string) reply {
		return a.send(as("service_role"), http.MethodPost, "/t", `{"id":1}`, "Prefer: return=representation"+prefer)
	}
	t.Run("rolled back by default when told so", func(t *testing.T) {
		t.Parallel()
		a := serve(t, sql, func(c *rest.Config) { c.TxEnd = rest.TxEnd{Rollback: true, Override: true} })
		insert(a, "").answers(201, `[{"id":1}]`)
		a.get(as("service_role"), "/t").answers(200, `[]`)
		r := insert(a, ",tx=commit")
		r.answers(201, `[{"id":1}]`)
		assert.Equal(t, "return=representation, tx=commit", r.header.Get("Preference-Applied"))
		a.get(as("service_role"), "/t").answers(200, `[{"id":1}]`)
		// Deferred constraints are checked all the same.
		insert(a, "").refuses(409, "23505")
	})
	t.Run("not left to the client when told so", func(t *testing.T) {
		t.Parallel()
		a := serve(t, sql)
		r := insert(a, ",tx=rollback")
		r.answers(201, `[{"id":1}]`)
		assert.Equal(t, "return=representation", r.header.Get("Preference-Applied"))
		a.get(as("service_role"), "/t").answers(200, `[{"id":1}]`)
		// A constraint that fails at the end of the transaction fails the request.
		insert(a, "").refuses(409, "23505")
	})
}

func TestAServerCanDoWithoutPreparedStatements(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create table public.t (id int primary key);
		create function public.prepared() returns bigint language sql volatile as $$ select count(*) from pg_prepared_statements $$;`,
		func(c *rest.Config) { c.Unprepared, c.PoolSize = true, 1 })
	a.send(as("service_role"), http.MethodPost, "/t", `{"id":1}`).answers(201, "")
	a.get(as("service_role"), "/t?id=eq.1").answers(200, `[{"id":1}]`)
	a.send(as("service_role"), http.MethodPost, "/rpc/prepared", `{}`).answers(200, `0`)

	b := serveDatabase(t, a.postgres, a.database, func(c *rest.Config) { c.PoolSize = 1 })
	assert.NotEqual(t, "0", b.send(as("service_role"), http.MethodPost, "/rpc/prepared", `{}`).body)
}

func TestSettingsOfTheApplicationReachSQL(t *testing.T) {
	t.Parallel()
	a := serve(t, `create function public.setting() returns text language sql stable as $$ select current_setting('app.settings.greeting') $$;`,
		func(c *rest.Config) {
			c.AppSettings = []schema.Setting{{Name: "app.settings.greeting", Value: "it's 5 o'clock"}}
		})
	a.get(nobody(), "/rpc/setting").answers(200, `"it's 5 o'clock"`)
}

func TestSettingsStoredOnRolesApply(t *testing.T) {
	t.Parallel()
	// Roles belong to the whole server, so this has one of its own.
	srv := postgrestest.Start(t, postgres.Config{})
	db := postgrestest.ExposedDatabase(t, srv, true)
	postgrestest.Exec(t, srv, "postgres", db, `
		create function public.sleepy() returns text language sql volatile as $$ select pg_sleep(30)::text $$;
		create function public.hasty() returns text language sql volatile set statement_timeout = '40ms' as $$ select pg_sleep(30)::text $$;
		create table public.t (id int);
		insert into public.t select generate_series(1, 5);`)
	postgrestest.Exec(t, srv, "supabase_admin", db, `
		alter role authenticated set statement_timeout = '50ms';
		alter role authenticator set pgrst.db_max_rows = '2';
		alter role authenticator in database `+db+` set pgrst.db_max_rows = '3';
		alter role authenticator set pgrst.db_tx_end = 'nonsense';`)
	a := serveDatabase(t, srv, db)

	t.Run("timeouts of the request's role", func(t *testing.T) {
		message := a.send(as("authenticated"), http.MethodPost, "/rpc/sleepy", `{}`).refuses(500, "57014")
		assert.Equal(t, "canceling statement due to statement timeout", message)
	})
	t.Run("timeouts of the function", func(t *testing.T) {
		a.send(as("service_role"), http.MethodPost, "/rpc/hasty", `{}`).refuses(500, "57014")
	})
	t.Run("settings of the server, those of the database first", func(t *testing.T) {
		r := a.get(nobody(), "/t")
		assert.Equal(t, "0-2/*", r.header.Get("Content-Range"))
	})
	t.Run("after they were announced", func(t *testing.T) {
		a.exec("supabase_admin", `alter role authenticator in database `+db+` set pgrst.db_max_rows = '1'; notify pgrst, 'reload config'`)
		eventually(t, func() bool { return a.get(nobody(), "/t").header.Get("Content-Range") == "0-0/*" }, "new max-rows")
	})
	t.Run("not when the server is to ignore them", func(t *testing.T) {
		b := serveDatabase(t, srv, db, func(c *rest.Config) { c.StaticConfig = true })
		assert.Equal(t, "0-4/*", b.get(nobody(), "/t").header.Get("Content-Range"))
	})
}

func TestTheEnvironmentConfiguresAServer(t *testing.T) {
	t.Parallel()
	five := int64(5)
	c, err := rest.FromEnv(map[string]string{
		"PGRST_DB_URI": "postgres://x", "PGRST_DB_SCHEMAS": "public, api", "PGRST_DB_EXTRA_SEARCH_PATH": "", "PGRST_DB_MAX_ROWS": "5",
		"PGRST_DB_ANON_ROLE": "anon", "PGRST_JWT_SECRET": "s", "PGRST_DB_AGGREGATES_ENABLED": "TRUE", "PGRST_DB_TX_END": "commit-allow-override",
		"PGRST_DB_CHANNEL_ENABLED": "false", "PGRST_DB_POOL": "7", "PGRST_APP_SETTINGS_Color": "red", "PGRST_ADMIN_SERVER_PORT": "3001",
		"PGRST_OPENAPI_MODE": "ignore-privileges", "HOME": "/root",
	})
	require.NoError(t, err)
	assert.Equal(t, rest.Config{
		DatabaseURI: "postgres://x", Schemas: []string{"public", "api"}, ExtraSearchPath: []string{}, MaxRows: &five, AnonRole: "anon",
		JWTSecret: "s", Aggregates: true, TxEnd: rest.TxEnd{Override: true}, ChannelDisabled: true, PoolSize: 7,
		AppSettings: []schema.Setting{{Name: "app.settings.Color", Value: "red"}}, OpenAPIMode: rest.OpenAPIIgnorePrivileges,
	}, c)

	for name, value := range map[string]string{
		"PGRST_DB_MAX_ROWS": "many", "PGRST_DB_TX_END": "never", "PGRST_DB_PLAN_ENABLED": "perhaps", "PGRST_OPENAPI_MODE": "open",
		"PGRST_DB_POOL": "all", "PGRST_DB_POOL_ACQUISITION_TIMEOUT": "long",
	} {
		_, err := rest.FromEnv(map[string]string{name: value})
		assert.ErrorContains(t, err, name)
	}
}

func TestAServerThatCannotWorkDoesNotStart(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Shared(t)
	for name, c := range map[string]struct {
		config rest.Config
		says   string
	}{
		"without a database":       {rest.Config{}, "PGRST_DB_URI"},
		"with a malformed address": {rest.Config{DatabaseURI: "postgres://:::"}, "database connection"},
		"with a short secret":      {rest.Config{DatabaseURI: srv.URL("authenticator", "postgres"), JWTSecret: "short"}, "PGRST_JWT_SECRET"},
		"on a database that is not there": {
			rest.Config{DatabaseURI: srv.URL("authenticator", "nowhere")}, `database "nowhere" does not exist`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rest.Start(t.Context(), c.config)
			assert.ErrorContains(t, err, c.says)
		})
	}
}
