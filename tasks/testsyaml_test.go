package tasks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

const rest = "    query: select 1\n    expect: {count: 1}\n"

func TestUsersMayBeSpelledInManyWays(t *testing.T) {
	t.Parallel()
	id := "00000000-0000-4000-8000-00000000000b"
	signedIn := tasks.User{Role: "authenticated", Sub: id}
	for name, c := range map[string]struct {
		keys string
		want tasks.User
		form string
	}{
		"an alias":          {"    as: alice\n", tasks.User{Alias: "alice", Role: "authenticated", Sub: alice}, ""},
		"a role":            {"    role: anon\n", tasks.User{Alias: "anon", Role: "anon"}, ""},
		"an id":             {"    user: 00000000-0000-4000-8000-00000000000B\n", tasks.User{Alias: "00000000-0000-4000-8000-00000000000B", Role: "authenticated", Sub: id}, "users are given by id: role authenticated"},
		"in place":          {"    as: {role: authenticated, uid: " + id + "}\n", signedIn, ""},
		"role and id apart": {"    role: authenticated\n    user_id: " + id + "\n", tasks.User{Alias: "authenticated", Role: "authenticated", Sub: id}, "sub and claims stand beside the role"},
		"an id alone":       {"    sub: " + id + "\n", signedIn, "a user is given by sub alone: role authenticated"},
		"claims in place of role and sub": {
			"    as: {role: authenticated, claims: {sub: " + id + ", role: authenticated, aal: aal2}}\n",
			tasks.User{Role: "authenticated", Sub: id, Claims: map[string]any{"aal": "aal2"}},
			"claims repeat role or sub",
		},
		"claims beside role and sub": {
			"    as: {role: authenticated, sub: " + id + ", is_anonymous: true}\n",
			tasks.User{Role: "authenticated", Sub: id, Claims: map[string]any{"is_anonymous": true}},
			"claims stand beside role and sub",
		},
		"a role of the schema's own": {"    as: {role: auditor}\n", tasks.User{Role: "auditor"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := load(t, oneTest(c.keys+rest))
			require.Len(t, task.Tests, 1)
			assert.Equal(t, c.want, task.Tests[0].As)
			if c.form == "" {
				assert.Empty(t, task.Forms)
			} else {
				assert.Contains(t, task.Forms, c.form)
			}
		})
	}
}

func TestUsersMayBeAListOrBareIDs(t *testing.T) {
	t.Parallel()
	const tail = "\ntests: [{as: bob, rules: [R1], query: select 1, expect: {count: 1}}]"
	want := tasks.User{Alias: "bob", Role: "authenticated", Sub: alice}
	for form, head := range map[string]string{
		"users are a list":                 "users: [{name: bob, role: authenticated, sub: " + alice + "}]",
		"users are bare ids or roles":      "users: {bob: " + alice + "}",
		"tests without an id are numbered": "users: {bob: {role: authenticated, sub: " + alice + "}}",
	} {
		task := load(t, map[string]string{"tests.yaml": head + tail})
		assert.Equal(t, want, task.Users["bob"], form)
		assert.Equal(t, want, task.Tests[0].As, form)
		assert.Contains(t, task.Forms, form)
		assert.Equal(t, "t01", task.Tests[0].ID)
	}
	task := load(t, map[string]string{"tests.yaml": "- {as: anon, covers: R1, sql: select 1, expect: {count: 1}}"})
	assert.Contains(t, task.Forms, "tests.yaml is a bare list")
	assert.Equal(t, []string{"R1"}, task.Tests[0].Rules)
}

func TestOutcomesOfEachKindAreRead(t *testing.T) {
	t.Parallel()
	for expect, want := range map[string]tasks.Expect{
		"{rows: [[1, null], [2, x]]}": {Kind: "rows", Rows: [][]any{{int64(1), nil}, {int64(2), "x"}}},
		"{rows: [{b: 1, a: x}, {a: y, b: 2}], ordered: true}": {
			Kind: "rows", Columns: []string{"b", "a"}, Rows: [][]any{{int64(1), "x"}, {int64(2), "y"}}, Ordered: true,
		},
		"{rows: [1, 2]}":                      {Kind: "rows", Rows: [][]any{{int64(1)}, {int64(2)}}},
		"{rows: []}":                          {Kind: "rows", Rows: [][]any{}},
		"{count: 3}":                          {Kind: "count", Count: 3},
		"{affected: 0}":                       {Kind: "affected"},
		"{denied: true}":                      {Kind: "denied"},
		"denied":                              {Kind: "denied"},
		"{denied: filtered}":                  {Kind: "denied", Denied: tasks.DeniedFiltered},
		"{denied: any}":                       {Kind: "denied", Denied: tasks.DeniedAny},
		"{denied: error, sqlstate: 42501}":    {Kind: "denied", Denied: tasks.DeniedError, SQLState: "42501"},
		"{denied: true, sqlstate: \"PT403\"}": {Kind: "denied", SQLState: "PT403"},
	} {
		task := load(t, oneTest("    as: alice\n    query: select 1\n    expect: "+expect+"\n"))
		assert.Equal(t, want, task.Tests[0].Expect, expect)
	}
	task := load(t, oneTest("    as: alice\n    query: select 1\n    ordered: true\n    expect: {rows: [[1]]}\n"))
	assert.True(t, task.Tests[0].Expect.Ordered)
}

