package postgres

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// LogEntry is one thing that the server had to say: a line of its log with
// the lines that explain it.
type LogEntry struct {
	// Time is when, in UTC, to the millisecond.
	Time time.Time
	// PID is the server process that said it.
	PID int
	// State is the SQLSTATE, "00000" for messages that are no errors.
	State string
	// User and Database are those of the session; both are empty for the
	// server's own processes.
	User, Database string
	// Severity is PostgreSQL's word: LOG, WARNING, ERROR, FATAL or PANIC.
	Severity string
	// Message is the text, with line breaks where it had some.
	Message string
	// Detail, Hint and Context are what the server added, empty when nothing.
	Detail, Hint, Context string
	// Statement is the SQL text that failed, empty when there was none.
	Statement string
}

// Log is what the server said since a time, oldest first, as far back as the
// kept output goes (256 KiB). The zero time means everything.
func (s *Server) Log(since time.Time) []LogEntry {
	entries := ParseLog(s.backend.child.Output())
	for len(entries) > 0 && entries[0].Time.Before(since) {
		entries = entries[1:]
	}
	return entries
}

// ParseLog reads the log of a server of this package. Lines before the first
// whole entry, and lines that are not PostgreSQL's, are skipped.
func ParseLog(text string) []LogEntry {
	p := logParser{head: regexp.MustCompile(logHead)}
	for line := range strings.Lines(text) {
		p.line(strings.TrimSuffix(line, "\n"))
	}
	return p.entries
}

// logHead matches logLinePrefix and the severity after it.
const logHead = `^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) UTC \[(\d+)\] state=([0-9A-Z]{5}) user=(.*?) db=(.*?) ([A-Z]+\d?):  (.*)$`

// logParser collects entries. field is where a continuation line goes.
type logParser struct {
	head    *regexp.Regexp
	entries []LogEntry
	field   *string
}

func (p *logParser) line(line string) {
	// PostgreSQL marks the further lines of a text with a tab.
	if more, ok := strings.CutPrefix(line, "\t"); ok {
		if p.field != nil {
			*p.field += "\n" + more
		}
		return
	}
	m := p.head.FindStringSubmatch(line)
	if m == nil {
		p.field = nil
		return
	}
	if p.field = p.addition(m); p.field != nil {
		*p.field = m[7]
		return
	}
	at, err := time.Parse("2006-01-02 15:04:05.000", m[1])
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(m[2])
	if err != nil {
		return
	}
	p.entries = append(p.entries, LogEntry{
		Time: at, PID: pid, State: m[3], User: m[4], Database: m[5], Severity: m[6], Message: m[7],
	})
	p.field = &p.entries[len(p.entries)-1].Message
}

// addition is the field of the last entry that a line such as "DETAIL: …" of
// the same process belongs to; nil when the line begins an entry.
func (p *logParser) addition(m []string) *string {
	var last *LogEntry
	if n := len(p.entries); n > 0 && strconv.Itoa(p.entries[n-1].PID) == m[2] {
		last = &p.entries[n-1]
	}
	// An addition whose entry is lost, or that another process interrupted,
	// goes nowhere.
	if last == nil {
		last = &LogEntry{}
	}
	switch m[6] {
	case "DETAIL":
		return &last.Detail
	case "HINT":
		return &last.Hint
	case "CONTEXT":
		return &last.Context
	case "STATEMENT":
		return &last.Statement
	case "QUERY", "LOCATION", "BACKTRACE":
		return new(string)
	default:
		return nil
	}
}
