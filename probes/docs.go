package probes

// DocsObservation is what a transcript shows of the documentation that an agent
// looked at.
type DocsObservation struct {
	// Format is the transcript's format: "claude-code", "codex", "opencode".
	Format string `json:"format"`
	// Calls are the documentation look-ups in transcript order, without
	// de-duplication.
	Calls []DocsCall `json:"calls"`
	// Lines is how many lines the transcript has.
	Lines int `json:"lines"`
	// Errors are the lines that could not be read, and limits that were hit.
	Errors []TranscriptError `json:"errors,omitempty"`
	// Cut is why the transcript was not read to its end; empty when it was.
	Cut string `json:"cut,omitempty"`
}

// DocsCall is one look-up.
type DocsCall struct {
	// Source is "search_docs", "web_fetch", "web_search" or "shell_fetch".
	Source string `json:"source"`
	// Query is what was asked: a search, a prompt, a command or an address.
	Query string `json:"query"`
	// HasContent says whether the call brought the pages' text; nil when the
	// transcript does not tell.
	HasContent *bool `json:"has_content,omitempty"`
	// Why says in a few words what HasContent rests on.
	Why string `json:"why,omitempty"`
	// Pages are the documentation pages, unique within the call.
	Pages []DocsPage `json:"pages,omitempty"`
	// ResultChars is the length of the result in characters; nil when there was
	// no result.
	ResultChars *int `json:"result_chars,omitempty"`
	// Line is the transcript line of the call, from 1.
	Line int `json:"line,omitempty"`
}

// DocsPage is one documentation page.
type DocsPage struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

// TranscriptError is a line that could not be read.
type TranscriptError struct {
	// Line is counted from 1; 0 for the transcript as a whole.
	Line    int    `json:"line"`
	Problem string `json:"problem"`
}
