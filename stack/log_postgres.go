package stack

import (
	"strings"
	"sync"
	"time"

	"github.com/supascore/supascore/stack/postgres"
)

// postgresLog is how much of what Postgres said is in a LogBook.
type postgresLog struct {
	mu sync.Mutex
	// last is the time of the last entry that was taken, and taken how many of that
	// time were: Postgres counts milliseconds.
	last  time.Time
	taken int
}

// takeIn puts what the server has said meanwhile into the book.
func (l *postgresLog) takeIn(server *postgres.Server, book *LogBook) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.taken
	for _, e := range server.Log(l.last) {
		if e.Time.Equal(l.last) && known > 0 {
			known--
			continue
		}
		if !e.Time.Equal(l.last) {
			l.last, l.taken = e.Time, 0
		}
		l.taken++
		book.add(entryOf(e))
	}
}

// entryOf is an entry of Postgres as one of the book. Its attributes have names of their
// own: "error" and "sqlstate" are what a service says of a request, and the server says
// it again.
func entryOf(e postgres.LogEntry) LogEntry {
	out := LogEntry{Time: e.Time, Service: "postgres", Level: severityLevel(e.Severity), Message: e.Message, Attrs: map[string]string{}}
	state := e.State
	if state == "00000" {
		state = ""
	}
	for name, value := range map[string]string{
		"state": state, "user": e.User, "database": e.Database, "detail": e.Detail, "hint": e.Hint,
		"context": e.Context, "statement": e.Statement,
	} {
		if value != "" {
			out.Attrs[name] = value
		}
	}
	return out
}

func severityLevel(severity string) string {
	switch {
	case severity == "ERROR", severity == "FATAL", severity == "PANIC":
		return "error"
	case severity == "WARNING":
		return "warn"
	case strings.HasPrefix(severity, "DEBUG"):
		return "debug"
	}
	return "info"
}
