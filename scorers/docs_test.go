package scorers

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

const guideURL = "https://supabase.com/docs/guides/api/custom-claims-and-role-based-access-control-rbac"

func TestAllSpellingsOfAPageAreThePageAndNothingElseIs(t *testing.T) {
	t.Parallel()
	page := docsRead{Hosts: []string{"supabase.com"}, Paths: []string{"/docs/guides/api/rbac", "/docs/guides/database/rbac"}}
	for url, want := range map[string]bool{
		"https://supabase.com/docs/guides/api/rbac":                  true,
		"https://supabase.com/docs/guides/api/rbac.md":               true,
		"https://supabase.com/docs/guides/api/rbac/":                 true,
		"https://supabase.com/docs/guides/api/rbac.md?x=1#section":   true,
		"https://supabase.com/docs/guides/api/rbac?queryGroups=lang": true,
		"https://supabase.com/docs/guides/api/rbac#grants":           true,
		"https://supabase.com//docs/guides/./api/rbac":               true,
		"https://supabase.com/docs/guides/database/rbac":             true,
		"http://supabase.com/docs/guides/api/rbac":                   true,
		"https://SUPABASE.com/docs/guides/api/rbac":                  true,
		"https://supabase.com:443/docs/guides/api/rbac":              true,
		" https://supabase.com/docs/guides/api/rbac ":                true,
		"https://www.supabase.com/docs/guides/api/rbac":              false,
		"https://supabase.com.evil.example/docs/guides/api/rbac":     false,
		"https://api.supabase.com/docs/guides/api/rbac":              false,
		"https://evil.example/?u=supabase.com/docs/guides/api/rbac":  false,
		"https://supabase.com@evil.example/docs/guides/api/rbac":     false,
		"https://supabase.com/docs/guides/api/rbac-other":            false,
		"https://supabase.com/docs/guides/api":                       false,
		"https://supabase.com/docs/guides/api/rbac/more":             false,
		"https://supabase.com/blog/docs/guides/api/rbac":             false,
		"supabase.com/docs/guides/api/rbac":                          false,
		"file:///docs/guides/api/rbac":                               false,
		"https://supabase.com/docs/guides/api/%zz":                   false,
		"": false,
	} {
		assert.Equal(t, want, page.reaches(url), url)
	}
}

func TestAGuideIsReadWhenOneLookUpBroughtItsContent(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	call := func(source, url string, content *bool, line int) probes.DocsCall {
		return probes.DocsCall{Source: source, HasContent: content, Line: line, Pages: []probes.DocsPage{{URL: url}}}
	}
	const other = "https://supabase.com/docs/guides/auth"
	for _, test := range []struct {
		name   string
		docs   *probes.DocsObservation
		status evals.Status
		note   []string
	}{
		{"no transcript", nil, evals.StatusUnmeasured, []string{"no transcript"}},
		{
			"read", &probes.DocsObservation{Calls: []probes.DocsCall{call("web_fetch", guideURL, &yes, 7)}},
			evals.StatusPass,
			[]string{"the Custom Claims and RBAC guide was read: web_fetch on line 7"},
		},
		{
			"read as Markdown at its former path", &probes.DocsObservation{Calls: []probes.DocsCall{call("shell_fetch",
				"https://supabase.com/docs/guides/database/postgres/custom-claims-and-role-based-access-control-rbac.md", &yes, 0)}},
			evals.StatusPass,
			[]string{"shell_fetch"},
		},
		{
			"reached first without and then with content",
			&probes.DocsObservation{Calls: []probes.DocsCall{call("web_search", guideURL, nil, 1), call("web_fetch", guideURL, &yes, 2)}},
			evals.StatusPass,
			[]string{"web_fetch on line 2"},
		},
		{
			"reached without content", &probes.DocsObservation{Lines: 5, Calls: []probes.DocsCall{call("search_docs", guideURL, &no, 3)}},
			evals.StatusFail,
			[]string{"reached without content: search_docs on line 3 (no content)"},
		},
		{
			"reached, and nobody knows", &probes.DocsObservation{Lines: 5, Calls: []probes.DocsCall{{
				Source: "shell_fetch", Why: "curl without -f", Pages: []probes.DocsPage{{URL: guideURL}},
			}}},
			evals.StatusFail,
			[]string{"shell_fetch (unknown whether it brought content: curl without -f)"},
		},
		{
			"another page", &probes.DocsObservation{Lines: 5, Calls: []probes.DocsCall{call("web_fetch", other, &yes, 3)}},
			evals.StatusFail,
			[]string{"it was not reached", "1 look-ups reached " + other},
		},
		{
			"another host", &probes.DocsObservation{Lines: 5, Calls: []probes.DocsCall{call("web_fetch",
				"https://supabase.com.evil.example/docs/guides/api/custom-claims-and-role-based-access-control-rbac", &yes, 3)}},
			evals.StatusFail,
			[]string{"it was not reached"},
		},
		{
			"five other pages", &probes.DocsObservation{Lines: 5, Calls: []probes.DocsCall{
				call("web_fetch", other+"/1", &yes, 1), call("web_fetch", other+"/2", &yes, 2), call("web_fetch", other+"/2", &yes, 2),
				call("web_fetch", other+"/3", &yes, 3), call("web_fetch", other+"/4", &yes, 4),
			}},
			evals.StatusFail,
			[]string{"5 look-ups reached", "and 1 more"},
		},
		{
			"a search that reached nothing", &probes.DocsObservation{Lines: 5, Calls: []probes.DocsCall{{Source: "web_search"}}},
			evals.StatusFail,
			[]string{"1 look-ups reached no page"},
		},
		{
			"no look-up", &probes.DocsObservation{Format: "codex", Lines: 12},
			evals.StatusFail,
			[]string{"the codex transcript of 12 lines has no documentation look-up"},
		},
		{
			"a transcript that was cut", &probes.DocsObservation{Lines: 12, Cut: "larger than 64 MiB"},
			evals.StatusUnmeasured,
			[]string{"not read to its end: larger than 64 MiB"},
		},
		{
			"a transcript that was cut after the read",
			&probes.DocsObservation{Cut: "larger than 64 MiB", Calls: []probes.DocsCall{call("web_fetch", guideURL, &yes, 7)}},
			evals.StatusPass, nil,
		},
		{
			"a transcript of which nothing can be read",
			&probes.DocsObservation{Lines: 1, Errors: []probes.TranscriptError{{Line: 1, Problem: "not JSON"}}},
			evals.StatusUnmeasured,
			[]string{"no line of the transcript could be read (line 1: not JSON)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			seen.Docs = test.docs
			check := byID(t, judge(t, seen), "guide-read")
			assert.Equal(t, test.status, check.Status, check.Note)
			assert.Equal(t, evals.ClassEvidence, check.Class)
			for _, part := range test.note {
				assert.Contains(t, check.Note, part)
			}
		})
	}
}
