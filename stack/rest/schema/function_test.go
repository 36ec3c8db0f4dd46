package schema_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest/schema"
)

func TestFunctionsCarryParametersAndWhatTheyReturn(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create table public.t (id int);
		create domain public.row_alias as public.t;
		create function public.plain(a int, b text default 'x', c char default null) returns int language sql immutable as $$ select 1 $$;
		create function public.outs(in a int, out x int, inout y text, out z int) language sql stable as $$ select 1, 'a', 2 $$;
		create function public.out_first(out x int, in b int) language sql as $$ select 1 $$;
		create function public.many(variadic xs int[]) returns setof int language sql as $$ select 1 $$;
		create function public.rows() returns setof public.t language sql as $$ select * from public.t $$;
		create function public.tab() returns table (a int, b text) language sql as $$ select 1, 'x' $$;
		create function public.one() returns public.t language sql as $$ select 1 $$;
		create function public.alias() returns public.row_alias language sql as $$ select row(1)::public.t $$;
		create function public.nothing() returns void language sql as $$ select null::void $$;
		create function public.body(json) returns json language sql as $$ select $1 $$;
		create function public.nameless(int, int) returns int language sql as $$ select 1 $$;
		create function public.on_change() returns trigger language plpgsql as $$ begin return new; end $$;
		create function public.tuned() returns int language sql set statement_timeout = '5s' set default_transaction_isolation = 'serializable' set work_mem = '1MB'
		  as $$ select 1 $$;
		comment on function public.plain is 'adds nothing';`)
	get := func(name string) schema.Function {
		fs := snap.Functions(public(name))
		require.Len(t, fs, 1, name)
		return *fs[0]
	}
	assert.Equal(t, schema.Function{
		Name: public("plain"), Description: "adds nothing", Volatility: schema.Immutable,
		Params: []schema.Param{
			{Name: "a", Type: "integer", CastType: "integer", Required: true},
			{Name: "b", Type: "text", CastType: "text"},
			{Name: "c", Type: "character", CastType: "character varying"},
		},
		Returns: schema.Return{Type: schema.Name{Schema: "pg_catalog", Name: "int4"}},
	}, get("plain"))

	outs := get("outs")
	assert.Equal(t, []schema.Param{
		{Name: "a", Type: "integer", CastType: "integer", Required: true}, {Name: "y", Type: "text", CastType: "text", Required: true},
	}, outs.Params)
	assert.True(t, outs.Row())
	assert.Equal(t, "b", get("out_first").Params[0].Name)

	many := get("many")
	assert.True(t, many.Variadic && many.Params[0].Variadic && many.ScalarSet() && !many.Single())
	rows := get("rows")
	assert.True(t, rows.Returns.Set && rows.Returns.Composite)
	assert.Equal(t, public("t"), rows.Returns.Type)
	tab := get("tab")
	assert.True(t, tab.Returns.Set && tab.Returns.Composite)
	one, alias := get("one"), get("alias")
	assert.True(t, one.Row() && !one.Returns.CompositeAlias)
	assert.True(t, alias.Row() && alias.Returns.CompositeAlias)
	nothing := get("nothing")
	assert.True(t, nothing.Void() && nothing.Scalar())
	assert.Equal(t, "", get("body").Params[0].Name)

	assert.Empty(t, snap.Functions(public("nameless")), "arguments without names cannot be given")
	assert.Empty(t, snap.Functions(public("on_change")), "triggers cannot be called")
	tuned := get("tuned")
	assert.Equal(t, "serializable", tuned.Isolation)
	assert.Equal(t, []schema.Setting{{Name: "statement_timeout", Value: "5s"}, {Name: "default_transaction_isolation", Value: "serializable"}}, tuned.Settings)
}

func TestOverloadsComeWithFewerParametersFirst(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create function public.f(a int, b int) returns int language sql as $$ select 1 $$;
		create function public.f(a int) returns int language sql as $$ select 1 $$;
		create function public.f(a text) returns int language sql as $$ select 1 $$;`)
	var types []string
	for _, f := range snap.Functions(public("f")) {
		types = append(types, f.Params[0].Type)
	}
	assert.Equal(t, []string{"integer", "text", "integer"}, types)
}

func TestSettingsOfRolesAreThoseTheLoginRoleMaySet(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Start(t, postgres.Config{})
	db := postgrestest.Database(t, srv)
	postgrestest.Exec(t, srv, "supabase_admin", db, `
		create role stranger nologin;
		alter role stranger set statement_timeout = '1s';
		alter role anon set statement_timeout = '7s';
		alter role anon set default_transaction_isolation = 'repeatable read';
		alter role anon set log_duration = 'on';
		alter role authenticator set pgrst.db_max_rows = '10';
		alter role authenticator in database `+db+` set pgrst.db_max_rows = '20';`)
	conn, err := pgx.Connect(t.Context(), srv.URL("authenticator", db))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	roles, err := schema.LoadRoles(t.Context(), conn)
	require.NoError(t, err)
	assert.Equal(t, schema.RoleSettings{
		Isolation: "repeatable read", Settings: []schema.Setting{{Name: "statement_timeout", Value: "7s"}},
	}, roles["anon"], "log_duration is for superusers")
	assert.NotContains(t, roles, "stranger", "the login role is no member of it")

	settings, err := schema.LoadServerSettings(t.Context(), conn)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"db_max_rows": "20"}, settings)

	zones, err := schema.LoadTimezones(t.Context(), conn)
	require.NoError(t, err)
	assert.True(t, zones["Europe/Berlin"] && !zones["Mars/Base"])
}
