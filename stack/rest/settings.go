package rest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
	"github.com/supascore/supascore/stack/rest/token"
)

// settingsStep is the one statement that makes a connection the caller's for a transaction: search path, settings of
// the role, the role itself, and what SQL can know of the request (PostgREST documentation, "Transactions"). Settings of
// the role come before the role, so that it is the login role that has to be allowed to set them. All are local to the
// transaction; afterwards PostgreSQL reads custom ones as empty and no longer as NULL, as with PostgREST (recording
// request-gucs/settings_end_with_the_transaction).
func settingsStep(st *state, r *http.Request, req *request.Request, who token.Identity, function []schema.Setting, readOnly bool) step {
	s := newSettingsWriter()
	if readOnly && st.config.Savepoint != "" {
		// A transaction of its own says so when it begins.
		s.set("transaction_read_only", "on")
	}
	s.set("search_path", st.searchPath[req.Schema])
	for _, setting := range st.roles[who.Role].Settings {
		s.set(setting.Name, setting.Value)
	}
	// From here on PostgreSQL judges by the rights of the request's role.
	s.set("role", who.Role)
	s.set("request.jwt.claims", who.Claims)
	s.set("request.method", req.Method)
	s.set("request.path", r.URL.EscapedPath())
	s.set("request.headers", headersJSON(r))
	s.set("request.cookies", cookiesJSON(r.Header))
	if req.Prefer.Timezone != "" {
		s.set("timezone", req.Prefer.Timezone)
	}
	for _, setting := range function {
		s.set(setting.Name, setting.Value)
	}
	for _, setting := range st.config.AppSettings {
		s.set(setting.Name, setting.Value)
	}
	return s.step()
}

// settingsWriter collects calls of set_config.
type settingsWriter struct {
	args []query.Argument
	text []byte // the arguments one after another, so that they need not be allocated one by one
}

// newSettingsWriter has room for what most requests set.
func newSettingsWriter() *settingsWriter {
	const settings, bytes = 10, 1 << 10
	return &settingsWriter{args: make([]query.Argument, 0, 2*settings), text: make([]byte, 0, bytes)}
}

// set adds a setting. Names are arguments too: those of app settings and roles are not known beforehand.
func (s *settingsWriter) set(name, value string) {
	s.args = append(s.args, s.argument(name), s.argument(value))
}

// argument copies a text to the end of the others. When they move to a larger place, earlier arguments keep the old one.
func (s *settingsWriter) argument(text string) query.Argument {
	from := len(s.text)
	s.text = append(s.text, text...)
	return query.Argument{Value: s.text[from:len(s.text):len(s.text)]}
}

// step is the statement. Its text depends on the number of settings only. It answers with a number, since set_config returns
// what it was given, which would come all the way back. The elements of an array are evaluated from left to right.
func (s *settingsWriter) step() step {
	const call = "pg_catalog.set_config($00, $00, true), "
	sql := make([]byte, 0, len("SELECT pg_catalog.cardinality(ARRAY[])")+len(s.args)/2*len(call))
	sql = append(sql, "SELECT pg_catalog.cardinality(ARRAY["...)
	for i := 0; i < len(s.args); i += 2 {
		if i > 0 {
			sql = append(sql, ", "...)
		}
		sql = append(sql, "pg_catalog.set_config($"...)
		sql = strconv.AppendInt(sql, int64(i+1), 10)
		sql = append(sql, ", $"...)
		sql = strconv.AppendInt(sql, int64(i+2), 10)
		sql = append(sql, ", true)"...)
	}
	sql = append(sql, "])"...)
	return step{sql: string(sql), args: s.args}
}

// headersJSON is an object of the request's headers with names in lower case, without cookies. Of a header that was sent
// several times the last one counts.
func headersJSON(r *http.Request) string {
	headers := make(map[string]string, len(r.Header)+1)
	headers["host"] = r.Host // net/http keeps it apart from the others
	for name, values := range r.Header {
		if name != "Cookie" && len(values) > 0 {
			headers[strings.ToLower(name)] = values[len(values)-1]
		}
	}
	return marshal(headers)
}

// cookiesJSON is an object of the request's cookies.
func cookiesJSON(h http.Header) string {
	cookies := make(map[string]string)
	for pair := range strings.SplitSeq(h.Get("Cookie"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if name != "" {
			cookies[name] = value
		}
	}
	return marshal(cookies)
}

// marshal writes an object of strings as JSON, with sorted keys. Bytes that are not UTF-8 are replaced.
func marshal(object map[string]string) string {
	size := len("{}")
	for name, value := range object {
		size += len(name) + len(value) + len(`"":"",`)
	}
	names := slices.AppendSeq(make([]string, 0, len(object)), maps.Keys(object))
	slices.Sort(names)
	out := append(make([]byte, 0, size), '{')
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, name), ':')
		out = appendString(out, object[name])
	}
	return string(append(out, '}'))
}

// appendString appends a JSON string. Most need no escapes, and no encoder then.
func appendString(out []byte, text string) []byte {
	special := func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError }
	if strings.IndexFunc(text, special) < 0 {
		return append(append(append(out, '"'), text...), '"')
	}
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return append(out, `""`...) // cannot happen: strings are always representable
	}
	return append(out, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
