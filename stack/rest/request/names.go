package request

import (
	"strings"
	"unicode"
)

// Rules of this file: PostgREST documentation, "URL grammar"; the labels are those of the recordings in filters/ and select/.

// isIdentifierRune has blanks among the letters: a name with blanks inside needs no quotes.
func isIdentifierRune(c rune) bool {
	return c == '_' || c == ' ' || c == '$' || isDigit(c) || unicode.IsLetter(c)
}

// isDigit is limited to ASCII, also where letters are not.
func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// identifier is one or more letters, digits, underscores, dollars and spaces; spaces at its ends do not count.
func (s *scan) identifier() (string, bool) {
	raw := s.span(isIdentifierRune, "letter", "digit")
	return strings.TrimFunc(raw, unicode.IsSpace), raw != ""
}

// delimiter is the dot between a path, an operator and a value.
func (s *scan) delimiter() bool {
	return s.label("delimiter (.)", func() bool { return s.char('.') })
}

// quoted is a text in double quotes in which a backslash takes the next character as it is.
func (s *scan) quoted() (string, bool) {
	if !s.char('"') {
		return "", false
	}
	start, escaped := s.pos, false
	for {
		s.span(func(c rune) bool { return c != '\\' && c != '"' })
		if c, _ := s.peek(); c != '\\' || s.pos >= len(s.src) {
			break
		}
		escaped = true
		s.pos++
		s.moved()
		_, n := s.peek()
		if n == 0 {
			s.note()
			return "", false
		}
		s.pos += n
		s.moved()
	}
	if s.track {
		s.note(`"\\"`)
	}
	raw := s.src[start:s.pos]
	if !s.char('"') {
		return "", false
	}
	if escaped {
		raw = unescape(raw)
	}
	return raw, true
}

// unescape drops the backslashes of a quoted text. What follows one is taken as it is; there are no escapes such as \n.
func unescape(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			i++
		}
		b.WriteByte(raw[i])
	}
	return b.String()
}

// dash is a hyphen that does not begin an arrow.
func (s *scan) dash() bool {
	return s.attempt(func() bool {
		return s.char('-') && s.notBefore(func(c rune) bool { return c == '>' }, `">"`)
	})
}

// dashed reads parts joined by hyphens.
func (s *scan) dashed(part func() (string, bool)) (name string, ok bool) {
	first := true
	ok = s.sepBy1(func() bool {
		text, ok := part()
		if !first {
			text = name + "-" + text
		}
		name, first = text, false
		return ok
	}, s.dash)
	return name, ok
}

// fieldName is the name of a column, a relation, an alias or a hint.
func (s *scan) fieldName() (name string, ok bool) {
	ok = s.label("field name (* or [a..z0..9_$])", func() bool {
		start := s.pos
		if name, ok = s.quoted(); ok {
			return true
		}
		if s.pos != start {
			return false
		}
		name, ok = s.dashed(s.identifier)
		return ok
	})
	return name, ok
}

// path reads names separated by dots.
func (s *scan) path() (names []string, ok bool) {
	ok = s.sepBy1(func() bool {
		name, ok := s.fieldName()
		names = append(names, name)
		return ok
	}, s.delimiter)
	return names, ok
}

// treePath is the name of a parameter: embeds, then the field.
func treePath(s *scan) (pathField, bool) {
	names, ok := s.path()
	if !ok {
		return pathField{}, false
	}
	steps, ok := s.jsonPath()
	last := len(names) - 1
	return pathField{path: names[:last], field: Field{Name: names[last], Path: steps}}, ok
}

// pathField is the name of a parameter taken apart: the embeds on the way and the field at the end.
type pathField struct {
	path  []string
	field Field
}

// field is a name with an optional JSON path, with blanks around it.
func (s *scan) field() (f Field, ok bool) {
	s.blanks()
	if f.Name, ok = s.fieldName(); !ok {
		return f, false
	}
	if f.Path, ok = s.jsonPath(); !ok {
		return f, false
	}
	s.blanks()
	return f, true
}

// jsonPath is zero or more of -> and ->> with a key or an index.
func (s *scan) jsonPath() (steps []JSONStep, ok bool) {
	ok = s.many(func() bool {
		var step JSONStep
		switch {
		case s.attempt(func() bool { return s.text("->>") }):
			step.Text = true
		case s.attempt(func() bool { return s.text("->") }):
		default:
			return false
		}
		if !s.attempt(func() bool { return s.jsonIndex(&step) }) && !s.attempt(func() bool { return s.jsonKey(&step) }) {
			return false
		}
		steps = append(steps, step)
		return true
	})
	return steps, ok
}

// jsonIndex is an integer that ends where an operand may end; anything longer is a key.
func (s *scan) jsonIndex(step *JSONStep) bool {
	sign := ""
	if s.char('-') {
		sign = "-"
	}
	digits := s.span(isDigit, "digit")
	if digits == "" {
		return false
	}
	ends := s.endBefore("->") || s.endBefore("::") || s.endBefore(".") || s.endBefore(",") || s.end()
	if ends {
		step.Index, step.IsIndex = sign+digits, true
	}
	return ends
}

// jsonKey is what an arrow leads to when it is no index. Other characters than those that end it need no quotes.
func (s *scan) jsonKey(step *JSONStep) bool {
	var ok bool
	return s.label("any non reserved character different from: .,>()", func() bool {
		start := s.pos
		if step.Key, ok = s.quoted(); ok {
			return true
		}
		if s.pos != start {
			return false
		}
		step.Key, ok = s.dashed(func() (string, bool) {
			raw := s.span(func(c rune) bool { return !strings.ContainsRune("(-:.,>)", c) })
			return strings.TrimFunc(raw, unicode.IsSpace), raw != ""
		})
		return ok
	})
}

// endBefore succeeds when want follows, without consuming it.
func (s *scan) endBefore(want string) bool {
	return s.attempt(func() bool { return s.ahead(func() bool { return s.text(want) }) })
}
