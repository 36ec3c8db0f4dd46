package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/rest"
)

// typedValues are values of types whose text differs between json and jsonb, or could.
func typedValues() map[string][]string {
	return map[string][]string{
		"smallint": {"-32768", "0"}, "int": {"7", "-7"}, "bigint": {"9223372036854775807"}, "boolean": {"true", "false"},
		"numeric": {"1.50", "-0.00", "1e30", "1e-20", "NaN", "Infinity"}, "numeric(10,2)": {"12.3"},
		"real": {"1.5", "1e20", "NaN"}, "double precision": {"0.1", "1e300", "-1e-300", "-0", "Infinity", "1e15"},
		"text": {"", `a"b\c/d`, "é\u2028\u007f", "tab\tline\n\r\b\f\u0001", "😀", "<&>"}, "varchar(30)": {`"`}, "char(5)": {"ab"},
		`"char"`: {"x"}, "name": {"n"}, "uuid": {"a11ce000-0000-4000-8000-000000000001"}, "bytea": {`\xdeadbeef`},
		"date": {"2024-02-29", "infinity", "0044-03-15 BC"}, "time": {"12:30:00.5"}, "timetz": {"12:30:00+02"},
		"timestamp": {"2024-02-29 12:00", "-infinity"}, "timestamptz": {"2024-02-29 12:00+02"}, "interval": {"1 mon -3 days"},
		"json": {`{"b" : 1.0e3, "a":[ ], "b":null}`, `"\u00e9\/"`, "null", " 1 "}, "jsonb": {`{"b":1.0e3,"aa":2}`, "null"},
		"text[]": {"{a,NULL,\"b\"}", "{}"}, "int[]": {"{{1,2},{3,4}}"}, "numrange": {"[1,2)"}, "inet": {"10.0.0.1/8"},
		"money": {"1.5"}, "bit(3)": {"101"}, "xml": {"<a>&amp;</a>"}, "point": {"(1,2)"}, "tsvector": {"a:1 b"}, "oid": {"5"},
		"public.mood": {"so \"so\""}, "public.positive": {"5"}, "public.pair": {`(1,"x y")`}, "public.document": {`{"b":1, "a":2}`},
	}
}

// TestEmbedsAreWrittenAsJsonb compares the bytes of embeds with what PostgreSQL makes of a jsonb, for all types, as lists
// and as objects.
func TestEmbedsAreWrittenAsJsonb(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString(`create type public.mood as enum ('so "so"'); create domain public.positive as int check (value > 0);
		create type public.pair as (a int, b text); create domain public.document as json;
		create table public.owners (id int primary key);
		insert into public.owners values (1), (2);`)
	var names []string
	for typ, values := range typedValues() {
		name := fmt.Sprintf("things_%d", len(names))
		names = append(names, name)
		fmt.Fprintf(&script, `create table public.%s (id int primary key, owner int references public.owners (id), value %s);
			insert into public.%[1]s values (0, 1, null);`, name, typ)
		for i, v := range values {
			fmt.Fprintf(&script, "insert into public.%s values (%d, 1, '%s'); -- %s\n", name, i+1, v, typ)
		}
	}
	a := serve(t, script.String())
	conn, err := pgx.Connect(t.Context(), a.postgres.URL("postgres", a.database))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for _, name := range names {
		rows := `from public.` + name + ` where owner = 1 order by id`
		var list, one, typ string
		err := conn.QueryRow(t.Context(), `select (select json_agg(r)::jsonb::text from (select value, id `+rows+`) r),
			(select row_to_json(r)::jsonb::text from (select value as bb, id as a `+rows+` offset 1 limit 1) r),
			pg_typeof((select value `+rows+` limit 1))::text`).Scan(&list, &one, &typ)
		require.NoError(t, err)
		t.Run(typ, func(t *testing.T) {
			got := a.get(as("service_role"), "/owners?select="+name+"(value,id)&"+name+".order=id&order=id")
			assert.Equal(t, `[{"`+name+`":`+list+"}, \n {\""+name+`":[]}]`, got.body)
			got = a.get(as("service_role"), "/owners?select=one:"+name+"(bb:value,a:id)&one.limit=1&one.offset=1&one.order=id&limit=1&order=id")
			assert.Equal(t, `[{"one":[`+one+`]}]`, got.body)
		})
	}
}

