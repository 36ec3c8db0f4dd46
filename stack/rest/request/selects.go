package request

// selectList reads select=: fields, embeds and spreads separated by commas. An empty text selects nothing. Like the server it
// stops at the first thing that cannot go on and leaves the rest unread: an item itself has to end at a comma, a closing
// parenthesis or the end.
func selectList(s *scan) (items []SelectItem, ok bool) {
	item := func() bool {
		it, ok := s.selectItem()
		items = append(items, it)
		return ok
	}
	start := s.pos
	if item() {
		ok = s.many(func() bool { return s.lexeme(',') && item() })
		return items, ok
	}
	return nil, s.pos == start
}

// lexeme is one character with blanks around it.
func (s *scan) lexeme(c byte) bool {
	s.blanks()
	if !s.char(c) {
		return false
	}
	s.blanks()
	return true
}

// selectItem is a spread, an embed or a field, tried in this order.
func (s *scan) selectItem() (SelectItem, bool) {
	node := &Node{}
	switch {
	case s.attempt(func() bool { return s.spreadHead(node) }), s.attempt(func() bool { return s.embedHead(node) }):
		return s.embedBody(node)
	}
	return s.selectField()
}

// embedBody is what is selected of an embed. It is not tried but demanded: the head has seen the parenthesis.
func (s *scan) embedBody(node *Node) (SelectItem, bool) {
	if !s.char('(') {
		return SelectItem{}, false
	}
	ok := s.nested(func() (ok bool) {
		node.Select, ok = selectList(s)
		return ok
	})
	return SelectItem{Embed: node}, ok && s.char(')')
}

// spreadHead is ...rel!hint!inner before its parenthesis.
func (s *scan) spreadHead(node *Node) (ok bool) {
	s.blanks()
	if !s.text("...") {
		return false
	}
	node.Spread = true
	if node.Name, ok = s.fieldName(); !ok {
		return false
	}
	return s.embedParams(node) && s.beforeParenthesis()
}

// embedHead is alias:rel!hint!inner before its parenthesis. count is no relation: count() is the aggregate.
func (s *scan) embedHead(node *Node) (ok bool) {
	*node = Node{}
	s.blanks()
	if node.Alias, ok = s.alias(); !ok {
		return false
	}
	if node.Name, ok = s.fieldName(); !ok || node.Name == "count" {
		return false
	}
	return s.embedParams(node) && s.beforeParenthesis()
}

// beforeParenthesis tells an embed from a column.
func (s *scan) beforeParenthesis() bool {
	if !s.endBefore("(") {
		return false
	}
	s.blanks()
	return true
}

// alias is an optional name followed by a single colon.
func (s *scan) alias() (name string, ok bool) {
	got, ok := s.optional(func() bool {
		return s.attempt(func() bool {
			if name, ok = s.fieldName(); !ok {
				return false
			}
			return s.char(':') && s.notBefore(func(c rune) bool { return c == ':' }, `":"`)
		})
	})
	if !got {
		name = ""
	}
	return name, ok
}

// embedParams reads up to two of !left, !inner and !hint. The first of each kind counts.
func (s *scan) embedParams(node *Node) bool {
	for range 2 {
		got, ok := s.optional(func() bool { return s.embedParam(node) })
		if !ok {
			return false
		}
		if !got {
			break
		}
	}
	return true
}

// embedParam is one of them. left and inner are taken even as the beginning of a longer word, which then fails.
func (s *scan) embedParam(node *Node) bool {
	if !s.char('!') {
		return false
	}
	join := JoinDefault
	switch {
	case s.attempt(func() bool { return s.text("left") }):
		join = JoinLeft
	case s.attempt(func() bool { return s.text("inner") }):
		join = JoinInner
	default:
		var hint string
		ok := s.attempt(func() (ok bool) {
			hint, ok = s.fieldName()
			return ok
		})
		if node.Hint == "" {
			node.Hint = hint
		}
		return ok
	}
	if node.Join == JoinDefault {
		node.Join = join
	}
	return true
}

// selectField is the star, count() or a column with its path, casts and aggregate.
func (s *scan) selectField() (SelectItem, bool) {
	f := &SelectField{}
	s.blanks()
	ok := s.attempt(func() bool { return s.star(f) }) ||
		s.attempt(func() bool { return s.countAll(f) }) ||
		s.column(f)
	if !ok {
		return SelectItem{}, false
	}
	s.blanks()
	return SelectItem{Field: f}, true
}

// star is * alone: it takes neither alias nor cast.
func (s *scan) star(f *SelectField) bool {
	f.Field.Name = "*"
	return s.text("*") && s.fieldEnd()
}

// countAll is count() without a column.
func (s *scan) countAll(f *SelectField) (ok bool) {
	*f = SelectField{Aggregate: AggregateCount}
	if f.Alias, ok = s.alias(); !ok || !s.text("count()") {
		return false
	}
	if f.AggregateCast, ok = s.cast(); !ok {
		return false
	}
	return s.fieldEnd()
}

// column is a field with everything that can come with it.
func (s *scan) column(f *SelectField) (ok bool) {
	*f = SelectField{}
	if f.Alias, ok = s.alias(); !ok {
		return false
	}
	if f.Field, ok = s.field(); !ok {
		return false
	}
	if f.Cast, ok = s.cast(); !ok {
		return false
	}
	if _, ok = s.optional(func() bool { return s.aggregate(f) }); !ok {
		return false
	}
	if f.AggregateCast, ok = s.cast(); !ok {
		return false
	}
	return s.fieldEnd()
}

// cast is an optional ::type.
func (s *scan) cast() (name string, ok bool) {
	_, ok = s.optional(func() (ok bool) {
		if !s.text("::") {
			return false
		}
		name, ok = s.identifier()
		return ok
	})
	return name, ok
}

// aggregate is .sum(), .avg(), .count(), .max() or .min(). It never fails after the dot, but the failure it leaves is reported
// when the field does not end here.
func (s *scan) aggregate(f *SelectField) bool {
	return s.attempt(func() bool {
		if !s.char('.') {
			return false
		}
		name, ok := s.aggregateName()
		if !ok || !s.text("()") {
			return false
		}
		f.Aggregate = name
		return true
	})
}

// aggregateName tries the names in the server's order. Names are compared letter by letter, and the first letter that fits
// decides, but for max and min.
func (s *scan) aggregateName() (Aggregate, bool) {
	for _, name := range []Aggregate{AggregateSum, AggregateAvg, AggregateCount} {
		start := s.pos
		if s.text(string(name)) {
			return name, true
		}
		if s.pos != start {
			return AggregateNone, false
		}
	}
	for _, name := range []Aggregate{AggregateMax, AggregateMin} {
		if s.attempt(func() bool { return s.text(string(name)) }) {
			return name, true
		}
	}
	return AggregateNone, false
}

// fieldEnd makes sure that nothing belongs to the field any more.
func (s *scan) fieldEnd() bool {
	return s.endBefore(")") || s.endBefore(",") || s.attempt(s.end)
}
