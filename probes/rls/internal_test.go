package rls

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

func TestRowsOfJSONKeepTheirOrderAndTheirDigits(t *testing.T) {
	t.Parallel()
	table, err := tableOf([]byte(`[{"b": 9007199254740993, "a": null}, {"b": 1.50, "a": "x"}]`), nil)
	require.NoError(t, err)
	assert.Equal(t, []probes.RLSColumn{{Name: "b"}, {Name: "a"}}, table.Columns)
	assert.Equal(t, [][]any{{json.Number("9007199254740993"), nil}, {json.Number("1.50"), "x"}}, table.Rows)

	table, err = tableOf([]byte(`[{"b": 1, "a": 2}]`), []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, [][]any{{json.Number("2"), json.Number("1")}}, table.Rows, "in the order that was asked for")

	table, err = tableOf([]byte(`{"id": 1, "id": 2}`), nil)
	require.NoError(t, err)
	assert.Equal(t, [][]any{{json.Number("1"), json.Number("2")}}, table.Rows, "one object, two columns of one name")

	table, err = tableOf([]byte(`"void"`), nil)
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"void"}}, table.Rows, "a bare value is a row")

	table, err = tableOf([]byte(`[]`), []string{"a"})
	require.NoError(t, err)
	assert.Empty(t, table.Rows)

	_, err = tableOf([]byte(`[{"a": 1}]`), []string{"b"})
	require.ErrorContains(t, err, `no column "b"`)
	_, err = tableOf([]byte(`[{"a": `), nil)
	require.Error(t, err)
}

func FuzzTableOf(f *testing.F) {
	for _, seed := range []string{`[{"a":1}]`, `{}`, `[]`, `1`, `[[1]]`, `[{"a":{"b":[]}},2]`, `[`, `null`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		table, err := tableOf(body, nil)
		if err == nil {
			assert.NotNil(t, table)
		}
	})
}

func TestChangesAreWhatIsNotInBoth(t *testing.T) {
	t.Parallel()
	before := map[string][]string{"public.a": {"(1)", "(1)", "(2)"}, "public.b": {"(x)"}, "public.gone": {"(y)"}, "public.empty": {}}
	now := map[string][]string{"public.a": {"(1)", "(3)"}, "public.b": {"(x)"}, "public.new": {"(z)"}}
	assert.Equal(t, []probes.RLSChange{
		{Table: "public.a", Removed: []string{"(1)", "(2)"}, Added: []string{"(3)"}},
		{Table: "public.gone", Removed: []string{"(y)"}},
		{Table: "public.new", Added: []string{"(z)"}},
	}, changes(before, now))
	assert.Empty(t, changes(before, before))
}

func TestTheOrderOfTheTestsCanBeChosen(t *testing.T) {
	t.Parallel()
	plan := NewPlan(&tasks.Task{ID: "T900", Tests: []tasks.Test{{ID: "a"}, {ID: "b"}}}, tasks.Readings{})
	order, err := plan.order(nil)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1}, order)
	order, err = plan.order([]int{1, 0})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 0}, order)
	_, err = plan.order([]int{2})
	require.EqualError(t, err, "task T900 has no test at position 2")
}

func TestUsersWhoseClaimsAuthDoesNotIssueAreNotSignedIn(t *testing.T) {
	t.Parallel()
	for reason, user := range map[string]tasks.User{
		"":                                       {Role: "authenticated", Claims: map[string]any{"app_metadata": nil, "email": "a@example.org", "aal": "aal2", "is_anonymous": false}},
		"Auth signs nobody in as editor":         {Role: "editor"},
		"signing in does not give the claim aal": {Role: "authenticated", Claims: map[string]any{"aal": "aal3"}},
		"Auth gives anonymous users ids of its own choice": {Role: "authenticated", Claims: map[string]any{"is_anonymous": true}},
		"signing in does not give the claim org":           {Role: "authenticated", Claims: map[string]any{"org": int64(1)}},
	} {
		assert.Equal(t, reason, notIssued(user))
	}
}

func TestAWrittenRequestAsksHowManyRowsAWriteTouches(t *testing.T) {
	t.Parallel()
	write := writtenRequest(&tasks.NativeRequest{Method: http.MethodPatch, Path: "/a", Headers: map[string]string{"Prefer": "return=minimal"}, Body: []byte(`{}`)})
	assert.Equal(t, []string{"return=minimal", "count=exact"}, write.Header["Prefer"])
	assert.Equal(t, "application/json", write.Header.Get("Content-Type"))
	read := writtenRequest(&tasks.NativeRequest{Method: http.MethodGet, Path: "/a"})
	assert.Empty(t, read.Header)
	assert.Equal(t, int64(3), totalOf("0-2/3"))
	assert.Equal(t, int64(0), totalOf("*/0"))
	assert.Equal(t, int64(-1), totalOf("0-2/*"))
	assert.Equal(t, int64(-1), totalOf(""))
}