func TestSetupAfterAndRequestsAreRead(t *testing.T) {
	t.Parallel()
	task := load(t, oneTest(`    as: alice
    setup: insert into notes values (3)
    query:
      - update notes set body = 'x' where id = 1;
      - select 1
    expect: {affected: 1}
    after: {query: select id from notes, rows: [[1]], ordered: true}
    api:
      method: patch
      path: /notes?id=eq.1
      headers: {Prefer: return=representation}
      body: {body: x, n: 1}
      status: 200
      expect: {rows: [{id: 1}]}
`))
	test := task.Tests[0]
	assert.Equal(t, "insert into notes values (3)", test.Setup)
	assert.Equal(t, "update notes set body = 'x' where id = 1;\nselect 1;", test.Query)
	assert.Equal(t, &tasks.After{
		Query:  "select id from notes",
		Expect: tasks.Expect{Kind: tasks.KindRows, Rows: [][]any{{int64(1)}}, Ordered: true},
	}, test.After)
	require.NotNil(t, test.API)
	assert.JSONEq(t, `{"body": "x", "n": 1}`, string(test.API.Body))
	test.API.Body = nil
	assert.Equal(t, &tasks.NativeRequest{
		Method: "PATCH", Path: "/notes?id=eq.1", Headers: map[string]string{"Prefer": "return=representation"}, Status: 200,
		Expect: &tasks.Expect{Kind: tasks.KindRows, Columns: []string{"id"}, Rows: [][]any{{int64(1)}}},
	}, test.API)
	task = load(t, oneTest("    as: alice\n    skip_api: partitions have no endpoint\n"+rest))
	assert.Equal(t, "partitions have no endpoint", task.Tests[0].SkipAPI)
}

func TestFaultsOfATestAreSaidAtTheirPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ keys, problem, hint string }{
		"an unknown key":            {"    as: alice\n    qery: x\n" + rest, `:6:5: unknown key "qery"`, `did you mean "query"?`},
		"no user":                   {rest, ":3:5: the test has no user", `name the user: "as: alice", "as: anon" or "as: {role, sub, claims}"`},
		"a user nobody declared":    {"    as: alise\n" + rest, `:5:9: there is no user "alise"`, `did you mean "alice"?`},
		"two words for the user":    {"    as: alice\n    role: anon\n" + rest, `:6:5: keys "as" and "role" mean the same`, "remove one of them"},
		"a user described twice":    {"    as: alice\n    sub: " + alice + "\n" + rest, ":5:9: the user is described twice", "write sub and claims in one place"},
		"an id that is none":        {"    as: {role: authenticated, sub: alice}\n" + rest, `:5:36: "alice" is no uuid`, "write the id out"},
		"a claim that disagrees":    {"    as: {role: anon, claims: {role: authenticated}}\n" + rest, `:5:31: claim "role" says "authenticated" but the user has "anon"`, "a token has one of each"},
		"a role that is no name":    {"    as: {role: \"x; drop\"}\n" + rest, `"x; drop" is no role`, `for example "authenticated"`},
		"no query":                  {"    as: alice\n    expect: {count: 1}\n", ":3:5: there is no query", ""},
		"a blank query":             {"    as: alice\n    query: ' '\n    expect: {count: 1}\n", ":6:12: the query is blank", ""},
		"no expectation":            {"    as: alice\n    query: select 1\n", ":3:5: the test expects nothing", `for example "expect: {rows: [[1]]}"`},
		"two outcomes":              {"    as: alice\n    query: x\n    expect: {count: 1, affected: 1}\n", ":7:13: 2 outcomes are expected", `write exactly one of "rows", "count", "affected", "denied"`},
		"an outcome below zero":     {"    as: alice\n    query: x\n    expect: {count: -1}\n", "-1 is less than nothing", ""},
		"denied: false":             {"    as: alice\n    query: x\n    expect: {denied: false}\n", `"denied: false" says nothing`, `expect "rows", "count" or "affected" instead`},
		"an unknown refusal":        {"    as: alice\n    query: x\n    expect: {denied: no}\n", `unknown refusal "no"`, "known: true, any, error, filtered"},
		"rows of two shapes":        {"    as: alice\n    query: x\n    expect: {rows: [[1], [1, 2]]}\n", ":7:26: the row has 2 values, the first has 1", "a query returns rows of one shape"},
		"rows of two forms":         {"    as: alice\n    query: x\n    expect: {rows: [{a: 1}, [1]]}\n", "a row is a list, the ones before are mappings", "write all rows in one form"},
		"rows of two other forms":   {"    as: alice\n    query: x\n    expect: {rows: [[1], {a: 1}]}\n", "a row is a mapping, the ones before are lists", "write all rows in one form"},
		"a column of its own":       {"    as: alice\n    query: x\n    expect: {rows: [{ab: 1}, {abc: 1}]}\n", `column "abc" is not in the first row`, `did you mean "ab"?`},
		"a missing column":          {"    as: alice\n    query: x\n    expect: {rows: [{a: 1, b: 2}, {a: 1}]}\n", "the row lacks columns of the first row: a, b", "write null for no value"},
		"an order of a number":      {"    as: alice\n    query: x\n    expect: {count: 1, ordered: true}\n", `"ordered" says something of "rows" only`, ""},
		"a SQLSTATE of success":     {"    as: alice\n    query: x\n    sqlstate: 42501\n    expect: {count: 1}\n", `"sqlstate" says something of "denied" only`, ""},
		"a SQLSTATE that is none":   {"    as: alice\n    query: x\n    expect: {denied: true, sqlstate: 4250}\n", `"4250" is no SQLSTATE`, `for example "42501"`},
		"a rule id that is none":    {"    as: alice\n" + rest, "", ""},
		"a look that changes":       {"    as: alice\n    after: {query: x, expect: {affected: 1}}\n" + rest, `the owner only looks: "affected" does not fit`, `use "rows" or "count"`},
		"a look without outcome":    {"    as: alice\n    after: {query: x}\n" + rest, `the owner's check has exactly one of "expect", "rows", "count"`, ""},
		"a look that is a text":     {"    as: alice\n    after: select 1\n" + rest, "the owner's check needs a query and what it returns", `for example "after: {query: …, rows: […]}"`},
		"a request nowhere":         {"    as: alice\n    api: {path: notes}\n" + rest, `the path "notes" does not begin with a slash`, `for example "/notes?select=id"`},
		"a method that is none":     {"    as: alice\n    api: {method: PUTS, path: /x}\n" + rest, `unknown method "PUTS"`, `did you mean "PUT"?`},
		"a request that is skipped": {"    as: alice\n    skip_api: x\n    api: {path: /x}\n" + rest, `"api" and "skip_api" exclude each other`, "remove one of them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := oneTest(c.keys)
			if c.problem == "" {
				files["tests.yaml"] = "tests: [{as: anon, rules: [R1, r2], query: x, expect: {count: 1}}]"
				c.problem, c.hint = `:1:32: "r2" is no rule id`, `rules are named "R1", "R2", …`
			}
			_, err := tasks.Load(with(files), dir)
			var fileErr *tasks.FileError
			require.ErrorAs(t, err, &fileErr)
			assert.Contains(t, fileErr.Error(), "T001-own-notes/tests.yaml:")
			assert.Contains(t, fileErr.Error(), c.problem)
			assert.Equal(t, c.hint, fileErr.Hint())
		})
	}
}

