package rest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are texts that end a literal or an identifier, start a comment, or are special in one of the places they go.
func hostile() []string {
	return []string{
		`'`, `''`, `"`, `""`, `\`, `\'`, `\"`, `;`, `--`, `/*`, `*/`, `$1`, `$$`, `$a$`, `%`, `_`, `{`, `}`, `{"}`, `(`, `)`,
		`x'; drop table public.prey; --`, `x"; drop table public.prey; --`, `1) or (1=1`, `null`, `') or true--`,
		`E'\\x27'`, "\t", "\n", "\r", "é'", "日本", "\u2028", `a,b`, `a.b`, `a->>b`, `a::text`, `a!b`, `*`, `pg_sleep(10)`,
	}
}

const preySQL = `
	create table public.prey (id int primary key, name text, doc jsonb, tags text[]);
	insert into public.prey values (1, 'one', '{"a": {"b": 1}}', '{x}');
	create table public.other (id int primary key, prey_id int references public.prey(id));
	create function public.echo(v text) returns text language sql immutable as $$ select v $$;
	create function public.echo_all(variadic v text[]) returns text[] language sql immutable as $$ select v $$;`

// TestHostileTextsStayTexts puts hostile texts into every place of a request that can hold one. Nothing may change but
// what was asked for, and nothing may break: a syntax error (42601) would mean that a text became SQL.
func TestHostileTextsStayTexts(t *testing.T) {
	t.Parallel()
	a := serve(t, preySQL)
	places := []struct{ name, method, path, body string }{
		{"value", "GET", "/prey?name=eq.%s", ""},
		{"negated value", "GET", "/prey?name=not.eq.%s", ""},
		{"pattern", "GET", "/prey?name=like.%s", ""},
		{"list", "GET", "/prey?name=in.(%s)", ""},
		{"quoted list", "GET", `/prey?name=in.("%s")`, ""},
		{"any", "GET", "/prey?name=eq(any).{%s}", ""},
		{"range", "GET", "/prey?tags=cs.{%s}", ""},
		{"full text", "GET", "/prey?name=plfts.%s", ""},
		{"language", "GET", "/prey?name=plfts(%s).x", ""},
		{"is distinct", "GET", "/prey?name=isdistinct.%s", ""},
		{"column", "GET", "/prey?%s=eq.1", ""},
		{"selected column", "GET", "/prey?select=%s", ""},
		{"alias", "GET", "/prey?select=%s:id", ""},
		{"cast", "GET", "/prey?select=id::%s", ""},
		{"JSON path", "GET", "/prey?select=doc->>%s", ""},
		{"JSON path in a filter", "GET", "/prey?doc->a->>%s=eq.1", ""},
		{"logic", "GET", "/prey?or=(name.eq.%s,id.eq.1)", ""},
		{"order", "GET", "/prey?order=%s", ""},
		{"embed", "GET", "/prey?select=id,%s(id)", ""},
		{"hint", "GET", "/prey?select=id,other!%s(id)", ""},
		{"embed alias", "GET", "/prey?select=id,%s:other(id)", ""},
		{"embedded filter", "GET", "/prey?select=id,other(id)&other.id=eq.%s", ""},
		{"limit", "GET", "/prey?limit=%s", ""},
		{"relation", "GET", "/%s", ""},
		{"function", "GET", "/rpc/%s", ""},
		{"argument", "GET", "/rpc/echo?v=%s", ""},
		{"variadic argument", "GET", "/rpc/echo_all?v=%s&v=x", ""},
		{"argument name", "GET", "/rpc/echo?%s=1", ""},
		{"columns", "POST", "/prey?columns=%s", `[{"id":2}]`},
		{"on conflict", "POST", "/prey?on_conflict=%s", `[{"id":1}]`},
		{"key filter of PUT", "PUT", "/prey?id=eq.%s", `{"id":1}`},
	}
	t.Run("in", func(t *testing.T) {
		for _, p := range places {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				for _, text := range hostile() {
					path := fmt.Sprintf(p.path, url.QueryEscape(text))
					r, err := a.try(t.Context(), as("service_role"), p.method, path, p.body)
					require.NoError(t, err)
					assert.True(t, r.status < 500 && !becameSQL(p.name, r.body), "%s: %d %s", path, r.status, r.body)
				}
			})
		}
	})
	a.get(as("service_role"), "/prey?id=eq.1").answers(200, `[{"id":1,"name":"one","doc":{"a":{"b":1}},"tags":["x"]}]`)
}

// becameSQL reports whether PostgreSQL could not parse the statement, so that a text was read as SQL. Casts are the one
// place where the client's words are SQL, confined to the characters of type names; an empty name is quoted, and no name.
func becameSQL(place, body string) bool {
	if place == "cast" || strings.Contains(body, "zero-length delimited identifier") {
		return false
	}
	return strings.Contains(body, `"42601"`) || strings.Contains(body, `"42P02"`)
}

// TestHostileTextsComeBackUnchanged writes hostile texts as values and as column names, and reads them again.
func TestHostileTextsComeBackUnchanged(t *testing.T) {
	t.Parallel()
	a := serve(t, preySQL)
	for i, text := range hostile() {
		quoted := quoteJSON(text)
		row := fmt.Sprintf(`[{"id":%d,"name":%s}]`, 100+i, quoted)
		a.send(as("service_role"), http.MethodPost, "/prey?select=id,name", row, "Prefer: return=representation").answers(201, row)
		a.get(as("service_role"), "/prey?select=id,name&id=eq."+fmt.Sprint(100+i)+"&name=eq."+url.QueryEscape(text)).answers(200, row)
		a.send(as("service_role"), http.MethodPost, "/rpc/echo", `{"v":`+quoted+`}`).answers(200, quoted)
		a.get(nobody(), "/rpc/echo?v="+url.QueryEscape(text)).answers(200, quoted)
		a.get(nobody(), "/rpc/echo_all?v="+url.QueryEscape(text)+"&v=x").answers(200, `[`+quoted+`,"x"]`)
	}
}

func TestHostileNamesOfTablesAndColumnsAreQuoted(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create table public."we""ird; --" ("select" int primary key, "a""b" text, "it's" text);
		insert into public."we""ird; --" values (1, 'x', 'y');`)
	path := "/" + url.PathEscape(`we"ird; --`)
	a.get(as("service_role"), path).answers(200, `[{"select":1,"a\"b":"x","it's":"y"}]`)
	a.send(as("service_role"), http.MethodPost, path, `{"select":2,"a\"b":"p","it's":"q"}`, "Prefer: return=representation").
		answers(201, `[{"select":2,"a\"b":"p","it's":"q"}]`)
	a.send(as("service_role"), http.MethodPost, path, `{"select":2,"it's":"r"}`,
		"Prefer: resolution=merge-duplicates,missing=default,return=representation").answers(200, `[{"select":2,"a\"b":"p","it's":"r"}]`)
	a.send(as("service_role"), http.MethodPatch, path+"?select=eq.2", `{"it's":"s"}`)
}
