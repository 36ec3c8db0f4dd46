package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/rest"
)

const documentedSQL = `
	create table public.people (id int primary key, name text, age int, extra jsonb, tags text[]);
	insert into public.people values (1, 'Ann', 20, '{"a": {"b": [1, 2]}}', '{x,y}'), (2, 'Ben', 30, null, '{}'), (3, 'Cid', null, '{"a": 1}', null);
	create table public.pets (id int primary key, name text, person_id int references public.people (id));
	insert into public.pets values (1, 'Rex', 1), (2, 'Tom', 1), (3, 'Joe', null);
	create function public.plus_one(a int[]) returns int[] language sql immutable as $$ select array_agg(n + 1) from unnest(a) n $$;
	create function public.mult(variadic v int[]) returns int language sql immutable as $$ select exp(sum(ln(x)))::int from unnest(v) x $$;
	create function public.raw_length(bytea) returns int language sql immutable as $$ select length($1) $$;
	create function public.raw_text(text) returns text language sql immutable as $$ select 'got ' || $1 $$;
	create function public.json_keys(jsonb) returns text[] language sql immutable as $$ select array(select jsonb_object_keys($1) order by 1) $$;
	create function public.adults() returns setof public.people language sql stable as $$ select * from public.people where age >= 20 $$;
	create function public.redirect() returns void language plpgsql as $$
	begin
	  perform set_config('response.headers', '[{"Location": "/elsewhere"}, {"X-More": "1"}]', true), set_config('response.status', '303', true);
	end $$;
	create function public.pay() returns void language plpgsql as $$
	begin
	  raise sqlstate 'PGRST' using message = '{"code":"PAY","message":"Payment required","details":"quota","hint":"upgrade"}',
	    detail = '{"status":402,"headers":{"X-Powered-By":"money"}}';
	end $$;`