// TestKeysOfEmbeds are in jsonb's order wherever they come from: shorter ones first, then by their bytes, each one once.
func TestKeysOfEmbeds(t *testing.T) {
	t.Parallel()
	a := serve(t, filmsSQL+`insert into public.films values (4, null, null, null, null);
		create table public.remarks (id int primary key, film_id int references public.films (id), text text);
		insert into public.remarks values (1, 3, null);
		create function public.shout(public.films) returns text language sql stable as $$ select upper($1.title) $$;
		create function public.best(public.directors) returns setof public.films rows 1 language sql stable as $$
			select * from public.films where director_id = $1.id order by rating desc limit 1 $$;`)
	for path, want := range map[string]string{
		"/films?select=title,directors(name,id)&id=gte.3&order=id": `[{"title":"Three","directors":{"id": 2, "name": "Bo"}}, ` +
			"\n" + ` {"title":null,"directors":null}]`,
		"/remarks?select=id,films(title,roles(actors(name)),directors(films(year)))":    `[{"id":1,"films":{"roles": [{"actors": {"name": "Yo"}}], "title": "Three", "directors": {"films": [{"year": 1992}]}}}]`,
		"/films?select=remarks(text)&id=gte.2&order=id&id=lte.3":                        `[{"remarks":[]}, ` + "\n" + ` {"remarks":[{"text": null}]}]`,
		"/films?select=actors(name)&id=eq.1&actors.order=id.desc":                       `[{"actors":[{"name": "Yo"}, {"name": "Xi"}]}]`,
		"/films?select=directors(name,name)&id=eq.3":                                    `[{"directors":{"name": "Bo"}}]`,
		"/films?select=directors(x:id,x:name)&id=eq.3":                                  `[{"directors":{"x": "Bo"}}]`,
		`/films?select=directors("a\"b":name,"é":id,bb:id,c:id)&id=eq.3`:                `[{"directors":{"c": 2, "bb": 2, "é": 2, "a\"b": "Bo"}}]`,
		"/films?select=directors(" + strings.Repeat("k", 70) + ":id)&id=eq.3":           `[{"directors":{"` + strings.Repeat("k", 63) + `": 2}}]`,
		"/directors?select=films(*)&id=eq.2":                                            `[{"films":[{"id": 3, "year": 1992, "title": "Three", "rating": 4, "director_id": 2}]}]`,
		"/directors?select=films(*,remarks(id))&id=eq.2":                                `[{"films":[{"id": 3, "year": 1992, "title": "Three", "rating": 4, "remarks": [{"id": 1}], "director_id": 2}]}]`,
		"/directors?select=films(shout,id)&id=eq.2":                                     `[{"films":[{"id": 3, "shout": "THREE"}]}]`,
		"/directors?select=best(title,id)&id=eq.1":                                      `[{"best":{"id": 2, "title": "Two"}}]`,
		"/directors?select=films(n:year::text,f:rating::float8)&id=eq.2":                `[{"films":[{"f": 4, "n": "1992"}]}]`,
		"/films?select=title,...directors(films(id))&id=eq.3":                           `[{"title":"Three","films":[{"id": 3}]}]`,
		"/directors?select=name,...films(remarks(id))&id=eq.2":                          `[{"name":"Bo","remarks":[[{"id": 1}]]}]`,
		"/films?select=directors(id)&directors=is.null":                                 `[{"directors":null}]`,
		"/films?select=remarks(id)&remarks=not.is.null":                                 `[{"remarks":[{"id": 1}]}]`,
		"/films?select=id,remarks!inner(id)":                                            `[{"id":3,"remarks":[{"id": 1}]}]`,
		"/films?select=id,directors(name)&order=directors(name).desc.nullslast&limit=1": `[{"id":3,"directors":{"name": "Bo"}}]`,
	} {
		got := a.get(as("service_role"), strings.ReplaceAll(path, `"`, "%22"))
		assert.Equal(t, want, got.body, path)
	}
	got := a.send(as("service_role"), "POST", "/films?select=id,directors(name,id)", `{"id":9,"director_id":2}`, "Prefer: return=representation")
	assert.Equal(t, `[{"id":9,"directors":{"id": 2, "name": "Bo"}}]`, got.body)
	got = a.get(as("service_role"), "/remarks?select=films(title,directors(name))", "Accept: application/vnd.pgrst.object+json;nulls=stripped")
	assert.Equal(t, `{"films":{"title":"Three","directors":{"name":"Bo"}}}`, got.body)
	got = a.get(as("service_role"), "/films?select=id,directors(name,id)&id=eq.3", "Accept: text/csv")
	assert.Equal(t, "id,directors\n3,\"{\"\"id\"\": 2, \"\"name\"\": \"\"Bo\"\"}\"", got.body)
}

