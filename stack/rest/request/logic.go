package request

import "slices"

// logicTree reads and(…), or(…), not.and(…), not.or(…) with filters and further trees inside.
func logicTree(s *scan) (l Logic, ok bool) {
	var f Filter
	if s.attempt(func() (ok bool) { f, ok = s.logicFilter(); return ok }) {
		return Logic{Filter: &f}, true
	}
	s.label("negation operator (not)", func() bool {
		l.Negated = s.attempt(s.not)
		return true
	})
	if l.Operator, ok = s.logicOperator(); !ok || !s.lexeme('(') {
		return l, false
	}
	ok = s.nested(func() bool {
		return s.sepBy1(func() bool {
			node, ok := logicTree(s)
			l.Nodes = append(l.Nodes, node)
			return ok
		}, func() bool { return s.lexeme(',') })
	})
	return l, ok && s.lexeme(')')
}

// logicOperator is and or or.
func (s *scan) logicOperator() (op LogicOperator, ok bool) {
	ok = s.label("logic operator (and, or)", func() bool {
		if s.attempt(func() bool { return s.text("and") }) {
			op = LogicAnd
			return true
		}
		op = LogicOr
		return s.text("or")
	})
	return op, ok
}

// logicFilter is column.operator.value, a leaf of the tree.
func (s *scan) logicFilter() (f Filter, ok bool) {
	field, ok := s.field()
	if !ok || !s.delimiter() {
		return f, false
	}
	f, ok = s.operation(s.logicValue)
	f.Field = field
	return f, ok
}

// logicValue is the operand of a filter inside a tree: a quoted text, an array literal {…}, or else up to a comma or
// parenthesis.
func (s *scan) logicValue() string {
	if v, ok := s.quotedElement(); ok {
		return v
	}
	start := s.pos
	array := s.attempt(func() bool {
		if !s.text("{") {
			return false
		}
		s.span(func(c rune) bool { return c != '{' && c != '}' })
		return s.text("}")
	})
	if array {
		return s.src[start:s.pos]
	}
	return s.span(isListText)
}

// logicKey is the name of a logic parameter taken apart; operator has not. before it where it is negated.
type logicKey struct {
	path     []string
	operator string
}

// logicPath reads the name of a logic parameter, such as rel.not.or. not can stand anywhere before the operator.
func logicPath(s *scan) (k logicKey, ok bool) {
	names, ok := s.path()
	if !ok {
		return k, false
	}
	last := len(names) - 1
	k.operator = names[last]
	if slices.Contains(names, "not") {
		k.operator = "not." + k.operator
	}
	k.path = slices.DeleteFunc(names[:last], func(n string) bool { return n == "not" })
	return k, true
}
