package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// noteHandler shows log lines from level info upwards as notes to a person: what
// takes long enough to be waited for, such as the first build of the cluster image.
type noteHandler struct {
	out *printer
}

// Enabled leaves out what is for developers.
func (h *noteHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}

// Handle writes one note.
func (h *noteHandler) Handle(_ context.Context, r slog.Record) error {
	text := ""
	r.Attrs(func(a slog.Attr) bool {
		text += attrText(a)
		return true
	})
	h.out.note("%s%s", r.Message, text)
	return nil
}

// WithAttrs leaves out the attributes of whole loggers: they tell log lines apart,
// and a person sees one.
func (h *noteHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup is not needed for notes.
func (h *noteHandler) WithGroup(string) slog.Handler { return h }

func attrText(a slog.Attr) string {
	value := fmt.Sprint(a.Value.Resolve().Any())
	if strings.ContainsAny(value, " \n") {
		value = fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf(", %s %s", a.Key, value)
}