func TestFaultsOfAFileAreSaid(t *testing.T) {
	t.Parallel()
	test := "{id: a, as: anon, rules: [R1], query: x, expect: {count: 1}}"
	for text, problem := range map[string]string{
		"version: 2\ntests: [" + test + "]":   "this version of tests.yaml is not known",
		"users: {}":                           "there are no tests",
		"tests: []":                           "there are no tests",
		"[]":                                  "there are no tests",
		"tests: [" + test + ", " + test + "]": `test "a" is there twice`,
		"tests: [x]":                          "expected a mapping, found a text",
		"users: {a: {sub: " + alice + "}}\ntests: [" + test + "]": "the user has no role",
		"users: [{role: anon}]\ntests: [" + test + "]":            "the user has no name",
		"tests: [" + test + "\n":                                  "",
	} {
		_, err := tasks.Load(with(map[string]string{"tests.yaml": text}), dir)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), problem)
	}
}

func TestATokenHasTheClaimsThatAuthGives(t *testing.T) {
	t.Parallel()
	user := tasks.User{Role: "authenticated", Sub: alice, Claims: map[string]any{
		"app_metadata": map[string]any{"org": int64(1)}, "aal": "aal2",
	}}
	claims := user.TokenClaims(tasks.ClaimsToken)
	session, _ := claims["session_id"].(string)
	assert.Len(t, session, 36)
	delete(claims, "session_id")
	assert.Equal(t, map[string]any{
		"role": "authenticated", "sub": alice, "aud": "authenticated", "aal": "aal2", "email": "", "phone": "", "is_anonymous": false,
		"app_metadata": map[string]any{"org": int64(1)}, "user_metadata": map[string]any{},
	}, claims)
	claims["app_metadata"].(map[string]any)["org"] = int64(2) //nolint:forcetypeassert // asserted above
	assert.Equal(t, map[string]any{"org": int64(1)}, user.Claims["app_metadata"], "the map belongs to the caller")
	assert.Equal(t, map[string]any{
		"role": "authenticated", "sub": alice, "aal": "aal2", "app_metadata": map[string]any{"org": int64(1)},
	}, user.TokenClaims(tasks.ClaimsGiven))
	assert.Equal(t, map[string]any{"role": "anon"}, tasks.User{Role: "anon"}.TokenClaims(""))
}
