package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/docker/go-units"

	"github.com/supascore/supascore/probes"
)

// kind is what a tool is, whatever an agent calls it. Tools that cannot be
// look-ups have none and are not kept.
type kind string

const (
	kindShell      kind = "shell"
	kindFetch      kind = "web_fetch"
	kindSearch     kind = "web_search"
	kindSearchDocs kind = "search_docs"
)

// call is one use of a tool that may be a look-up.
type call struct {
	id   string
	line int
	kind kind
	// args is what the tool was given, as the agent wrote it.
	args map[string]any
	// command is the command line of a shell call.
	command string
	result  result
}

// result is what a tool gave back.
type result struct {
	// present is false when the transcript holds no result: the agent was stopped.
	present bool
	// failed is true when the transcript says that the call failed.
	failed bool
	// isText is true for a result that is a text; others are kept as their JSON.
	isText bool
	text   string
	// stub is true where a text may be a short notice that stands for a longer
	// result, which is a habit of Claude Code.
	stub bool
}

// setValue takes over a result that is a text or any other JSON value.
func (r *result) setValue(value any) {
	r.present = value != nil
	switch value := value.(type) {
	case nil:
	case string:
		r.text, r.isText = value, true
	default:
		// Values that came from JSON can be written as JSON again. The characters
		// that HTML minds stay as they are, or titles would change.
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		r.present = encoder.Encode(value) == nil
		r.text = strings.TrimSuffix(text.String(), "\n")
	}
}

// event is one line of a transcript.
type event map[string]any

// parser adds the calls and results of one line to a transcript.
type parser func(t *transcript, e event)

// transcript is a transcript on the way through one of the parsers.
type transcript struct {
	cfg   Config
	seen  *probes.DocsObservation
	parse parser
	calls []*call
	byID  map[string]*call
	// errors counts the bad lines, listed or not.
	errors int
}

func (t *transcript) read(r io.Reader) error {
	lines := &lineReader{r: newBuffer(r), maxLine: t.cfg.MaxLine, maxSize: t.cfg.MaxSize}
	for t.seen.Cut == "" {
		line, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		t.seen.Lines++
		t.line(line)
	}
	if lines.cut {
		t.seen.Cut = fmt.Sprintf("it is larger than %s", units.BytesSize(float64(t.cfg.MaxSize)))
	}
	if more := t.errors - len(t.seen.Errors); more > 0 {
		t.seen.Errors = append(t.seen.Errors, probes.TranscriptError{Problem: fmt.Sprintf("%d more lines could not be read", more)})
	}
	return nil
}

// line reads one line. Blank lines and values that are no objects say nothing.
func (t *transcript) line(line line) {
	if line.tooLong {
		t.bad("longer than " + units.BytesSize(float64(t.cfg.MaxLine)) + ", skipped")
		return
	}
	text := line.trimmed()
	if len(text) == 0 {
		return
	}
	if text[0] != '{' {
		if !json.Valid(text) {
			t.bad("no JSON")
		}
		return
	}
	var e event
	if err := json.Unmarshal(text, &e); err != nil {
		t.bad("no JSON: " + err.Error())
		return
	}
	if t.parse == nil {
		t.seen.Format, t.parse = detect(e)
	}
	if t.parse != nil {
		t.parse(t, e)
	}
}

func (t *transcript) bad(problem string) {
	t.errors++
	if len(t.seen.Errors) < t.cfg.MaxErrors {
		t.seen.Errors = append(t.seen.Errors, probes.TranscriptError{Line: t.seen.Lines, Problem: problem})
	}
}

func (t *transcript) unknownFormat() error {
	switch {
	case t.seen.Lines == 0:
		return &formatError{problem: "it is empty"}
	case len(t.seen.Errors) > 0:
		return &formatError{problem: fmt.Sprintf("line %d: %s", t.seen.Errors[0].Line, t.seen.Errors[0].Problem)}
	default:
		return &formatError{problem: fmt.Sprintf("none of its %d lines is an event of one", t.seen.Lines)}
	}
}

// add keeps a call. A second event about the same id is the same call: it takes
// the place of what is known, at the first one's position. Calls without an id
// cannot meet a later result.
func (t *transcript) add(c *call) {
	if c.id != "" {
		if known, ok := t.byID[c.id]; ok {
			c.line = known.line
			if !c.result.present {
				c.result = known.result
			}
			*known = *c
			return
		}
	}
	if len(t.calls) >= t.cfg.MaxCalls {
		t.seen.Cut = fmt.Sprintf("it has more than %d calls of shell, web and documentation tools", t.cfg.MaxCalls)
		return
	}
	t.calls = append(t.calls, c)
	if c.id != "" {
		t.byID[c.id] = c
	}
}

// detect names the format that an event belongs to, nil when it could be any's.
// The three share the word "error" and nothing else.
func detect(e event) (string, parser) {
	name := e.text("type")
	switch {
	case e.object("item") != nil, name == "thread.started", name == "turn.started":
		return FormatCodex, parseCodex
	case e.object("part") != nil && e.text("sessionID") != "":
		return FormatOpenCode, parseOpenCode
	case e.object("message") != nil && (name == "assistant" || name == "user"),
		name == "system" && e.text("subtype") != "",
		name == "result" && e.text("subtype") != "":
		return FormatClaudeCode, parseClaude
	default:
		return "", nil
	}
}
