package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/rest"
)

const filmsSQL = `
	create table public.directors (id int primary key, name text);
	create table public.films (id int primary key, title text, year int, rating int, director_id int references public.directors (id));
	create table public.actors (id int primary key, name text);
	create table public.roles (film_id int references public.films (id), actor_id int references public.actors (id), primary key (film_id, actor_id));
	insert into public.directors values (1, 'Ada'), (2, 'Bo');
	insert into public.films values (1, 'One', 1990, 3, 1), (2, 'Two', 1991, 5, 1), (3, 'Three', 1992, 4, 2);
	insert into public.actors values (1, 'Xi'), (2, 'Yo');
	insert into public.roles values (1, 1), (1, 2), (3, 2);`

func TestSpreadsJoinTheirParent(t *testing.T) {
	t.Parallel()
	a := serve(t, filmsSQL, func(c *rest.Config) { c.Aggregates = true })
	for name, c := range map[string]struct{ path, want string }{
		"to one": {
			"/films?select=title,...directors(director:name)&order=id",
			`[{"title":"One","director":"Ada"},{"title":"Two","director":"Ada"},{"title":"Three","director":"Bo"}]`,
		},
		"to many": {
			"/directors?select=name,...films(titles:title)&order=id&films.order=year.desc",
			`[{"name":"Ada","titles":["Two","One"]},{"name":"Bo","titles":["Three"]}]`,
		},
		"through a junction": {
			"/films?select=title,...actors(cast:name)&order=id&actors.order=name.desc",
			`[{"title":"One","cast":["Yo","Xi"]},{"title":"Two","cast":[]},{"title":"Three","cast":["Yo"]}]`,
		},
		"of a spread": {
			"/roles?select=actor_id,...films(title,...directors(name))&film_id=eq.3",
			`[{"actor_id":2,"title":"Three","name":"Bo"}]`,
		},
		"with a star": {
			"/films?select=id,...directors(*)&id=eq.3", `[{"id":2,"name":"Bo"}]`,
		},
		"aggregated": {
			"/films?select=rating.avg(),...directors(name)&order=name", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.get(nobody(), c.path)
			if c.want == "" {
				assert.Equal(t, 400, r.status, r.body) // the order names a column that is not selected from films
				return
			}
			if name == "with a star" {
				// A repeated key, as the two selects have an id each.
				assert.Equal(t, `[{"id":3,"id":2,"name":"Bo"}]`, strings.ReplaceAll(strings.ReplaceAll(r.body, "\n", ""), " ", ""))
				return
			}
			r.answers(200, c.want)
		})
	}
}

func TestAggregatesGroupByWhatIsNotAggregated(t *testing.T) {
	t.Parallel()
	a := serve(t, filmsSQL, func(c *rest.Config) { c.Aggregates = true })
	a.get(nobody(), "/films?select=count()").answers(200, `[{"count":3}]`)
	a.get(nobody(), "/films?select=director_id,best:rating.max()&order=director_id").
		answers(200, `[{"director_id":1,"best":5},{"director_id":2,"best":4}]`)
	a.get(nobody(), "/films?select=total:rating.sum()::text,year.min()").answers(200, `[{"total":"12","min":1990}]`)
	a.get(nobody(), "/directors?select=name,films(count())&order=id").
		answers(200, `[{"name":"Ada","films":[{"count":2}]},{"name":"Bo","films":[{"count":1}]}]`)
	a.get(nobody(), "/roles?select=actor_id,...films(year.max(),count())&order=actor_id").
		answers(200, `[{"actor_id":1,"max":1990,"count":1},{"actor_id":2,"max":1992,"count":2}]`)
	a.get(nobody(), "/directors?select=name,...films(count())").refuses(400, "PGRST127")
	off := serve(t, filmsSQL)
	off.get(nobody(), "/films?select=count()").refuses(400, "PGRST123")
}

