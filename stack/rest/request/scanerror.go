package request

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// failure is what a parser found and what it wanted at one place. The zero value says nothing.
type failure struct {
	at         int    // byte offset in the text
	sys        string // the token found, quoted; empty with hasSys set means the end
	hasSys     bool
	unexpected []string
	expected   []string
}

// unset says that nothing was found that should not be there.
func (f failure) unset() bool { return !f.hasSys && len(f.unexpected) == 0 }

// none says that the failure says nothing at all.
func (f failure) none() bool { return f.unset() && len(f.expected) == 0 }

// merge keeps the failure that got further, and joins two at the same place.
func merge(a, b failure) failure {
	switch {
	case b.none() && !a.none():
		return a
	case a.none() && !b.none():
		return b
	case a.at != b.at:
		if a.at > b.at {
			return a
		}
		return b
	}
	out := failure{at: a.at, sys: a.sys, hasSys: a.hasSys || b.hasSys}
	if !a.hasSys {
		out.sys = b.sys
	}
	out.unexpected = slices.Concat(a.unexpected, b.unexpected)
	out.expected = slices.Concat(a.expected, b.expected)
	return out
}

// details says the failure in the words of PGRST100's details.
func (f failure) details() string {
	var parts []string
	if len(distinct(f.unexpected)) == 0 && f.hasSys {
		found := f.sys
		if found == "" {
			found = "end of input"
		}
		parts = append(parts, "unexpected "+found)
	}
	if u := alternatives(f.unexpected); u != "" {
		parts = append(parts, "unexpected "+u)
	}
	if e := alternatives(f.expected); e != "" {
		parts = append(parts, "expecting "+e)
	}
	if len(parts) == 0 {
		return "unknown parse error"
	}
	return strings.Join(parts, " ")
}

// distinct drops empty and repeated texts and keeps the order.
func distinct(in []string) []string {
	var out []string
	for _, s := range in {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// alternatives joins texts as "a, b or c".
func alternatives(in []string) string {
	list := distinct(in)
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// place is the line and column of a byte offset, both from 1. A tab goes on to the next multiple of eight.
func place(src string, at int) (line, column int) {
	line, column = 1, 1
	for i, c := range src {
		if i >= at {
			break
		}
		switch c {
		case '\n':
			line, column = line+1, 1
		case '\t':
			column += 8 - (column-1)%8
		default:
			column++
		}
	}
	return line, column
}

// read parses src with p. what names the parameter in the message, such as "filter (eq.1)".
func read[T any](src, what string, p func(*scan) (T, bool)) (T, *apierror.Error) {
	if v, ok := p(&scan{src: src}); ok {
		return v, nil
	}
	s := &scan{src: src, track: true}
	v, _ := p(s)
	line, column := place(src, s.err.at)
	message := `"failed to parse ` + what + `" (line ` + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ")"
	return v, apierror.New(400, "PGRST100", message).WithDetails(s.err.details())
}

// quoteString writes a token as the server shows strings: in double quotes, with everything outside of ASCII as a decimal
// escape.
func quoteString(c rune) string {
	if c == '"' {
		return `"\""`
	}
	return `"` + escapeRune(c) + `"`
}

// quoteRune is the same in single quotes.
func quoteRune(c rune) string {
	if c == '\'' {
		return `'\''`
	}
	return `'` + escapeRune(c) + `'`
}

// escapeRune writes a character inside quotes. Beyond ASCII it is its number, as Haskell's show has it.
func escapeRune(c rune) string {
	switch {
	case c == '\\':
		return `\\`
	case c >= ' ' && c < 0x7f:
		return string(c)
	case c == 0x7f:
		return `\DEL`
	case c < ' ':
		return `\` + controlName(c)
	case c == utf8.RuneError:
		return `\65533`
	}
	return `\` + strconv.Itoa(int(c))
}

// controlName is the name of a control character, as Haskell's show writes it (Haskell 2010 report, section 2.6).
func controlName(c rune) string {
	names := strings.Fields("NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US")
	return names[c]
}
