package native

import (
	"context"
	"log/slog"
)

// listener hears in the server's log what became of changed settings
// (cmd/serve_cmd.go and internal/reloader of supabase/auth).
type listener struct {
	// outcome gets why they are refused, empty when they are not.
	outcome chan string
}

func newListener() *listener { return &listener{make(chan string, 1)} }

// Enabled lets all lines in.
func (l *listener) Enabled(context.Context, slog.Level) bool { return true }

// Handle listens to one line.
func (l *listener) Handle(_ context.Context, r slog.Record) error {
	switch r.Message {
	case "reloading api with new configuration":
		l.tell("")
	case "reloader: error loading config":
		reason := r.Message
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "error" {
				reason = a.Value.String()
			}
			return true
		})
		l.tell(reason)
	}
	return nil
}

// tell keeps the first outcome.
func (l *listener) tell(outcome string) {
	select {
	case l.outcome <- outcome:
	default:
	}
}

// WithAttrs and WithGroup are not needed to hear.
func (l *listener) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup is WithAttrs' counterpart.
func (l *listener) WithGroup(string) slog.Handler { return l }
