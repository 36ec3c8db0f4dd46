package docs

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/supascore/supascore/probes"
)

// maxAddress is the length of an address from which it is not kept: no page of a
// documentation has one as long, and a result may hold anything.
const maxAddress = 2048

var (
	// titled matches a title followed by an address, in a result's JSON.
	titled = regexp.MustCompile(`"title"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"(?:href|url)"\s*:\s*("(?:[^"\\]|\\.)*")`)
	// addressed matches an address alone.
	addressed = regexp.MustCompile(`"(?:href|url)"\s*:\s*("(?:[^"\\]|\\.)*")`)
)

// pages are the documentation pages that a result lists: those with a title, then
// the others, each address once. Results are often JSON within a JSON text, so one
// level of escaped quotes is undone first.
func (f finder) pages(r result) []probes.DocsPage {
	text := r.text
	if !r.isText {
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	found := f.listed(text)
	if len(found) == 0 {
		found = f.listed(strings.ReplaceAll(text, `\"`, `"`))
	}
	return found
}

func (f finder) listed(text string) []probes.DocsPage {
	var pages []probes.DocsPage
	for _, match := range titled.FindAllStringSubmatch(text, -1) {
		pages = f.add(pages, probes.DocsPage{Title: unquote(match[1]), URL: unquote(match[2])})
	}
	for _, match := range addressed.FindAllStringSubmatch(text, -1) {
		pages = f.add(pages, probes.DocsPage{URL: unquote(match[1])})
	}
	return pages
}

// addresses are the pages among a command's addresses.
func (f finder) addresses(urls []string) []probes.DocsPage {
	var pages []probes.DocsPage
	for _, address := range urls {
		pages = f.add(pages, probes.DocsPage{URL: strings.TrimRight(address, ".,")})
	}
	return pages
}

// add adds a page that is on one of the hosts and not yet there.
func (f finder) add(pages []probes.DocsPage, page probes.DocsPage) []probes.DocsPage {
	known := slices.ContainsFunc(pages, func(other probes.DocsPage) bool { return other.URL == page.URL })
	if known || !f.onHost(page.URL) {
		return pages
	}
	page.Title = cut(page.Title, 200)
	return append(pages, page)
}

// onHost reports whether an address is on exactly one of the hosts. Subdomains,
// look-alikes and addresses whose user part merely looks like a host are not.
func (f finder) onHost(address string) bool {
	if len(address) > maxAddress || !isAddress(address) {
		return false
	}
	parsed, err := url.Parse(address)
	return err == nil && slices.Contains(f.hosts, strings.ToLower(parsed.Hostname()))
}

// isAddress reports whether a text is a web address and nothing else.
func isAddress(text string) bool {
	lower := strings.ToLower(text)
	return (strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")) &&
		!strings.ContainsAny(text, " \t\r\n")
}

// unquote decodes a quoted JSON text; one that is broken gives an empty text.
func unquote(quoted string) string {
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return ""
	}
	return text
}
