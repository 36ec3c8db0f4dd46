package request

// orderTerms reads order=: columns, or rel(column), each with an optional direction and place of nulls.
func orderTerms(s *scan) (terms []OrderTerm, ok bool) {
	ok = s.sepBy1(func() bool {
		t, ok := s.orderTerm()
		terms = append(terms, t)
		return ok
	}, func() bool { return s.char(',') })
	return terms, ok
}

// orderTerm is one of them. rel(column) is tried first, as both begin with a name.
func (s *scan) orderTerm() (t OrderTerm, ok bool) {
	s.blanks()
	if !s.attempt(func() bool { return s.relatedTerm(&t) }) {
		t = OrderTerm{}
		if t.Field, ok = s.field(); !ok || !s.sorting(&t) {
			return t, false
		}
	}
	s.blanks()
	return t, true
}

// relatedTerm orders by a column of an embed, which the planner allows when there is at most one row of it.
func (s *scan) relatedTerm(t *OrderTerm) (ok bool) {
	if t.Relation, ok = s.fieldName(); !ok || !s.char('(') {
		return false
	}
	if t.Field, ok = s.field(); !ok || !s.char(')') {
		return false
	}
	return s.sorting(t)
}

// sorting is .asc or .desc, then .nullsfirst or .nullslast, then a comma or the end.
func (s *scan) sorting(t *OrderTerm) bool {
	switch {
	case s.suffix("asc"):
		t.Direction = DirectionAsc
	case s.suffix("desc"):
		t.Direction = DirectionDesc
	}
	switch {
	case s.suffix("nullsfirst"):
		t.Nulls = NullsFirst
	case s.suffix("nullslast"):
		t.Nulls = NullsLast
	}
	return s.endBefore(",") || s.attempt(s.end)
}

// suffix is a dot and a word. It is taken as a whole or not at all, so that .nullsfirst can follow a column directly.
func (s *scan) suffix(word string) bool {
	return s.attempt(func() bool { return s.delimiter() && s.text(word) })
}

// columnNames reads columns= and on_conflict=.
func columnNames(s *scan) (names []string, ok bool) {
	ok = s.sepBy1(func() bool {
		name, ok := s.fieldName()
		names = append(names, name)
		return ok
	}, func() bool { return s.lexeme(',') })
	return names, ok
}
