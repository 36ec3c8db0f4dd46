package scorers

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// docsRead is the kind "docs-page-read".
type docsRead struct {
	// Title is how notes call the page.
	Title string `json:"title"`
	// Hosts are the exact host names that serve the page.
	Hosts []string `json:"hosts"`
	// Paths are the page's paths on those hosts, current and former. With and
	// without ".md" and a final slash they are the same page.
	Paths []string `json:"paths"`
}

func decodeDocsRead(_ *evals.Eval, spec evals.CheckSpec) (scorer, error) {
	var params docsRead
	if err := decodeParams(spec, &params); err != nil {
		return nil, err
	}
	switch {
	case params.Title == "":
		return nil, missing("title", "say how to call the page")
	case len(params.Hosts) == 0:
		return nil, missing("hosts", `name at least one host, such as "supabase.com"`)
	case len(params.Paths) == 0:
		return nil, missing("paths", `name at least one path, such as "/docs/guides/auth"`)
	}
	for i := range params.Hosts {
		params.Hosts[i] = strings.ToLower(params.Hosts[i])
	}
	for i := range params.Paths {
		if !strings.HasPrefix(params.Paths[i], "/") {
			return nil, &evals.ParamError{Param: "paths", Problem: fmt.Sprintf("%q does not begin with a slash", params.Paths[i])}
		}
		params.Paths[i] = pagePath(params.Paths[i])
	}
	return params, nil
}

func (k docsRead) plan(plan *probes.Plan) {
	if plan.Docs == nil {
		plan.Docs = &probes.DocsPlan{}
	}
	plan.Docs.Hosts = union(plan.Docs.Hosts, k.Hosts)
	plan.Docs.Paths = union(plan.Docs.Paths, k.Paths)
}

func union(list, more []string) []string {
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// pagePath is the path that all spellings of a documentation page share: the site
// serves each page as HTML and, with ".md" added, as Markdown.
func pagePath(raw string) string {
	clean := path.Clean("/" + raw)
	return strings.TrimSuffix(clean, ".md")
}

// reaches reports whether an address is the page: an exact host and one of the
// paths; scheme, query and fragment do not matter.
func (k docsRead) reaches(address string) bool {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return false
	}
	return slices.Contains(k.Hosts, strings.ToLower(parsed.Hostname())) &&
		slices.Contains(k.Paths, pagePath(parsed.Path))
}

// judge passes when one look-up reached the page and brought its content.
func (k docsRead) judge(seen *probes.Observations) verdict {
	docs := seen.Docs
	if docs == nil {
		return verdict{status: evals.StatusUnmeasured, note: "no transcript was given (--transcript FILE)"}
	}
	var read, reached []string
	for _, call := range docs.Calls {
		if !slices.ContainsFunc(call.Pages, func(page probes.DocsPage) bool { return k.reaches(page.URL) }) {
			continue
		}
		if call.HasContent != nil && *call.HasContent {
			read = append(read, callText(call))
			continue
		}
		reached = append(reached, callText(call)+k.contentText(call))
	}
	if len(read) > 0 {
		return passed("%s was read: %s", k.Title, excerpt(strings.Join(read, ", ")))
	}
	if why := unreadable(docs); why != "" {
		return verdict{status: evals.StatusUnmeasured, note: why}
	}
	expected := fmt.Sprintf("a look-up of %s that brought its content", k.Title)
	if len(reached) > 0 {
		return failed("", expected, "it was reached without content: "+excerpt(strings.Join(reached, ", ")), "")
	}
	return failed("", expected, "it was not reached; "+k.elsewhere(docs), "")
}

func callText(call probes.DocsCall) string {
	if call.Line == 0 {
		return call.Source
	}
	return fmt.Sprintf("%s on line %d", call.Source, call.Line)
}

// contentText says why a call does not count.
func (docsRead) contentText(call probes.DocsCall) string {
	text := " (no content"
	if call.HasContent == nil {
		text = " (unknown whether it brought content"
	}
	if call.Why != "" {
		text += ": " + excerpt(call.Why)
	}
	return text + ")"
}

// elsewhere says what was looked up instead.
func (docsRead) elsewhere(docs *probes.DocsObservation) string {
	if len(docs.Calls) == 0 {
		return fmt.Sprintf("the %s transcript of %d lines has no documentation look-up", docs.Format, docs.Lines)
	}
	var pages []string
	for _, call := range docs.Calls {
		for _, page := range call.Pages {
			pages = union(pages, []string{page.URL})
		}
	}
	if len(pages) == 0 {
		return fmt.Sprintf("%d look-ups reached no page", len(docs.Calls))
	}
	if len(pages) > 3 {
		pages = append(pages[:3:3], fmt.Sprintf("%d more", len(pages)-3))
	}
	return fmt.Sprintf("%d look-ups reached %s", len(docs.Calls), excerpt(list(pages)))
}

// unreadable says why a transcript that shows no read proves nothing; empty when
// it was read to its end.
func unreadable(docs *probes.DocsObservation) string {
	switch {
	case docs.Cut != "":
		return "the transcript was not read to its end: " + excerpt(docs.Cut)
	case docs.Lines > 0 && len(docs.Errors) >= docs.Lines:
		return fmt.Sprintf("no line of the transcript could be read (line %d: %s)",
			docs.Errors[0].Line, excerpt(docs.Errors[0].Problem))
	default:
		return ""
	}
}
