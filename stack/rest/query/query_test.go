package query_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// loaded is the snapshot of testdata/schema.sql, made once: it is immutable.
var loaded = sync.OnceValues(func() (*schema.Snapshot, error) {
	script, err := os.ReadFile("testdata/schema.sql")
	if err != nil {
		return nil, err
	}
	srv := postgrestest.Shared(panicking{})
	ctx := context.Background()
	if err := srv.CreateDatabase(ctx, "planned"); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, srv.URL("postgres", "planned"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.PgConn().Exec(ctx, string(script)).ReadAll(); err != nil {
		return nil, err
	}
	return schema.Load(ctx, conn, schema.Options{Schemas: []string{"public"}})
})

// panicking stands for a test where there is none to fail.
type panicking struct{}

func (panicking) Cleanup(func())                    {}
func (panicking) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panicking) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panicking) Helper()                           {}
func (panicking) Logf(string, ...any)               {}
func (panicking) Name() string                      { return "planned" }

func snapshot(t testing.TB) *schema.Snapshot {
	t.Helper()
	snap, err := loaded()
	require.NoError(t, err)
	return snap
}

// ask is a request in short form.
type ask struct {
	method, path, body string
	headers            http.Header
}

func prefer(values ...string) http.Header { return http.Header{"Prefer": values} }

func accept(value string) http.Header { return http.Header{"Accept": {value}} }

func (a ask) parse() (*request.Request, error) {
	path, raw, _ := strings.Cut(a.path, "?")
	header := http.Header{"Content-Type": {"application/json"}}
	for name, values := range a.headers {
		header[name] = values
	}
	return request.Parse(request.Input{
		Method: a.method, Path: path, RawQuery: raw, Header: header, Body: []byte(a.body),
		Settings: request.Settings{Schemas: []string{"public"}},
	})
}

func options() query.Options {
	limit := int64(1000)
	return query.Options{MaxRows: &limit, Aggregates: true, PlanEnabled: true}
}

func (a ask) plan(snap *schema.Snapshot) (*query.Plan, error) {
	req, err := a.parse()
	if err != nil {
		return nil, err
	}
	return query.Build(req, snap, options())
}

// render writes a plan for people: the request, the text, and what the parameters stand for.
func (a ask) render(p *query.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s %s\n", a.method, a.path)
	for name, values := range a.headers {
		fmt.Fprintf(&b, "-- %s: %s\n", name, strings.Join(values, ", "))
	}
	if a.body != "" {
		fmt.Fprintf(&b, "-- %s\n", a.body)
	}
	writeStatement(&b, p.Main)
	if p.Estimate != nil {
		writeStatement(&b, *p.Estimate)
	}
	return b.String()
}

func writeStatement(b *strings.Builder, s query.Statement) {
	breaks := strings.NewReplacer(
		" FROM ", "\nFROM ", " WHERE ", "\nWHERE ", " LEFT JOIN ", "\nLEFT JOIN ", " INNER JOIN ", "\nINNER JOIN ",
		" GROUP BY ", "\nGROUP BY ", " ORDER BY ", "\nORDER BY ", " LIMIT ", "\nLIMIT ", " RETURNING ", "\nRETURNING ",
		" ON CONFLICT ", "\nON CONFLICT ", ") SELECT ", ")\nSELECT ", " SET ", "\nSET ",
	)
	b.WriteString(breaks.Replace(s.SQL))
	b.WriteString(";\n")
	for i, a := range s.Args {
		fmt.Fprintf(b, "-- $%d = %s\n", i+1, a.Value)
	}
}

