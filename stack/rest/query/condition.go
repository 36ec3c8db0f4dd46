package query

import (
	"slices"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// condition is a part of WHERE: exactly one of filter, exists and group is set.
type condition struct {
	filter *filter
	exists *embedFilter
	group  *group
}

// filter compares a column.
type filter struct {
	request.Filter
	column   column
	parse    string // function of a domain representation that reads the value, empty for none
	toVector bool   // the column has to be turned into a tsvector for a full text search
}

// embedFilter asks whether an embed found something: child=not.is.null.
type embedFilter struct {
	child  *node
	absent bool
}

// group joins conditions with and or or.
type group struct {
	negated bool
	or      bool
	parts   []condition
}

// condition resolves a tree of filters on a relation.
func (p *planner) condition(t *schema.Table, l request.Logic) condition {
	if l.Filter != nil {
		return condition{filter: p.filter(t, l.Filter)}
	}
	g := &group{negated: l.Negated, or: l.Operator == request.LogicOr}
	for _, part := range l.Nodes {
		g.parts = append(g.parts, p.condition(t, part))
	}
	return condition{group: g}
}

// filter resolves a comparison. Its column need not exist: PostgreSQL tells, since it can be a function of the row. Full
// text search turns what it knows to be another type into a tsvector, and takes functions of the row as they are.
func (p *planner) filter(t *schema.Table, f *request.Filter) *filter {
	col, typ := resolve(t, f.Field)
	out := &filter{Filter: *f, column: col}
	// Values come from a URL, so it is the reader of text that counts, not that of JSON.
	if fn, ok := p.snap.Representation("text", typ); ok {
		out.parse = fn
	}
	if fullText(f.Operator) && t != nil {
		c, known := t.Column(f.Field.Name)
		out.toVector = known && c.Type != "tsvector"
	}
	return out
}

// fullText reports whether an operator searches text.
func fullText(op request.Operator) bool {
	switch op {
	case request.OpFullText, request.OpFullTextPlain, request.OpFullTextPhrase, request.OpFullTextWebsite:
		return true
	default:
		return false
	}
}

// resolveFilters turns "is null" on the name of an embed into a question about that embed.
func (n *node) resolveFilters() {
	for i := range n.where {
		n.where[i] = n.resolveFilter(n.where[i])
	}
	for _, c := range n.children {
		c.resolveFilters()
	}
}

// resolveFilter replaces the filter where it names an embed; a real column of that name is hidden by it, as in PostgREST.
func (n *node) resolveFilter(c condition) condition {
	if c.group != nil {
		g := *c.group
		g.parts = slices.Clone(g.parts)
		for i := range g.parts {
			g.parts[i] = n.resolveFilter(g.parts[i])
		}
		return condition{group: &g}
	}
	f := c.filter
	if f == nil || f.Operator != request.OpIs || f.Is != request.IsNull || len(f.Field.Path) > 0 {
		return c
	}
	for _, child := range n.children {
		if child.key == f.Field.Name {
			return condition{exists: &embedFilter{child: child, absent: !f.Negated}}
		}
	}
	return c
}

// asksFor reports whether the condition looks at what an embed found.
func (c condition) asksFor(child *node) bool {
	switch {
	case c.exists != nil:
		return c.exists.child == child
	case c.group != nil:
		return slices.ContainsFunc(c.group.parts, func(part condition) bool { return part.asksFor(child) })
	default:
		return false
	}
}

// resolveOrders finds the embeds that rows are sorted by. They must give one row.
func resolveOrders(n *node) error {
	for i, o := range n.order {
		if o.embed == "" {
			continue
		}
		at := slices.IndexFunc(n.children, func(c *node) bool { return c.key == o.embed })
		if at < 0 {
			return notEmbedded(o.embed)
		}
		child := n.children[at]
		if !child.rel.ToOne() {
			return orderNotToOne(n.from.Name, child.key)
		}
		n.order[i].embed = child.embed
	}
	for _, c := range n.children {
		if err := resolveOrders(c); err != nil {
			return err
		}
	}
	return nil
}

// condition writes a condition on a relation.
func (w *writer) condition(relation schema.Name, c condition) {
	switch {
	case c.group != nil:
		w.group(c.group, func(part condition) { w.condition(relation, part) })
	case c.exists != nil:
		w.ident(c.exists.child.embed)
		if c.exists.absent {
			w.sql(" IS NOT DISTINCT FROM NULL")
		} else {
			w.sql(" IS DISTINCT FROM NULL")
		}
	default:
		w.filter(relation, c.filter)
	}
}

// group writes conditions joined by AND or OR; write writes each of them.
func (w *writer) group(g *group, write func(condition)) {
	if g.negated {
		w.sql("NOT ")
	}
	separator := " AND "
	if g.or {
		separator = " OR "
	}
	w.sql("(")
	list(w, separator, g.parts, write)
	w.sql(")")
}

// filter writes a comparison.
func (w *writer) filter(relation schema.Name, f *filter) {
	if f.Negated {
		w.sql("NOT ")
	}
	w.filterColumn(relation, f)
	switch f.Operator {
	case request.OpIs:
		w.sql(" IS ", isKeyword(f.Is))
	case request.OpIsDistinct:
		w.sql(" IS DISTINCT FROM ")
		w.arg(f.Value)
	case request.OpIn:
		w.inList(f)
	case request.OpFullText, request.OpFullTextPlain, request.OpFullTextPhrase, request.OpFullTextWebsite:
		w.sql(" @@ ", queryFunction(f.Operator), "(")
		w.language(f.Language)
		w.arg(f.Value)
		w.sql(")")
	default:
		w.sql(" ", operator(f.Operator), " ")
		w.operand(f)
	}
}

// filterColumn writes the left side of a comparison.
func (w *writer) filterColumn(relation schema.Name, f *filter) {
	if !f.toVector {
		w.columnValue(relation, f.column)
		return
	}
	w.sql("to_tsvector(")
	w.language(f.Language)
	w.columnValue(relation, f.column)
	w.sql(")")
}

// language writes the text search configuration, an argument that becomes a regconfig.
func (w *writer) language(name string) {
	if name != "" {
		w.arg(name)
		w.sql(", ")
	}
}

// operand writes the right side of a comparison. In patterns the star stands for the percent sign, which URLs have to
// escape.
func (w *writer) operand(f *filter) {
	value, parse := f.Value, f.parse
	if f.Operator == request.OpLike || f.Operator == request.OpILike {
		value, parse = starToPercent(value), ""
	}
	switch f.Quantifier {
	case request.QuantifierAny:
		w.sql("ANY(")
		defer w.sql(")")
	case request.QuantifierAll:
		w.sql("ALL(")
		defer w.sql(")")
	}
	if parse == "" {
		w.arg(value)
		return
	}
	w.sql(parse, "(")
	w.arg(value)
	w.sql(")")
}

// inList writes in.(…) as one array argument, so that the length of the list does not change the statement.
func (w *writer) inList(f *filter) {
	values := f.List
	// in.() is how an empty list is written. A list of one empty text cannot be.
	if len(values) == 1 && values[0] == "" {
		values = nil
	}
	if f.parse == "" || values == nil {
		w.sql(" = ANY (")
		w.arg(arrayLiteral(values))
		w.sql(")")
		return
	}
	// The function reads one text, so it is applied to each element.
	w.sql(" = ANY (SELECT ", f.parse, "(unnest(")
	w.arg(arrayLiteral(values))
	w.sql("::text[])))")
}

// order writes ORDER BY.
func (w *writer) order(relation schema.Name, terms []orderTerm) {
	if len(terms) == 0 {
		return
	}
	w.sql(" ORDER BY ")
	list(w, ", ", terms, func(o orderTerm) {
		if o.embed != "" {
			w.columnValue(schema.Name{Name: o.embed}, o.column)
		} else {
			w.columnValue(relation, o.column)
		}
		switch o.dir {
		case request.DirectionAsc:
			w.sql(" ASC")
		case request.DirectionDesc:
			w.sql(" DESC")
		}
		switch o.nulls {
		case request.NullsFirst:
			w.sql(" NULLS FIRST")
		case request.NullsLast:
			w.sql(" NULLS LAST")
		}
	})
}
