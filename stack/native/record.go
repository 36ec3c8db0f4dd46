package native

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// record is a line of a server's log.
type record struct {
	level   slog.Level
	message string
	attrs   map[string]string
	// fatal says that the server gives up, refuses that its settings are why.
	fatal, refuses bool
}

// log passes the record on.
func (r record) log(to *slog.Logger) {
	if !to.Enabled(context.Background(), r.level) {
		return
	}
	out := slog.NewRecord(time.Now(), r.level, r.message, 0)
	for _, name := range slices.Sorted(maps.Keys(r.attrs)) {
		out.AddAttrs(slog.String(name, r.attrs[name]))
	}
	// A handler that fails has no other place to say so.
	_ = to.Handler().Handle(context.Background(), out)
}

// reason is why the server gives up.
func (r record) reason() string {
	if cause := r.attrs["error"]; cause != "" {
		return cause
	}
	return r.message
}

// sqlState finds the code that drivers put behind PostgreSQL's message.
var sqlState = regexp.MustCompile(`\(SQLSTATE ([0-9A-Z]{5})\)`)

// authRecord reads a line of Auth: a JSON object with level, msg and fields (logrus). What
// a hook failed with is in the field error.
func authRecord(line string) record {
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return authPlain(line)
	}
	level, _ := fields["level"].(string)
	message, _ := fields["msg"].(string)
	r := record{level: authLevel(level), message: message, attrs: map[string]string{}}
	for name, value := range fields {
		if name == "level" || name == "msg" || name == "time" || value == nil {
			continue
		}
		r.attrs[name] = textOf(value)
	}
	if code := sqlState.FindStringSubmatch(r.attrs["error"]); code != nil {
		r.attrs["sqlstate"] = code[1]
	}
	r.fatal = level == "fatal" || level == "panic"
	r.refuses = r.fatal && refusesSettings(message)
	return r
}

// logrusPlain is how logrus writes before Auth has set up its log.
var logrusPlain = regexp.MustCompile(`^time="[^"]*" level=(\w+) msg=("(?:[^"\\]|\\.)*"|\S+)(.*)$`)

// logrusError is the field error of such a line.
var logrusError = regexp.MustCompile(` error=("(?:[^"\\]|\\.)*"|\S+)`)

func authPlain(line string) record {
	parts := logrusPlain.FindStringSubmatch(line)
	if parts == nil {
		r := record{level: slog.LevelInfo, message: line}
		if strings.HasPrefix(line, "panic: ") {
			r.level, r.fatal = slog.LevelError, true
		}
		return r
	}
	r := record{level: authLevel(parts[1]), message: unquoted(parts[2]), attrs: map[string]string{}}
	if cause := logrusError.FindStringSubmatch(parts[3]); cause != nil {
		r.attrs["error"] = unquoted(cause[1])
	}
	r.fatal = parts[1] == "fatal" || parts[1] == "panic"
	r.refuses = r.fatal && refusesSettings(r.message)
	return r
}

func unquoted(text string) string {
	var plain string
	if json.Unmarshal([]byte(text), &plain) == nil {
		return plain
	}
	return text
}

// refusesSettings knows Auth's words for it: `serve` says the first, `migrate` the second
// (recording cat_hook_config_startup; cmd/root_cmd.go of supabase/auth).
func refusesSettings(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "unable to load config") || strings.Contains(message, "failed to load configuration")
}

func authLevel(level string) slog.Level {
	switch level {
	case "fatal", "panic", "error":
		return slog.LevelError
	case "warning", "warn":
		return slog.LevelWarn
	case "debug", "trace":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// textOf writes a field as text: numbers and lists as JSON has them.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// PostgREST writes plain lines with a time before them, JSON of errors after a sentence
// or alone, and requests as Apache does (src/PostgREST/Logger.hs).
var (
	restTime    = regexp.MustCompile(`^\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}: ?`)
	restRequest = regexp.MustCompile(`^\S+ - \S* ?\[[^\]]*\] "[^"]*" (\d{3}) `)
)

func restRecord(line string) record {
	message := restTime.ReplaceAllString(line, "")
	r := record{level: slog.LevelInfo, message: message}
	if request := restRequest.FindStringSubmatch(message); request != nil {
		r.level = statusLevel(request[1])
		return r
	}
	sentence, object, found := strings.Cut(message, "{")
	if found && r.readError("{"+object) {
		if sentence = strings.TrimSpace(sentence); sentence != "" {
			r.message = sentence
		}
		r.level = slog.LevelError
	}
	switch {
	case startsWithAny(message, "Failed ", "Cannot ", "Admin server crashed", "postgrest: ", "This is probably a bug"):
		r.level = slog.LevelError
	case startsWithAny(message, "Attempting ", "Retrying "):
		r.level = slog.LevelWarn
	}
	r.fatal = startsWithAny(message, "postgrest: ", "Cannot run ")
	r.refuses = r.fatal && (strings.Contains(message, "Error in config") || strings.Contains(message, "JWT secret"))
	return r
}

func startsWithAny(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

func statusLevel(status string) slog.Level {
	switch status[0] {
	case '5':
		return slog.LevelError
	case '4':
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// readError takes PostgREST's error object into the record.
func (r *record) readError(object string) bool {
	var failure struct {
		Code, Message string
		Details, Hint any
	}
	if json.Unmarshal([]byte(object), &failure) != nil || failure.Message == "" {
		return false
	}
	r.message, r.attrs = failure.Message, map[string]string{"error": failure.Message}
	if len(failure.Code) == 5 { // PostgreSQL's; PostgREST's own are longer
		r.attrs["sqlstate"] = failure.Code
	} else if failure.Code != "" {
		r.attrs["code"] = failure.Code
	}
	if failure.Details != nil {
		r.attrs["details"] = textOf(failure.Details)
	}
	if failure.Hint != nil {
		r.attrs["hint"] = textOf(failure.Hint)
	}
	return true
}
