package docs

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/probes"
)

// The sources, as probes.DocsCall.Source names them.
const (
	sourceSearchDocs = "search_docs"
	sourceFetch      = "web_fetch"
	sourceSearch     = "web_search"
	sourceShell      = "shell_fetch"
)

// maxQuery bounds the query that is kept, in characters: a shell command may hold a
// whole file.
const maxQuery = 2000

// finder decides which calls are look-ups of documentation and whether they
// brought content. The rules are those of the docs results of supabase/evals, and
// stricter in one point: a call that failed, or that has no result, never counts
// as content, whatever its tool.
type finder struct {
	// hosts are exact host names, lower case.
	hosts []string
}

// find returns the look-up that a call is, false when it is none.
func (f finder) find(c *call) (probes.DocsCall, bool) {
	var found probes.DocsCall
	var ok bool
	switch c.kind {
	case kindSearchDocs:
		found, ok = f.searchDocs(c)
	case kindFetch:
		found, ok = f.fetch(c)
	case kindSearch:
		found, ok = f.search(c)
	case kindShell:
		found, ok = f.shell(c)
	}
	found.Line = c.line
	found.Query = cut(found.Query, maxQuery)
	found.ResultChars = resultChars(c.result)
	return found, ok
}

// content is the three-valued answer to "did the text come back", with its reason.
type content struct {
	has *bool
	why string
}

func yes(why string) content     { has := true; return content{&has, why} }
func no(why string) content      { has := false; return content{&has, why} }
func unknown(why string) content { return content{nil, why} }

// unless gives a call that failed or brought nothing its own answer.
func (c content) unless(r result) content {
	switch {
	case r.failed:
		return no("the call failed")
	case !r.present:
		return unknown("the transcript has no result of the call")
	default:
		return c
	}
}

func docsCall(source, query string, c content, pages []probes.DocsPage) probes.DocsCall {
	return probes.DocsCall{Source: source, Query: query, HasContent: c.has, Why: c.why, Pages: pages}
}

// searchDocs reads a call of the documentation's own search, whose argument is a
// GraphQL query. Without one it is no look-up.
func (f finder) searchDocs(c *call) (probes.DocsCall, bool) {
	args := event(c.args)
	query := first(args.text("graphql_query"), args.text("query"))
	if query == "" {
		return probes.DocsCall{}, false
	}
	answer := no("the query does not ask for content")
	if asksForContent(query) {
		answer = yes("the query asks for content")
	}
	return docsCall(sourceSearchDocs, query, answer.unless(c.result), f.pages(c.result)), true
}

// graphQLText matches what a GraphQL query only quotes: block strings, strings and
// comments.
var graphQLText = regexp.MustCompile(`(?s)"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*`)

var contentWord = regexp.MustCompile(`\bcontent\b`)

// asksForContent reports whether a GraphQL query selects the field content.
func asksForContent(query string) bool {
	return contentWord.MatchString(graphQLText.ReplaceAllString(query, " "))
}

// fetch reads a call of a tool that fetches one address and returns its text, or
// an answer that a model gave about it.
func (f finder) fetch(c *call) (probes.DocsCall, bool) {
	args := event(c.args)
	address := args.text("url")
	if !f.onHost(address) {
		return probes.DocsCall{}, false
	}
	query := first(args.text("prompt"), address)
	return docsCall(sourceFetch, query, yes("the tool returns the page").unless(c.result), []probes.DocsPage{{URL: address}}), true
}

// search reads a call of a web search. Codex files opening a page under the same
// name and tells by the action, which newer versions call other.
func (f finder) search(c *call) (probes.DocsCall, bool) {
	args := event(c.args)
	action := args.object("action")
	name := first(action.text("type"), args.text("action"))
	query := first(args.text("query"), action.text("query"))
	mentioned := strings.Contains(strings.ToLower(query), "supabase")
	switch name {
	case "open_page", "find_in_page":
		address := first(action.text("url"), args.text("url"))
		return docsCall(sourceSearch, first(query, address), orFailed(yes("the page was opened"), c.result),
			[]probes.DocsPage{{URL: address}}), f.onHost(address)
	case "search":
		return docsCall(sourceSearch, query, unknown("the results of the search are not in the transcript"), nil), mentioned
	}
	if isAddress(query) {
		answer := unknown("the query is an address, and nothing says that it was opened")
		if name == "other" {
			answer = yes("the address was opened")
		}
		return docsCall(sourceSearch, query, orFailed(answer, c.result), []probes.DocsPage{{URL: query}}), f.onHost(query)
	}
	pages := f.pages(c.result)
	answer := unknown("the search lists no page of the documentation")
	if len(pages) > 0 {
		answer = no("a search lists pages without their text")
	}
	return docsCall(sourceSearch, query, answer, pages), mentioned
}

// orFailed is for tools whose results are never in the transcript: only a failure
// says something.
func orFailed(answer content, r result) content {
	if r.failed {
		return no("the call failed")
	}
	return answer
}

// shell reads a command line that fetches with curl or wget. It is dropped when the
// command failed or printed nothing.
func (f finder) shell(c *call) (probes.DocsCall, bool) {
	if c.result.failed || !c.result.isText || c.result.text == "" {
		return probes.DocsCall{}, false
	}
	fetched := fetches(c.command)
	pages := f.addresses(fetched.urls)
	if len(pages) == 0 {
		return probes.DocsCall{}, false
	}
	var answer content
	switch {
	case onlyDiagnostics(c.result.text):
		answer = no("the output is an error of the tool")
	case fetched.curlWithoutFail:
		answer = unknown("curl without --fail prints error pages too")
	case fetched.otherCommands:
		answer = unknown("another command may have printed the output")
	default:
		answer = yes("the page is the command's output")
	}
	return docsCall(sourceShell, c.command, answer, pages), true
}

// diagnostic matches a line that curl or wget writes about a failure.
var diagnostic = regexp.MustCompile(`^(curl: \(\d+\) |wget: )`)

// onlyDiagnostics reports whether nothing but such lines was printed. In a pipe
// the failure of curl does not fail the command.
func onlyDiagnostics(text string) bool {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !diagnostic.MatchString(line) {
			return false
		}
	}
	return true
}

func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:limit]), utf8.RuneCountInString(text))
}
