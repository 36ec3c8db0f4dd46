package query_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func escapeQuery(text string) string { return url.QueryEscape(text) }

// FuzzValuesStayOutOfTheText plans requests with arbitrary values: whatever the value, the statement is the one that any
// other value gives.
func FuzzValuesStayOutOfTheText(f *testing.F) {
	for _, seed := range []string{"1", "'", `\`, "a,b", "$1", "null"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		snap := snapshot(t)
		for _, template := range []string{"/projects?name=eq.%s", "/rpc/find?q=%s", "/projects?name=like(any).%s"} {
			plan, err := ask{method: "GET", path: fmt.Sprintf(template, escapeQuery(value))}.plan(snap)
			if err != nil {
				continue // not a value that the grammar takes
			}
			plain, err := ask{method: "GET", path: fmt.Sprintf(template, "x")}.plan(snap)
			require.NoError(t, err)
			require.Equal(t, plain.Main.SQL, plan.Main.SQL)
		}
	})
}

// FuzzPlansAreDeterministic plans arbitrary query strings: planning must not panic, and give the same text twice.
func FuzzPlansAreDeterministic(f *testing.F) {
	for _, seed := range []string{
		"select=*,clients(*)", "select=id,...people!members(name)&order=clients(name)", "id=eq.1&or=(a.eq.1,b.is.null)",
		"select=count(),name&limit=0", "clients=is.null&select=clients()",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		snap := snapshot(t)
		first, err := ask{method: "GET", path: "/projects?" + raw}.plan(snap)
		again, errAgain := ask{method: "GET", path: "/projects?" + raw}.plan(snap)
		require.Equal(t, err == nil, errAgain == nil)
		if err == nil {
			require.Equal(t, first, again)
		}
	})
}