// TestGroupsByEmbeds are by their values, not by their text.
func TestGroupsByEmbeds(t *testing.T) {
	t.Parallel()
	a := serve(t, `create table public.prices (id int primary key, price numeric);
		create table public.sales (id int primary key, price_id int references public.prices (id));
		insert into public.prices values (1, 1.0), (2, 1.00), (3, 2);
		insert into public.sales values (1, 1), (2, 2), (3, 3);`,
		func(c *rest.Config) { c.Aggregates = true })
	got := a.get(as("service_role"), "/sales?select=count(),prices(price)&id=lt.3")
	assert.Equal(t, `[{"count":2,"prices":{"price": 1.0}}]`, got.body)
}

// TestRowsThatAreNotSentAreMade asks for the headers alone: what the rows would fail with is still an error.
func TestRowsThatAreNotSentAreMade(t *testing.T) {
	t.Parallel()
	a := serve(t, filmsSQL+"revoke all on public.roles from anon;")
	for path, status := range map[string]int{
		"/films?select=id,directors(name),actors:directors(id)": 200, "/films?select=title::int": 400, "/films?select=roles(film_id)": 401,
		"/directors?select=films(title::int)": 400, "/directors?select=films(roles(film_id))": 401, "/directors?select=films(id)&limit=0": 200,
		"/films?select=roles(film_id)&limit=0": 401, "/films?select=roles()": 401, "/actors?select=films(id)": 401,
	} {
		for _, method := range []string{"HEAD", "GET"} {
			got := a.send(nobody(), method, path, "")
			assert.Equal(t, status, got.status, "%s %s: %s", method, path, got.body)
		}
	}
}

// TestEmbedsAreMadeForTheRowsThatAreLeft counts how often an embed reads when a LIMIT leaves one row of a thousand that had
// to be sorted.
func TestEmbedsAreMadeForTheRowsThatAreLeft(t *testing.T) {
	t.Parallel()
	a := serve(t, `create table public.owners (id int primary key, rank int);
		create table public.things (id int primary key, owner_id int references public.owners (id));
		insert into public.owners select n, -n from generate_series(1, 1000) n;
		insert into public.things select n, n from generate_series(1, 1000) n;
		create function public.seen(public.things) returns int language sql stable as $$
			select set_config('test.seen', (coalesce(current_setting('test.seen', true), '') || 'x'), true); select length(current_setting('test.seen')) $$;
		analyze;`)
	for _, selected := range []string{"*,seen", "id,seen"} {
		got := a.get(as("service_role"), "/owners?select=id,things("+selected+")&order=rank&limit=1")
		assert.Equal(t, 200, got.status, got.body)
		assert.Regexp(t, `"seen": 1[,}]`, got.body, "of the owner who comes first alone")
	}
}
