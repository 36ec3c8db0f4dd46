package rest

import (
	"encoding/hex"
	"iter"
	"net/url"
	"slices"
	"strings"
)

// canonicalQuery is the query string of Content-Location: parameters sorted by name, values of the same name joined by
// commas, everything escaped in one way. Bytes are taken for the characters of Latin-1 and escaped as UTF-8, so anything
// but ASCII comes out longer than it went in, as in PostgREST (recording filters/odd_names_and_values).
func canonicalQuery(raw string) string {
	type param struct{ name, value string }
	var params []param
	for part := range parameters(raw) {
		name, value, _ := strings.Cut(part, "=")
		params = append(params, param{unescape(name), unescape(value)})
	}
	slices.SortStableFunc(params, func(a, b param) int { return strings.Compare(a.name, b.name) })
	var out strings.Builder
	for i, p := range params {
		switch {
		case i > 0 && params[i-1].name == p.name:
			out.WriteByte(',')
		case i > 0:
			out.WriteByte('&')
			fallthrough
		default:
			out.WriteString(escape(latin1(p.name)))
			out.WriteByte('=')
		}
		out.WriteString(escape(latin1(p.value)))
	}
	return out.String()
}

// parameters are the parts of a query string. An empty one counts, but not the end of the text behind the last separator.
func parameters(raw string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for raw != "" {
			part, rest := raw, ""
			if i := strings.IndexAny(raw, "&;"); i >= 0 {
				part, rest = raw[:i], raw[i+1:]
			}
			if !yield(part) {
				return
			}
			raw = rest
		}
	}
}

// latin1 turns every byte into the character of that number.
func latin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// unescape reads percent escapes and plus signs. A malformed escape stays as it is, whatever stands around it.
func unescape(text string) string {
	if out, err := url.QueryUnescape(text); err == nil {
		return out
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+':
			out = append(out, ' ')
		case c == '%' && i+2 < len(text):
			if b, err := hex.DecodeString(text[i+1 : i+3]); err == nil {
				out = append(out, b[0])
				i += 2
				continue
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// escape leaves letters, digits and -_.~ bare, and writes a blank as %20: a plus sign would be read back as itself by
// stricter clients.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// locationQuery escapes the values of "column=eq.value" items for the Location header.
func locationQuery(items []string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		name, value, _ := strings.Cut(item, "=")
		parts[i] = escape(name) + "=" + escape(value)
	}
	return strings.Join(parts, "&")
}
