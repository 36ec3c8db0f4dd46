package request

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/rest/apierror"
)

func input(method, target string) Input {
	path, query, _ := strings.Cut(target, "?")
	return Input{
		Method: method, Path: path, RawQuery: query, Header: http.Header{},
		Settings: Settings{Schemas: []string{"public", "api"}},
	}
}

func mustParse(t *testing.T, in Input) *Request {
	t.Helper()
	req, err := Parse(in)
	require.NoError(t, err)
	return req
}

func parseError(t *testing.T, in Input) *apierror.Error {
	t.Helper()
	_, err := Parse(in)
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestAPathNamesARelationAFunctionOrTheRoot(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]Target{
		"/":               {Kind: TargetRoot},
		"":                {Kind: TargetRoot},
		"/films":          {TargetRelation, "films"},
		"/rpc":            {TargetRelation, "rpc"},
		"/rpc/add":        {TargetFunction, "add"},
		"/a%20b":          {TargetRelation, "a b"},
		"/a%2Fb":          {TargetRelation, "a/b"},
		"/caf%C3%A9":      {TargetRelation, "café"},
		"/rpc/%22odd%22":  {TargetFunction, `"odd"`},
		"/%zz":            {TargetRelation, "%zz"},
		"/plus+is%2Bplus": {TargetRelation, "plus+is+plus"},
	} {
		assert.Equal(t, want, mustParse(t, input("GET", path)).Target, path)
	}
	for _, path := range []string{"//films", "/films/", "/films/1", "/rpc/add/1", "/rpc/", "//"} {
		if path == "/rpc/" {
			assert.Equal(t, Target{TargetFunction, ""}, mustParse(t, input("GET", path)).Target, "a function without a name")
			continue
		}
		assert.Equal(t, "PGRST125", parseError(t, input("GET", path)).Code, path)
	}
}

func TestARootFunctionAnswersTheRoot(t *testing.T) {
	t.Parallel()
	in := input("GET", "/")
	in.Settings.RootFunction = "api.welcome"
	req := mustParse(t, in)
	assert.Equal(t, Target{TargetFunction, "welcome"}, req.Target)
	assert.Equal(t, ActionCall, req.Action)
	in.Settings.OpenAPIDisabled = true
	assert.Equal(t, "PGRST126", parseError(t, in).Code)
}

func TestAMethodDecidesTheAction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path string
		want         Action
	}{
		{"GET", "/t", ActionRead},
		{"HEAD", "/t", ActionRead},
		{"POST", "/t", ActionInsert},
		{"PATCH", "/t", ActionUpdate},
		{"PUT", "/t", ActionUpsertOne},
		{"DELETE", "/t", ActionDelete},
		{"OPTIONS", "/t", ActionOptions},
		{"GET", "/rpc/f", ActionCall},
		{"POST", "/rpc/f", ActionCall},
		{"OPTIONS", "/rpc/f", ActionOptions},
		{"GET", "/", ActionOpenAPI},
	} {
		in := input(c.method, c.path)
		in.Body = []byte("{}")
		assert.Equal(t, c.want, mustParse(t, in).Action, "%s %s", c.method, c.path)
	}
	assert.True(t, mustParse(t, input("HEAD", "/t")).HeadersOnly)
	assert.Equal(t, "PGRST101", parseError(t, input("DELETE", "/rpc/f")).Code)
	assert.Equal(t, "PGRST117", parseError(t, input("POST", "/")).Code)
	assert.Equal(t, "PGRST117", parseError(t, input("get", "/t")).Code)
}

func TestWritesAndReadsChooseTheSchemaByDifferentHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, want string }{{"GET", "api"}, {"HEAD", "api"}, {"OPTIONS", "api"}, {"POST", "public"}, {"DELETE", "public"}} {
		in := input(c.method, "/t")
		in.Header.Set("Accept-Profile", "api")
		in.Body = []byte("{}")
		req := mustParse(t, in)
		assert.Equal(t, c.want, req.Schema, c.method)
		assert.True(t, req.ContentProfile)
	}
	in := input("PATCH", "/t")
	in.Header.Set("Content-Profile", "secret")
	e := parseError(t, in)
	assert.Equal(t, "Invalid schema: secret", e.Message)
	assert.Equal(t, "Only the following schemas are exposed: public, api", e.Hint)
	assert.Equal(t, 406, e.Status)

	in = input("GET", "/t")
	in.Settings.Schemas = []string{"public"}
	assert.False(t, mustParse(t, in).ContentProfile, "there is no choice")
}