// TestStatements compares the statements of all kinds of requests with golden files, testdata/NAME.sql. Run it with
// -update after a change that is meant.
func TestStatements(t *testing.T) {
	t.Parallel()
	snap := snapshot(t)
	for name, asks := range statements() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := make([]string, len(asks))
			for i, a := range asks {
				plan, err := a.plan(snap)
				require.NoError(t, err, a.path)
				parts[i] = a.render(plan)
			}
			got, file := strings.Join(parts, "\n"), filepath.Join("testdata", name+".sql")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func statements() map[string][]ask {
	return map[string][]ask{
		"reads": {
			{method: "GET", path: "/projects"},
			{method: "HEAD", path: "/projects?select=id,title:name,n:id::text"},
			{method: "GET", path: "/clients?select=settings->a->>b,born->year&settings->>a=eq.x&limit=5&offset=2"},
			{method: "GET", path: "/projects?or=(id.eq.1,not.and(name.like.a*,tags.cs.{x}))&id=in.(1,2)&name=not.is.null&order=name.desc.nullslast,id"},
			{method: "GET", path: "/projects?id=gt(any).{1,2}&name=ilike(all).{a*,b*}&doc->n=isdistinct.1"},
			{method: "GET", path: "/projects?name=fts(english).cat&search=wfts.dog"},
			{method: "GET", path: "/projects", headers: accept("text/csv")},
			{method: "GET", path: "/projects?id=eq.1", headers: accept("application/vnd.pgrst.object+json;nulls=stripped")},
			{method: "GET", path: "/projects", headers: accept("application/vnd.pgrst.plan+json; options=analyze|buffers")},
		},
		"counts": {
			{method: "GET", path: "/projects?id=gt.1", headers: prefer("count=exact")},
			{method: "GET", path: "/projects?id=gt.1", headers: prefer("count=planned")},
			{method: "GET", path: "/projects?id=gt.1&select=*,clients!inner(name)&clients.name=eq.x", headers: prefer("count=estimated")},
			{method: "GET", path: "/projects?select=*,clients()&clients=not.is.null", headers: prefer("count=exact")},
		},
		"embeds": {
			{method: "GET", path: "/projects?select=id,client:clients(name)"},
			{method: "GET", path: "/clients?select=name,projects(id,people!projects_lead_fkey(name))&projects.id=gt.1&projects.order=id&projects.limit=3"},
			{method: "GET", path: "/projects?select=id,people!members(name)&people.name=eq.x"},
			{method: "GET", path: "/people?select=name,manager_id(name),people!manager_id(name),passports(code)"},
			{method: "GET", path: "/clients?select=name,active(id)"},
			{method: "GET", path: "/project_names?select=name,clients!inner(name)"},
			{method: "GET", path: "/projects?select=id,clients(name)&order=clients(name).desc"},
			{method: "GET", path: "/projects?select=id,clients()&clients=is.null"},
		},
		"spreads": {
			{method: "GET", path: "/projects?select=id,...clients(client:name,born)"},
			{method: "GET", path: "/clients?select=name,...projects(ids:id,name)&projects.order=name.desc"},
			{method: "GET", path: "/members?select=...projects(name,...clients(*))"},
		},
		"aggregates": {
			{method: "GET", path: "/projects?select=count()"},
			{method: "GET", path: "/projects?select=client_id,total:id.sum()::text,id::numeric.avg()"},
			{method: "GET", path: "/projects?select=name,...clients(born.max(),count())"},
			{method: "GET", path: "/clients?select=*,projects(count())"},
		},
		"writes": {
			{method: "POST", path: "/projects", body: `{"id":1,"name":"x"}`},
			{method: "POST", path: "/projects?select=id,clients(name)", body: `[{"id":1}]`, headers: prefer("return=representation")},
			{method: "POST", path: "/projects?columns=id,name", body: `[{"id":1,"other":2}]`, headers: prefer("return=headers-only", "missing=default")},
			{method: "POST", path: "/projects", body: `{"id":1,"name":"x"}`, headers: prefer("resolution=merge-duplicates")},
			{method: "POST", path: "/projects?on_conflict=name", body: `[{"name":"x"}]`, headers: prefer("resolution=ignore-duplicates")},
			{method: "POST", path: "/projects", body: `[{},{}]`},
			{method: "POST", path: "/projects?select=id", body: `[{"id":1e3}]`},
			{method: "POST", path: "/projects", body: `[{"id":1,"doc":{"a":[]}}]`},
			{method: "POST", path: "/projects", body: `[{"id":1,"name":{"a":[]}}]`},
			{method: "PUT", path: "/projects?id=eq.1", body: `{"id":1,"name":"x"}`, headers: prefer("return=representation")},
			{method: "PATCH", path: "/projects?id=eq.1&or=(name.is.null,id.lt.9)", body: `{"name":null}`},
			{method: "PATCH", path: "/projects?id=eq.1&select=name", body: `{}`, headers: prefer("return=representation")},
			{method: "DELETE", path: "/projects?id=eq.1&select=name", headers: prefer("return=representation")},
			{method: "DELETE", path: "/projects"},
		},
		"calls": {
			{method: "GET", path: "/rpc/add?a=1&b=2"},
			{method: "POST", path: "/rpc/add", body: `{"a":1}`},
			{method: "GET", path: "/rpc/find?q=x&id=gt.1&select=id,clients(name)&order=id&limit=2", headers: prefer("count=exact")},
			{method: "GET", path: "/rpc/join_all?parts=a&parts=b"},
			{method: "POST", path: "/rpc/join_all", body: `{"parts":["a","b"]}`},
			{method: "POST", path: "/rpc/take", body: `{"any":"thing"}`},
			{method: "POST", path: "/rpc/wipe", body: `{}`},
		},
	}
}
