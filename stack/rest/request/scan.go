package request

import (
	"strings"
	"unicode/utf8"
)

// scan reads one parameter's text. It behaves like a Parsec parser state, because the texts of PGRST100 are what Parsec says:
// the furthest place that was reached, the token found there and everything that would have been accepted instead.
//
// All parsing methods report success and obey three rules. A failure that moved pos is final for an alternative (Parsec's
// "consumed"); attempt undoes the movement. A success or failure that did not move pos merges its failure into err; one that
// moved replaces err. With track off no failure is recorded, which is how every text is read first: only a text that turns
// out to be wrong is read again for its message.
type scan struct {
	src   string
	pos   int
	track bool
	err   failure
	depth int // of nested lists, bounded by maxDepth
}

// maxDepth is how deep embeds and logic trees may nest. The server has no bound of its own; PostgreSQL refuses the statement of
// anything near this deep (54001). Without a bound a query string of a megabyte could exhaust the stack of this process.
const maxDepth = 500

// nested runs p one level deeper. Beyond maxDepth it fails as having consumed, so that nothing else is tried.
func (s *scan) nested(p func() bool) bool {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > maxDepth {
		s.pos = len(s.src)
		s.err = failure{at: s.pos, unexpected: []string{"nesting, which is too deep"}}
		return false
	}
	return p()
}

// peek is the rune at pos; the size is 0 at the end.
func (s *scan) peek() (rune, int) {
	if s.pos >= len(s.src) {
		return 0, 0
	}
	if c := s.src[s.pos]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s.src[s.pos:])
}

// found is the failure of a parser that did not like the token at pos.
func (s *scan) found(expected ...string) failure {
	f := failure{at: s.pos, hasSys: true, expected: expected}
	if c, n := s.peek(); n > 0 {
		f.sys = quoteString(c)
	}
	return f
}

// note merges a failure of a parser that did not move.
func (s *scan) note(expected ...string) {
	if s.track {
		s.err = merge(s.err, s.found(expected...))
	}
}

// moved forgets failures: something was consumed.
func (s *scan) moved() {
	if s.track {
		s.err = failure{}
	}
}

// char consumes exactly c.
func (s *scan) char(c byte) bool {
	if s.pos < len(s.src) && s.src[s.pos] == c {
		s.pos++
		s.moved()
		return true
	}
	if s.track {
		s.note(quoteString(rune(c)))
	}
	return false
}

// text consumes exactly want. After a partial match it fails as having consumed, with the failure placed at its start.
func (s *scan) text(want string) bool {
	if strings.HasPrefix(s.src[s.pos:], want) {
		s.pos += len(want)
		s.moved()
		return true
	}
	start, outer := s.pos, s.err
	for i := 0; i < len(want) && s.pos < len(s.src) && s.src[s.pos] == want[i]; i++ {
		s.pos++
	}
	if !s.track {
		return false
	}
	f := s.found(`"` + want + `"`)
	f.at = start
	if s.pos == start {
		f = merge(outer, f)
	}
	s.err = f
	return false
}

// span consumes all runes that ok accepts, and returns them. The labels are what the failure after them expects.
func (s *scan) span(ok func(rune) bool, labels ...string) string {
	start := s.pos
	for {
		c, n := s.peek()
		if n == 0 || !ok(c) {
			break
		}
		s.pos += n
	}
	if s.pos > start {
		s.moved()
	}
	s.note(labels...)
	return s.src[start:s.pos]
}

// attempt makes a failure of p look as if nothing had been consumed.
func (s *scan) attempt(p func() bool) bool {
	start, outer := s.pos, s.err
	s.moved()
	ok := p()
	if !ok {
		s.pos = start
	}
	if s.track && s.pos == start {
		s.err = merge(outer, s.err)
	}
	return ok
}

// label replaces what p expects at its first token by a name.
func (s *scan) label(name string, p func() bool) bool {
	start, outer := s.pos, s.err
	s.moved()
	ok := p()
	if !s.track || s.pos != start {
		return ok
	}
	if !ok || !s.err.none() {
		s.err.expected = []string{name}
		if s.err.unset() {
			s.err.at = start
		}
	}
	s.err = merge(outer, s.err)
	return ok
}

// ahead succeeds when p does, and then consumes nothing.
func (s *scan) ahead(p func() bool) bool {
	start, outer := s.pos, s.err
	s.moved()
	ok := p()
	if ok {
		s.pos, s.err = start, outer
		return true
	}
	if s.track && s.pos == start {
		s.err = merge(outer, s.err)
	}
	return false
}

// many runs p until it fails without having consumed. It fails when p fails after having consumed.
func (s *scan) many(p func() bool) bool {
	for {
		start := s.pos
		if !p() {
			return s.pos == start
		}
		if s.pos == start {
			return true
		}
		s.moved() // Parsec drops what the previous round might have continued with
	}
}

// optional runs p; it fails only when p fails after having consumed. got says whether p succeeded.
func (s *scan) optional(p func() bool) (got, ok bool) {
	start := s.pos
	if p() {
		return true, true
	}
	return false, s.pos == start
}

// notBefore fails when the next rune is one that bad accepts. It never consumes. atNext places the failure behind the rune.
func (s *scan) notBefore(bad func(rune) bool, expected string) bool {
	c, n := s.peek()
	if n == 0 || !bad(c) {
		if s.track {
			if expected == "" {
				s.note()
			} else {
				s.note(expected)
			}
		}
		return true
	}
	if s.track {
		s.err = merge(s.err, failure{at: s.pos + n, unexpected: []string{quoteRune(c)}})
	}
	return false
}

// end succeeds at the end of the text only.
func (s *scan) end() bool {
	c, n := s.peek()
	if s.track {
		f := failure{at: s.pos, expected: []string{"end of input"}}
		if n == 0 {
			f.hasSys = true
		} else {
			f.unexpected = []string{quoteRune(c)}
		}
		s.err = merge(s.err, f)
	}
	return n == 0
}

// blanks skips spaces and tabs.
func (s *scan) blanks() { s.span(isBlank) }

// sepBy1 reads one or more items with separators between them.
func (s *scan) sepBy1(item, sep func() bool) bool {
	return item() && s.many(func() bool { return sep() && item() })
}

// isBlank is a blank between lexemes. A line break is none (recording select/columns_aliases_casts).
func isBlank(c rune) bool { return c == ' ' || c == '\t' }
