package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostileHeadersStayTexts puts hostile texts into every header that reaches SQL or chooses it, and into the claims of
// tokens. PostgREST hands headers, cookies and claims to SQL as settings, and the role as the one to switch to.
func TestHostileHeadersStayTexts(t *testing.T) {
	t.Parallel()
	a := serve(t, preySQL+`
		create function public.sent(name text) returns text language sql stable as
		  $$ select current_setting('request.headers', true)::json ->> name $$;
		create function public.claim() returns text language sql stable as
		  $$ select current_setting('request.jwt.claims', true)::json ->> 'sub' $$;`)
	places := []struct{ name, method, header, body string }{
		{"profile to read", "GET", "Accept-Profile: %s", ""},
		{"profile to write", "POST", "Content-Profile: %s", `[{"id":3}]`},
		{"preference", "GET", "Prefer: %s", ""},
		{"strict preference", "GET", "Prefer: handling=strict, %s", ""},
		{"time zone", "GET", "Prefer: timezone=%s", ""},
		{"strict time zone", "GET", "Prefer: handling=strict, timezone=%s", ""},
		{"most affected", "PATCH", "Prefer: handling=strict, max-affected=%s", `{"name":"one"}`},
		{"range", "GET", "Range: %s", ""},
		{"media type", "GET", "Accept: %s", ""},
		{"parameter of a media type", "GET", "Accept: application/vnd.pgrst.plan+json; for=%s", ""},
		{"content type", "POST", "Content-Type: %s", `[{"id":3}]`},
		{"cookie", "GET", "Cookie: a=%s", ""},
		{"other header", "GET", "X-Any: %s", ""},
		{"scheme", "GET", "Authorization: %s x", ""},
		{"token", "GET", "Authorization: Bearer %s", ""},
	}
	t.Run("in", func(t *testing.T) {
		for _, p := range places {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				for _, text := range sendable() {
					r, err := a.try(t.Context(), as("anon"), p.method, "/prey?id=eq.1", p.body, fmt.Sprintf(p.header, text))
					require.NoError(t, err)
					assert.True(t, r.status < 500 && !becameSQL(p.name, r.body), "%s: %d %s", text, r.status, r.body)
				}
			})
		}
	})
	for _, text := range sendable() {
		r := a.send(caller{"role": "authenticated", "sub": text}, http.MethodPost, "/rpc/claim", `{}`)
		r.answers(200, quoteJSON(text))
		a.get(nobody(), "/rpc/sent?name=x-any", "X-Any: "+text).answers(200, quoteJSON(strings.Trim(text, " \t")))
		r = a.get(caller{"role": text}, "/prey?id=eq.1")
		if text == "null" { // a name like any other
			r.refuses(http.StatusUnauthorized, "22023")
			continue
		}
		assert.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, r.status, "%q: %s", text, r.body)
		assert.False(t, becameSQL("role", r.body), "%q: %s", text, r.body)
	}
	a.get(as("service_role"), "/prey?select=id").answers(200, `[{"id":1}]`)
}

// sendable are the hostile texts that a header can carry.
func sendable() []string {
	var out []string
	for _, text := range hostile() {
		if !strings.ContainsAny(text, "\r\n\t") {
			out = append(out, text)
		}
	}
	return out
}

// PostgreSQL cuts names after 63 bytes. A longer name is another name to PostgREST, which knows tables and functions by
// their whole names, and so are columns that are written to.
func TestNamesThatPostgreSQLWouldCutAreNotTaken(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("é", 31) + "x" // 63 bytes
	a := serve(t, fmt.Sprintf(`
		create table public.%[1]q (id int primary key, %[1]q text);
		insert into public.%[1]q values (1, 'one');
		create function public.%[1]q(a int) returns int language sql as $$ select a $$;`, full))
	a.get(as("service_role"), "/"+full).answers(200, `[{"id":1,`+quoteJSON(full)+`:"one"}]`)
	a.get(as("service_role"), "/"+full+"y").refuses(404, "PGRST205")
	a.get(as("service_role"), "/rpc/"+full+"?a=1").answers(200, `1`)
	a.get(as("service_role"), "/rpc/"+full+"y?a=1").refuses(404, "PGRST202")
	a.send(as("service_role"), http.MethodPost, "/"+full, `{"id":2,`+quoteJSON(full+"y")+`:"two"}`).refuses(400, "PGRST204")
	a.get(as("service_role"), "/"+full+"?select=id,"+full+"y(id)").refuses(400, "PGRST200")
	long := strings.Repeat("long ", 60)
	a.get(as("service_role"), "/"+full+"?select="+strings.ReplaceAll(long, " ", "_")).refuses(400, "42703")
}