// TestWhatTheDocumentationShows makes the requests that PostgREST's documentation (14) explains, section by section, on
// other data. What the recordings show as well is left to them.
func TestWhatTheDocumentationShows(t *testing.T) {
	t.Parallel()
	a := serve(t, documentedSQL, func(c *rest.Config) { c.MaxRows = nil })
	for section, c := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		want               string
	}{
		"Tables and Views, Horizontal Filtering, modifiers": {
			path: "/people?select=id&name=like(any).{A*,B*}&order=id", status: 200, want: `[{"id":1},{"id":2}]`,
		},
		"Tables and Views, isdistinct": {path: "/people?select=id&age=isdistinct.20&order=id", status: 200, want: `[{"id":2},{"id":3}]`},
		"Tables and Views, Logical operators, not": {
			path: "/people?select=id&not.and=(age.gte.11,age.lte.25)&order=id", status: 200, want: `[{"id":2}]`,
		},
		"Tables and Views, JSON Columns": {path: "/people?select=extra->a->b->1&extra->a->b->0=eq.1", status: 200, want: `[{"b":2}]`},
		"Tables and Views, JSON Columns, ordering": {
			path: "/people?select=id&extra=not.is.null&order=extra->a.asc", status: 200, want: `[{"id":3},{"id":1}]`,
		},
		"Tables and Views, Array Columns by index": {path: "/people?select=tags->0&id=eq.1", status: 200, want: `[{"tags":"x"}]`},
		"Tables and Views, Ordering, nulls first":  {path: "/people?select=id&order=age.nullsfirst", status: 200, want: `[{"id":3},{"id":1},{"id":2}]`},
		"Tables and Views, Limited Update": {
			method: "PATCH", path: "/people?select=id&id=lt.0", body: `{"age":1}`, header: []string{"Prefer: return=representation"},
			status: 200, want: `[]`,
		},
		"Resource Embedding, Null filtering": {path: "/people?select=name,pets()&pets=not.is.null", status: 200, want: `[{"name":"Ann"}]`},
		"Resource Embedding, anti-join":      {path: "/people?select=id,pets()&pets=is.null&order=id", status: 200, want: `[{"id":2},{"id":3}]`},
		"Resource Embedding, or across embeds": {
			path: "/people?select=id,pets(name)&pets.name=eq.Tom&or=(pets.not.is.null,age.eq.30)&order=id", status: 200,
			want: `[{"id":1,"pets":[{"name":"Tom"}]},{"id":2,"pets":[]}]`,
		},
		"Resource Embedding, Top-level ordering": {
			path: "/pets?select=id,people(name)&order=people(name).desc.nullslast,id", status: 200,
			want: `[{"id":1,"people":{"name":"Ann"}},{"id":2,"people":{"name":"Ann"}},{"id":3,"people":null}]`,
		},
		"Functions, single unnamed JSON parameter": {method: "POST", path: "/rpc/json_keys", body: `{"b":1,"a":2}`, status: 200, want: `["a","b"]`},
		"Functions, raw binary": {
			method: "POST", path: "/rpc/raw_length", body: "abc", header: []string{"Content-Type: application/octet-stream"}, status: 200, want: `3`,
		},
		"Functions, raw text": {
			method: "POST", path: "/rpc/raw_text", body: "it's", header: []string{"Content-Type: text/plain"}, status: 200, want: `"got it's"`,
		},
		"Functions, array parameters":          {path: "/rpc/plus_one?a={1,2,3}", status: 200, want: `[2,3,4]`},
		"Functions, array parameters in JSON":  {method: "POST", path: "/rpc/plus_one", body: `{"a":[1,2]}`, status: 200, want: `[2,3]`},
		"Functions, variadic, repeated":        {path: "/rpc/mult?v=2&v=3&v=4", status: 200, want: `24`},
		"Functions, variadic, form":            {method: "POST", path: "/rpc/mult", body: "v=2&v=3", header: []string{"Content-Type: application/x-www-form-urlencoded"}, status: 200, want: `6`},
		"Functions, filters on a table result": {path: "/rpc/adults?select=id,pets(id)&age=gt.20", status: 200, want: `[{"id":2,"pets":[]}]`},
		"Pagination, exact count":              {path: "/people?select=id&order=id&limit=1&offset=1", header: []string{"Prefer: count=exact"}, status: 206, want: `[{"id":2}]`},
		"Preferences, strict handling": {
			path: "/people?select=id&id=eq.1", header: []string{"Prefer: handling=strict, anything"}, status: 400,
			want: `{"code":"PGRST122","message":"Invalid preferences given with handling=strict","details":"Invalid preferences: anything","hint":null}`,
		},
		"Errors, RAISE with status, code and headers": {
			method: "POST", path: "/rpc/pay", body: `{}`, status: 402, want: `{"code":"PAY","message":"Payment required","details":"quota","hint":"upgrade"}`,
		},
		"Schemas, not exposed": {
			path: "/people", header: []string{"Accept-Profile: hidden"}, status: 406,
			want: `{"code":"PGRST106","message":"Invalid schema: hidden","details":null,"hint":"Only the following schemas are exposed: public, graphql_public"}`,
		},
		"Aggregate Functions, off by default": {
			path: "/people?select=age.sum()", status: 400,
			want: `{"code":"PGRST123","message":"Use of aggregate functions is not allowed","details":null,"hint":null}`,
		},
	} {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			method := c.method
			if method == "" {
				method = http.MethodGet
			}
			a.send(as("service_role"), method, c.path, c.body, c.header...).answers(c.status, c.want)
		})
	}
}

// Transactions, "Response headers" and "Response status code".
func TestAFunctionCanChooseStatusAndHeaders(t *testing.T) {
	t.Parallel()
	a := serve(t, documentedSQL)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/rpc/redirect", nil)
	assert.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req) // does not follow
	if assert.NoError(t, err) {
		assert.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusSeeOther, resp.StatusCode)
		assert.Equal(t, "/elsewhere", resp.Header.Get("Location"))
		assert.Equal(t, "1", resp.Header.Get("X-More"))
	}
	assert.Equal(t, "money", a.send(nobody(), http.MethodPost, "/rpc/pay", `{}`).header.Get("X-Powered-By"))
}
