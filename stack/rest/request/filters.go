package request

import (
	"strings"
	"unicode"
)

// Rules of this file: PostgREST documentation, "Horizontal filtering"; recordings in filters/.

// operation reads not.op(modifier).value; value reads the operand where it is free text.
func (s *scan) operation(value func() string) (f Filter, ok bool) {
	f.Negated = s.attempt(s.not)
	ok = s.label("operator (eq, gt, ...)", func() bool {
		start := s.pos
		return s.opIn(&f) ||
			s.pos == start && s.opIs(&f) ||
			s.pos == start && (s.opIsDistinct(&f, value) || s.opFullText(&f, value) || s.opSimple(&f, value) || s.opQuantified(&f, value))
	})
	return f, ok
}

// not is the prefix not., which negates what follows.
func (s *scan) not() bool { return s.text("not") && s.delimiter() }

// opHead is an operator and its dot, or nothing.
func (s *scan) opHead(op Operator) bool {
	return s.attempt(func() bool { return s.text(string(op)) && s.delimiter() })
}

// opIn is in.(…). Its head decides: what follows has to be a list.
func (s *scan) opIn(f *Filter) (ok bool) {
	if !s.opHead(OpIn) {
		return false
	}
	f.Operator = OpIn
	f.List, ok = s.list()
	return ok
}

// opIs is is.null and its like, in any case. They are keywords of SQL and never reach it as values.
func (s *scan) opIs(f *Filter) bool {
	if !s.opHead(OpIs) {
		return false
	}
	f.Operator = OpIs
	return s.label("isVal: (null, not_null, true, false, unknown)", func() bool {
		for _, v := range []IsValue{IsNull, IsNotNull, IsTrue, IsFalse, IsUnknown} {
			if s.attempt(func() bool { return s.folded(string(v)) }) {
				f.Is = v
				return true
			}
		}
		return false
	})
}

// folded consumes a lower case word in any case.
func (s *scan) folded(word string) bool {
	for i := range len(word) {
		c := word[i]
		if s.pos >= len(s.src) || s.src[s.pos] != c && string(s.src[s.pos]) != strings.ToUpper(word[i:i+1]) {
			s.note(quoteString(rune(c)), quoteString(unicode.ToUpper(rune(c))))
			return false
		}
		s.pos++
		s.moved()
	}
	return true
}

// opIsDistinct compares with IS DISTINCT FROM. It is tried after opIs, whose head with its dot does not fit it.
func (s *scan) opIsDistinct(f *Filter, value func() string) bool {
	if !s.opHead(OpIsDistinct) {
		return false
	}
	f.Operator, f.Value = OpIsDistinct, value()
	return true
}

// opFullText is a search, with an optional configuration in parentheses.
func (s *scan) opFullText(f *Filter, value func() string) bool {
	return s.attempt(func() bool {
		for _, op := range []Operator{OpFullText, OpFullTextPlain, OpFullTextPhrase, OpFullTextWebsite} {
			if s.attempt(func() bool { return s.text(string(op)) }) {
				f.Operator = op
				s.attempt(func() (ok bool) {
					if !s.char('(') {
						return false
					}
					if f.Language, ok = s.identifier(); !ok || !s.char(')') {
						f.Language = ""
						return false
					}
					return true
				})
				if !s.delimiter() {
					f.Language = ""
					return false
				}
				f.Value = value()
				return true
			}
		}
		return false
	})
}

// The operators are tried in the order given: gte before gt, as the first that fits counts.
func simpleOperators() []Operator {
	return []Operator{
		OpNeq, OpContains, OpContained, OpOverlap, OpStrictlyLeft, OpStrictlyRight, OpNotExtendsRight, OpNotExtendsLeft, OpAdjacent,
	}
}

// quantifiedOperators can be followed by (any) or (all).
func quantifiedOperators() []Operator {
	return []Operator{OpEq, OpGte, OpGt, OpLte, OpLt, OpLike, OpILike, OpMatch, OpIMatch}
}

// operatorOf reads the first operator of a list that fits.
func (s *scan) operatorOf(list []Operator) (found Operator, ok bool) {
	ok = s.label("unknown single value operator", func() bool {
		for _, op := range list {
			if s.attempt(func() bool { return s.text(string(op)) }) {
				found = op
				return true
			}
		}
		return false
	})
	return found, ok
}

// opSimple is an operator that takes no modifier.
func (s *scan) opSimple(f *Filter, value func() string) bool {
	return s.attempt(func() bool {
		op, ok := s.operatorOf(simpleOperators())
		if !ok || !s.delimiter() {
			return false
		}
		f.Operator, f.Value = op, value()
		return true
	})
}

// opQuantified is an operator with an optional modifier. A modifier that is none is left unread, and then fails as no dot.
func (s *scan) opQuantified(f *Filter, value func() string) bool {
	return s.attempt(func() bool {
		op, ok := s.operatorOf(quantifiedOperators())
		if !ok {
			return false
		}
		quantifier := QuantifierNone
		s.attempt(func() bool {
			if !s.char('(') {
				return false
			}
			switch {
			case s.attempt(func() bool { return s.text("any") }):
				quantifier = QuantifierAny
			case s.text("all"):
				quantifier = QuantifierAll
			default:
				return false
			}
			if s.char(')') {
				return true
			}
			quantifier = QuantifierNone
			return false
		})
		if !s.delimiter() {
			return false
		}
		f.Operator, f.Quantifier, f.Value = op, quantifier, value()
		return true
	})
}

// rest is the operand of a parameter: everything up to the end.
func (s *scan) rest() string {
	v := s.src[s.pos:]
	s.pos = len(s.src)
	return v
}

// list is the operand of in: (a,"b,c",d).
func (s *scan) list() (items []string, ok bool) {
	if !s.lexeme('(') {
		return nil, false
	}
	ok = s.sepBy1(func() bool {
		item, ok := s.listElement()
		items = append(items, item)
		return ok
	}, func() bool { return s.char(',') })
	return items, ok && s.lexeme(')')
}

// isListText is what an element of a list can have without quotes.
func isListText(c rune) bool { return c != ',' && c != ')' }

// listElement is a quoted text that ends the element, or else whatever is there up to a comma or parenthesis.
func (s *scan) listElement() (v string, ok bool) {
	if v, ok = s.quotedElement(); ok {
		return v, true
	}
	return s.span(isListText), true
}

// quotedElement is a quoted text that is a whole element. In "a"b the quotes are characters like others.
func (s *scan) quotedElement() (v string, ok bool) {
	ok = s.attempt(func() (ok bool) {
		if v, ok = s.quoted(); !ok {
			return false
		}
		return s.notBefore(isListText, "")
	})
	return v, ok
}

// filterValue reads the whole value of a filter parameter.
func filterValue(s *scan) (Filter, bool) { return s.operation(s.rest) }
