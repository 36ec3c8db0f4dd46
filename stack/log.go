package stack

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// LogEntry is one line that a service of the stack logged.
type LogEntry struct {
	// Time is when it was logged.
	Time time.Time `json:"time"`
	// Service is "auth", "rest", "gateway" or "postgres".
	Service string `json:"service"`
	// Level is "debug", "info", "warn" or "error".
	Level string `json:"level"`
	// Message is the line's text.
	Message string `json:"message"`
	// Attrs are the line's attributes as text, such as "sqlstate" and "error".
	Attrs map[string]string `json:"attrs,omitempty"`
}

// maxLogEntries bounds what a stack remembers of its log; older lines go first.
const maxLogEntries = 10_000

// LogBook remembers what the services of one stack log, so that a report can
// quote the error behind an answer. It is safe for concurrent use.
type LogBook struct {
	// source keeps the lines of a stack that somebody else serves; nil for one of ours.
	source func() []LogEntry

	mu      sync.Mutex
	entries []LogEntry
	dropped int
}

// Logger is a logger whose lines are remembered under service and, when next is
// not nil, passed on to it with the attribute "service".
func (b *LogBook) Logger(service string, next slog.Handler) *slog.Logger {
	if next != nil {
		next = next.WithAttrs([]slog.Attr{slog.String("service", service)})
	}
	return slog.New(&bookHandler{book: b, service: service, next: next})
}

// Entries are the remembered lines, oldest first.
func (b *LogBook) Entries() []LogEntry {
	if b.source != nil {
		return b.source()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.entries)
}

// Since are the remembered lines from the nth on that was ever logged, and the number
// that comes after them.
func (b *LogBook) Since(n int) (entries []LogEntry, next int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next = b.dropped + len(b.entries)
	from := min(max(0, n-b.dropped), len(b.entries))
	return slices.Clone(b.entries[from:]), next
}

// Dropped is how many lines were forgotten because there were too many.
func (b *LogBook) Dropped() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

func (b *LogBook) add(e LogEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.entries) >= maxLogEntries {
		gone := maxLogEntries / 10
		b.entries = slices.Delete(b.entries, 0, gone)
		b.dropped += gone
	}
	b.entries = append(b.entries, e)
}

// bookHandler is the slog.Handler behind LogBook.Logger.
type bookHandler struct {
	book    *LogBook
	service string
	next    slog.Handler
	attrs   []slog.Attr
	group   string
}

// Enabled remembers everything from info upwards; the next handler decides for itself.
func (h *bookHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || (h.next != nil && h.next.Enabled(ctx, level))
}

func (h *bookHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelInfo {
		h.book.add(h.entry(r))
	}
	if h.next != nil && h.next.Enabled(ctx, r.Level) {
		return h.next.Handle(ctx, r)
	}
	return nil
}

func (h *bookHandler) entry(r slog.Record) LogEntry {
	e := LogEntry{Time: r.Time, Service: h.service, Message: r.Message, Level: levelName(r.Level)}
	set := func(key string, v slog.Value) {
		if e.Attrs == nil {
			e.Attrs = map[string]string{}
		}
		e.Attrs[key] = v.Resolve().String()
	}
	for _, a := range h.attrs {
		set(a.Key, a.Value) // prefixed when they were given
	}
	r.Attrs(func(a slog.Attr) bool {
		set(h.group+a.Key, a.Value)
		return true
	})
	return e
}

func levelName(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warn"
	case l >= slog.LevelInfo:
		return "info"
	default:
		return "debug"
	}
}

func (h *bookHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		c.attrs = append(c.attrs, slog.Attr{Key: h.group + a.Key, Value: a.Value})
	}
	if h.next != nil {
		c.next = h.next.WithAttrs(attrs)
	}
	return &c
}

func (h *bookHandler) WithGroup(name string) slog.Handler {
	c := *h
	c.group = h.group + name + "."
	if h.next != nil {
		c.next = h.next.WithGroup(name)
	}
	return &c
}
