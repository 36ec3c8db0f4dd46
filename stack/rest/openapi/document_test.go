package openapi

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest/schema"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

const setUp = `
comment on schema public is E'Shop\n\nAll of it.';
create type public.size as enum ('S', 'L');
create table public.makers (id int primary key, name text not null);
create table public.items (
  id bigint primary key, maker int references public.makers (id), label varchar(20) not null default 'none',
  size public.size, tags text[], data jsonb, price numeric default 1.5, made timestamptz default now());
comment on table public.items is E'Things\nthat are sold';
comment on column public.items.maker is 'who made it';
create table public.closed (id int primary key);
revoke all on public.closed from anon;
create view public.totals as select count(*) as n from public.items;
create function public.find(label text, many int default 3, variadic words text[] default '{}') returns setof public.items language sql stable
  as $$ select * from public.items $$;
create function public.touch() returns void language sql volatile as $$ select $$;
create function public.hidden() returns int language sql stable as $$ select 1 $$;
revoke execute on function public.hidden() from public, anon;
create function public.sized(wanted public.size, others public.size[], item public.items) returns int language sql stable as $$ select 1 $$;
create function public.many(a int) returns int language sql stable as $$ select a $$;
create function public.many(a int, b text default '') returns int language sql stable as $$ select a $$;
create function public.many(a int, c int) returns int language sql stable as $$ select a $$;
create function public.over(a int) returns int language sql stable as $$ select a $$;
create function public.over(a text) returns int language sql stable as $$ select 1 $$;
revoke execute on function public.over(int) from public, anon;
`

// describe makes the document as anon sees it, decoded.
func describe(t *testing.T, o Options) map[string]any {
	t.Helper()
	srv := postgrestest.Shared(t)
	db := postgrestest.ExposedDatabase(t, srv, true)
	postgrestest.Exec(t, srv, "postgres", db, setUp)
	conn, err := pgx.Connect(t.Context(), srv.URL("authenticator", db))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	snap, err := schema.Load(t.Context(), conn, schema.Options{Schemas: []string{"public"}})
	require.NoError(t, err)
	// As in a request, where what the schema has is found without its name.
	_, err = conn.Exec(t.Context(), "begin; set local search_path = public; set local role anon")
	require.NoError(t, err)
	var rights string
	require.NoError(t, conn.QueryRow(t.Context(), AccessSQL(), "public").Scan(&rights))
	access, err := ReadAccess([]byte(rights))
	require.NoError(t, err)
	o.Schema = "public"
	text, err := Write(o, snap, access)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(text, &doc))
	return doc
}

// at walks into nested objects.
func at(t *testing.T, v any, keys ...string) any {
	t.Helper()
	for _, k := range keys {
		o, ok := v.(map[string]any)
		require.True(t, ok, "%v is in no object", k)
		require.Contains(t, o, k)
		v = o[k]
	}
	return v
}

func TestTheDocumentListsWhatTheRoleMayUse(t *testing.T) {
	t.Parallel()
	doc := describe(t, Options{Address: "127.0.0.1:3000", Version: "14.17"})

	paths := at(t, doc, "paths").(map[string]any)
	var names []string
	for name := range paths {
		names = append(names, name)
	}
	assert.ElementsMatch(t, []string{"/", "/makers", "/items", "/totals", "/rpc/find", "/rpc/touch", "/rpc/over", "/rpc/sized", "/rpc/many"}, names)
	assert.Equal(t, map[string]any{"title": "Shop", "description": "All of it.", "version": "14.17"}, at(t, doc, "info"))
	assert.Equal(t, "127.0.0.1:3000", at(t, doc, "host"))
	assert.NotContains(t, paths["/totals"], "post", "a view that cannot be written")
	assert.NotContains(t, paths["/rpc/touch"], "get", "a volatile function")
	assert.Equal(t, "Things", at(t, paths, "/items", "get", "summary"))
	assert.Equal(t, "that are sold", at(t, paths, "/items", "get", "description"))
	parameters := at(t, paths, "/rpc/over", "get", "parameters").([]any)
	assert.Equal(t, "text", at(t, parameters[0], "format"), "the overload that may be called")
	wanted := at(t, paths, "/rpc/sized", "get", "parameters").([]any)
	assert.Equal(t, "public.size", at(t, wanted[0], "format"), "an argument of a type of the schema")
	longest := at(t, paths, "/rpc/many", "get", "parameters").([]any)
	require.Len(t, longest, 2, "the overload with most parameters")
	assert.Equal(t, "c", at(t, longest[1], "name"), "and of those the last")
}

func TestColumnsAreDescribedByTypeKeyAndDefault(t *testing.T) {
	t.Parallel()
	items := at(t, describe(t, Options{Address: "x:1"}), "definitions", "items")
	assert.ElementsMatch(t, []any{"id", "label"}, at(t, items, "required"))
	for column, want := range map[string]map[string]any{
		"id":    {"type": "integer", "format": "int64", "description": "Note:\nThis is a Primary Key.<pk/>"},
		"maker": {"type": "integer", "format": "int32", "description": "who made it\n\nNote:\nThis is a Foreign Key to `makers.id`.<fk table='makers' column='id'/>"},
		"label": {"type": "string", "format": "character varying", "maxLength": 20.0, "default": "none"},
		"size":  {"type": "string", "format": "public.size", "enum": []any{"S", "L"}},
		"tags":  {"type": "array", "format": "text[]", "items": map[string]any{"type": "string"}},
		"data":  {"format": "jsonb"},
		"price": {"type": "number", "format": "numeric", "default": 1.5},
		"made":  {"type": "string", "format": "timestamp with time zone", "default": "now()"},
	} {
		assert.Equal(t, want, at(t, items, "properties", column), column)
	}
}

func TestArgumentsOfFunctionsAreDescribed(t *testing.T) {
	t.Parallel()
	find := at(t, describe(t, Options{Address: "x:1"}), "paths", "/rpc/find")
	get := at(t, find, "get", "parameters").([]any)
	require.Len(t, get, 3)
	assert.Equal(t, map[string]any{"name": "label", "in": "query", "required": true, "type": "string", "format": "text"}, get[0])
	assert.Equal(t, map[string]any{
		"name": "words", "in": "query", "required": false, "type": "array", "collectionFormat": "multi",
		"items": map[string]any{"type": "string", "format": "text"},
	}, get[2])
	body := at(t, find, "post", "parameters").([]any)[0]
	assert.Equal(t, []any{"label"}, at(t, body, "schema", "required"))
}

func TestTheProxyIsWhereClientsFindTheAPI(t *testing.T) {
	t.Parallel()
	doc := describe(t, Options{ProxyURI: "https://api.test/rest/v1", Security: true})
	assert.Equal(t, "api.test:443", at(t, doc, "host"))
	assert.Equal(t, "/rest/v1", at(t, doc, "basePath"))
	assert.Equal(t, []any{"https"}, at(t, doc, "schemes"))
	assert.Equal(t, "Authorization", at(t, doc, "securityDefinitions", "JWT", "name"))

	_, err := Options{ProxyURI: "postgrest.com"}.place()
	assert.ErrorContains(t, err, `openapi-server-proxy-uri "postgrest.com" is not an http or https URL`)
}