func TestFiltersOrdersAndLimitsFindTheirEmbed(t *testing.T) {
	t.Parallel()
	req := mustParse(t, input("GET", "/films?select=*,crew:people!inner(name,city(id))&id=gt.1&crew.age=lt.30&people.city.id=eq.7"+
		"&crew.or=(a.is.null,b.is.true)&crew.order=name.desc&crew.limit=3&crew.offset=1&order=id&limit=5"))
	root := req.Read
	require.Len(t, root.Embeds(), 1)
	crew := root.Embeds()[0]
	assert.Equal(t, "people", crew.Name)
	assert.Equal(t, "crew", crew.Key())
	assert.Equal(t, JoinInner, crew.Join)
	require.Len(t, root.Where, 1)
	assert.Equal(t, Filter{Field: Field{Name: "id"}, Operator: OpGt, Value: "1"}, *root.Where[0].Filter)
	require.Len(t, crew.Where, 2)
	assert.Equal(t, OpLt, crew.Where[0].Filter.Operator)
	assert.Equal(t, LogicOr, crew.Where[1].Operator)
	assert.Equal(t, []OrderTerm{{Field: Field{Name: "name"}, Direction: DirectionDesc}}, crew.Order)
	assert.Equal(t, Range{Offset: 1, Limit: new(int64(3))}, crew.Range)
	assert.Equal(t, Range{Limit: new(int64(5))}, root.Range)
	require.Len(t, crew.Embeds(), 1)
	require.Len(t, crew.Embeds()[0].Where, 1)
	assert.Nil(t, req.MissingEmbed)
}

func TestAFilterOnWhatIsNotEmbeddedIsRemembered(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"people.age=eq.1":                                 "people",
		"select=people(*)&people.city.id=eq.1":            "city",
		"a.x=eq.1&b.x=eq.1":                               "b",
		"a.order=x&b.x=eq.1":                              "b",
		"a.or=(x.eq.1,y.eq.2)&b.limit=1":                  "b",
		"select=crew:people(*)&crew.x=eq.1&other.limit=1": "other",
	} {
		req := mustParse(t, input("GET", "/films?"+query))
		require.NotNil(t, req.MissingEmbed, query)
		assert.Equal(t, want, *req.MissingEmbed, query)
	}
}

func TestRootFiltersOfAWriteChooseTheRowsToWrite(t *testing.T) {
	t.Parallel()
	in := input("PATCH", "/films?id=eq.1&or=(a.eq.1,b.eq.2)&crew.x=eq.3&select=id,crew(*)&order=id&limit=1")
	in.Body = []byte(`{"title":"x"}`)
	req := mustParse(t, in)
	require.Len(t, req.Where, 2)
	assert.Equal(t, "id", req.Where[0].Filter.Field.Name)
	assert.Equal(t, LogicOr, req.Where[1].Operator)
	assert.Empty(t, req.Read.Where)
	assert.Len(t, req.Read.Embeds()[0].Where, 1)
	assert.Equal(t, []OrderTerm{{Field: Field{Name: "id"}}}, req.Read.Order)
	assert.True(t, req.Read.Range.All())
}

func TestArgumentsOfAFunctionAreWhatIsNoFilter(t *testing.T) {
	t.Parallel()
	req := mustParse(t, input("GET", "/rpc/f?a=1&b=&c=eq.2&a=x.y&select=id"))
	assert.Equal(t, []Arg{{"a", "1"}, {"b", ""}, {"a", "x.y"}}, req.Args)
	require.Len(t, req.Read.Where, 1)
	assert.Equal(t, "c", req.Read.Where[0].Filter.Field.Name)

	in := input("POST", "/rpc/f?c=eq.2")
	in.Body = []byte(`{"a":1}`)
	req = mustParse(t, in)
	assert.Empty(t, req.Args)
	assert.Equal(t, []string{"a"}, req.Payload.Keys)
	assert.Equal(t, "PGRST100", parseError(t, input("GET", "/rpc/f?a=not.sure")).Code, "not. begins a filter")
}

func TestNestingHasAnEnd(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"embeds":      "select=" + strings.Repeat("a(", 100_000),
		"logic trees": "or=" + strings.Repeat("(and", 100_000),
	} {
		e := parseError(t, input("GET", "/t?"+query))
		assert.Equal(t, "PGRST100", e.Code, name)
		assert.Equal(t, "unexpected nesting, which is too deep", e.Details, name)
	}
	deep := strings.Repeat("a(", maxDepth) + "id" + strings.Repeat(")", maxDepth)
	assert.NotNil(t, mustParse(t, input("GET", "/t?select="+deep)).Read)
}

func TestTextThatIsNotUTF8IsABareServerError(t *testing.T) {
	t.Parallel()
	e := parseError(t, input("GET", "/t?a=eq.%FF"))
	assert.Equal(t, 500, e.Status)
	assert.Equal(t, "Something went wrong", string(e.Body()))
}
