package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/rest/apierror"
	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/schema"
)

// TestAStatementIsTheSameForAllValues plans each request with many values. Values must be arguments only, so that neither
// SQL can be smuggled in nor a prepared statement be missed.
func TestAStatementIsTheSameForAllValues(t *testing.T) {
	t.Parallel()
	snap := snapshot(t)
	for _, template := range valueTemplates() {
		want := mustPlan(t, snap, template, "1")
		for _, value := range []string{"2", "'", `"`, "x; drop table y", "$1", "null", "E'", "%", "--", "/*"} {
			got := mustPlan(t, snap, template, value)
			assert.Equal(t, want.Main.SQL, got.Main.SQL, "%s with %q", template, value)
		}
	}
}

func valueTemplates() []string {
	return []string{
		"/projects?id=eq.%s", "/projects?name=like.%s", "/projects?name=in.(\"%s\",b)", "/projects?doc->>a=eq.%s",
		"/projects?tags=cs.{\"%s\"}", "/projects?name=plfts.%s", "/projects?select=id,clients(name)&clients.name=eq.%s",
		"/rpc/find?q=%s", "/rpc/join_all?parts=%s",
	}
}

func mustPlan(t *testing.T, snap *schema.Snapshot, template, value string) *query.Plan {
	t.Helper()
	value = strings.ReplaceAll(value, `"`, `\"`)
	plan, err := ask{method: "GET", path: fmt.Sprintf(template, strings.ReplaceAll(escapeQuery(value), "+", "%20"))}.plan(snap)
	require.NoError(t, err, "%s with %q", template, value)
	return plan
}

func TestPlanningErrors(t *testing.T) {
	t.Parallel()
	snap := snapshot(t)
	for name, c := range map[string]struct {
		ask    ask
		status int
		code   string
		says   string
	}{
		"an unknown relation":                 {ask{method: "GET", path: "/projectz"}, 404, "PGRST205", "Could not find the table 'public.projectz' in the schema cache"},
		"an unknown column in the body":       {ask{method: "POST", path: "/projects", body: `{"nope":1}`}, 400, "PGRST204", "Could not find the 'nope' column of 'projects' in the schema cache"},
		"an embed that is not related":        {ask{method: "GET", path: "/clients?select=passports(code)"}, 400, "PGRST200", "Could not find a relationship between 'clients' and 'passports' in the schema cache"},
		"an embed with several relationships": {ask{method: "GET", path: "/projects?select=people(name)"}, 300, "PGRST201", "Could not embed because more than one relationship was found for 'projects' and 'people'"},
		"a filter on what is not embedded":    {ask{method: "GET", path: "/projects?clients.name=eq.x"}, 400, "PGRST108", "'clients' is not an embedded resource in this request"},
		"an order by a list":                  {ask{method: "GET", path: "/clients?select=projects(id)&order=projects(id)"}, 400, "PGRST118", "A related order on 'projects' is not possible"},
		"an unknown function":                 {ask{method: "POST", path: "/rpc/ad", body: `{}`}, 404, "PGRST202", "Could not find the function public.ad without parameters in the schema cache"},
		"wrong arguments":                     {ask{method: "GET", path: "/rpc/add?c=1"}, 404, "PGRST202", "Could not find the function public.add(c) in the schema cache"},
		"overloads with the same names":       {ask{method: "GET", path: "/rpc/same?x=1"}, 300, "PGRST203", "Could not choose the best candidate function between: public.same(x => integer), public.same(x => text)"},
		"PUT without the whole key":           {ask{method: "PUT", path: "/members?project_id=eq.1", body: `{"project_id":1,"person_id":1}`}, 405, "PGRST105", "Filters must include all and only primary key columns with 'eq' operators"},
		"a media type nobody makes":           {ask{method: "GET", path: "/projects", headers: accept("image/png")}, 406, "PGRST107", "None of these media types are available: image/png"},
		"aggregates in a list of spreads":     {ask{method: "GET", path: "/clients?select=...projects(count())"}, 400, "PGRST127", "Feature not implemented"},
		"preferences that are not known":      {ask{method: "GET", path: "/projects", headers: prefer("handling=strict, nope=1")}, 400, "PGRST122", "Invalid preferences given with handling=strict"},
		"a maximum on one row":                {ask{method: "POST", path: "/rpc/add", body: `{"a":1}`, headers: prefer("handling=strict, max-affected=1")}, 400, "PGRST128", "Function must return SETOF or TABLE when max-affected preference is used with handling=strict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.ask.plan(snap)
			var api *apierror.Error
			require.ErrorAs(t, err, &api)
			assert.Equal(t, c.status, api.Status)
			assert.Equal(t, c.code, api.Code)
			assert.Equal(t, c.says, api.Message)
		})
	}
}

func TestHintsNameWhatIsClose(t *testing.T) {
	t.Parallel()
	snap := snapshot(t)
	for path, want := range map[string]any{
		"/projectz":                       "Perhaps you meant the table 'public.projects'",
		"/zzz":                            nil,
		"/projects?select=client(name)":   "Perhaps you meant 'clients' instead of 'client'.",
		"/rpc/fnd?q=1":                    "Perhaps you meant to call the function public.find",
		"/rpc/add?a=1&c=2":                "Perhaps you meant to call the function public.add(a, b)",
		"/projects?select=clients!no(id)": nil,
		"/rpc/find":                       nil, // brackets make no two lists of parameters alike
		"/rpc/find?any_q=1":               "Perhaps you meant to call the function public.find(q)",
		"/rpc/find?other=1":               nil,
	} {
		_, err := ask{method: "GET", path: path}.plan(snap)
		var api *apierror.Error
		require.ErrorAs(t, err, &api, path)
		assert.Equal(t, want, api.Hint, path)
	}
}