func TestDomainsAreWrittenAndReadByTheirCasts(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create domain public.color as int check (value >= 0);
		create function public.color_json(c public.color) returns json language sql immutable as $$ select to_json('#' || lpad(to_hex(c), 6, '0')) $$;
		create function public.text_color(t text) returns public.color language sql immutable as $$ select (('x' || lpad(substr(t, 2), 8, '0'))::bit(32)::int)::public.color $$;
		create function public.json_color(j json) returns public.color language sql immutable as $$ select public.text_color(j #>> '{}') $$;
		create cast (public.color as json) with function public.color_json(public.color) as implicit;
		create cast (json as public.color) with function public.json_color(json) as implicit;
		create cast (text as public.color) with function public.text_color(text) as implicit;
		create table public.paints (id int primary key, shade public.color);
		create table public.walls (id int primary key, paint_id int references public.paints);`)
	a.send(as("service_role"), http.MethodPost, "/paints", `[{"id":1,"shade":"#0000ff"},{"id":2,"shade":"#00ff00"}]`, "Prefer: return=representation").
		answers(201, `[{"id":1,"shade":"#0000ff"},{"id":2,"shade":"#00ff00"}]`)
	a.get(nobody(), "/paints?shade=eq.%230000ff").answers(200, `[{"id":1,"shade":"#0000ff"}]`)
	a.get(nobody(), "/paints?select=shade&shade=in.(%2300ff00,%23000001)").answers(200, `[{"shade":"#00ff00"}]`)
	a.send(as("service_role"), http.MethodPatch, "/paints?id=eq.1&select=shade", `{"shade":"#ff0000"}`, "Prefer: return=representation").
		answers(200, `[{"shade":"#ff0000"}]`)
	// What the real server does with embeds: columns are looked up in the table of the name that was written.
	a.send(as("service_role"), http.MethodPost, "/walls", `{"id":1,"paint_id":1}`).answers(201, "")
	a.get(nobody(), "/walls?select=paints(shade)").answers(200, `[{"paints":{"shade": "#ff0000"}}]`)
	a.get(nobody(), "/walls?select=paint_id(shade)").answers(200, `[{"paint_id":{"shade": 16711680}}]`)
	a.get(nobody(), "/walls?select=paint_id(*)").answers(200, `[{"paint_id":{"id": 1, "shade": "#ff0000"}}]`)
}

func TestMediaTypesCanHaveHandlersInTheDatabase(t *testing.T) {
	t.Parallel()
	a := serve(t, filmsSQL+`
		create domain public."text/html" as text;
		create domain public."application/x-bytes" as bytea;
		create function public.page() returns public."text/html" language sql immutable as $$ select '<p>hi</p>'::text $$;
		create function public.raw() returns public."application/x-bytes" language sql immutable as $$ select '\x00ff'::bytea $$;
		create function public.film_html_step(state public."text/html", f public.films) returns public."text/html" language sql immutable as
		  $$ select (state || '<li>' || f.title || '</li>')::public."text/html" $$;
		create aggregate public.film_html (public.films) (sfunc = public.film_html_step, stype = public."text/html", initcond = '');`)
	page := a.get(nobody(), "/rpc/page", "Accept: text/html")
	assert.Equal(t, "<p>hi</p>", page.body)
	assert.Equal(t, "text/html", page.header.Get("Content-Type"))
	assert.Equal(t, "\x00\xff", a.get(nobody(), "/rpc/raw", "Accept: application/x-bytes").body)
	beyond := a.get(nobody(), "/rpc/page", "Accept: text/html", "Range: 1-")
	assert.Contains(t, beyond.body, "there are only 0 rows")
	assert.Equal(t, 416, beyond.status)
	assert.Equal(t, "*/0", beyond.header.Get("Content-Range"))
	list := a.get(nobody(), "/films?id=lt.3&order=id", "Accept: text/html")
	assert.Equal(t, "<li>One</li><li>Two</li>", list.body)
	a.get(nobody(), "/films?select=title", "Accept: text/html").refuses(406, "PGRST107")
	a.get(nobody(), "/directors", "Accept: text/html").refuses(406, "PGRST107")
	// OPTIONS on a function asks for what a call would.
	a.send(nobody(), http.MethodOptions, "/rpc/page", "", "Accept: text/plain").refuses(406, "PGRST107")
	a.send(nobody(), http.MethodOptions, "/rpc/page", "", "Prefer: handling=strict, anything").refuses(400, "PGRST122")
	assert.Equal(t, "OPTIONS,GET,HEAD,POST", a.send(nobody(), http.MethodOptions, "/rpc/page", "").header.Get("Allow"))
}

func TestPlansAreShownWhenTheServerAllowsIt(t *testing.T) {
	t.Parallel()
	a := serve(t, filmsSQL, func(c *rest.Config) { c.PlanEnabled = true })
	r := a.get(nobody(), "/films?id=eq.1", "Accept: application/vnd.pgrst.plan+json; options=verbose")
	assert.Equal(t, 200, r.status, r.body)
	assert.Equal(t, `application/vnd.pgrst.plan+json; for="application/json"; options=verbose; charset=utf-8`, r.header.Get("Content-Type"))
	assert.Contains(t, r.body, `"Plan Rows"`)
	text := a.send(as("service_role"), http.MethodDelete, "/roles?film_id=eq.1", "", "Accept: application/vnd.pgrst.plan+text")
	assert.Contains(t, text.body, "Delete on roles", text.body)
	a.get(nobody(), "/roles?select=actor_id&film_id=eq.1").answers(200, `[{"actor_id":1},{"actor_id":2}]`)
}

func TestNullsAreLeftOutOnRequest(t *testing.T) {
	t.Parallel()
	a := serve(t, `create table public.t (id int, note text); insert into public.t values (1, null);`)
	r := a.get(nobody(), "/t", "Accept: application/vnd.pgrst.array+json;nulls=stripped")
	assert.Equal(t, `[{"id":1}]`, r.body)
	assert.Equal(t, "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8", r.header.Get("Content-Type"))
	one := a.get(nobody(), "/t", "Accept: application/vnd.pgrst.object+json;nulls=stripped")
	assert.Equal(t, `{"id":1}`, one.body)
}
