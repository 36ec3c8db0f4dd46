package query

import (
	"cmp"
	"slices"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// The rows of an embed come as jsonb: keys in its order, its blanks, its spelling of numbers. Where the keys are known
// the text of that can be put together from the text of the values, which costs PostgreSQL half of what it takes to write
// the rows as JSON, read them into a jsonb and write that, again at each level.

// part is a key of an embed's row with its value.
type part struct {
	key   string
	value func(w *writer) // JSON as jsonb writes it; NULL for null
}

// markTexts decides about the node and all below it, when everything else is.
func (n *node) markTexts() {
	for _, c := range n.children {
		c.markTexts()
	}
	n.asText = n.hasPlainKeys()
}

// hasPlainKeys reports whether the node is an embed whose rows can be put together as text.
func (n *node) hasPlainKeys() bool {
	if n.rel == nil || n.spread != notSpread || n.selectsNothing() || n.aggregates() {
		return false // a root, columns of the parent, or groups, which take jsonb to be equal
	}
	seen := make(map[string]bool, len(n.fields)+len(n.outputs))
	plain := func(key string) bool {
		repeated := seen[key]
		seen[key] = true
		return !repeated && plainKey(key)
	}
	for _, f := range n.fields {
		if f.column.name == "*" || f.column.wholeRow || !plain(f.outName()) {
			return false
		}
	}
	for _, o := range n.outputs {
		if o.child.spread != notSpread || o.empty || !plain(o.child.key) {
			return false
		}
	}
	return true
}

// markLists finds the embeds that can be subqueries of the select list, here and below: lists that nothing else looks at.
// PostgreSQL joins first and sorts then, but with a LIMIT it evaluates an expensive select list only for the rows that are
// left (planner.c, make_sort_input_target). An embed of one row stays joined: a view can have more, which are rows then.
func (n *node) markLists() {
	whole := n.spread == notSpread && !n.aggregates() && !n.outputsAggregate()
	for _, o := range n.outputs {
		c := o.child
		c.inList = whole && c.spread == notSpread && !c.inner && !o.empty && !c.rel.ToOne() &&
			!slices.ContainsFunc(n.where, func(where condition) bool { return where.asksFor(c) })
		c.markLists()
	}
}

// plainKey reports whether PostgreSQL keeps a name as it is and JSON needs no escapes for it. Names of more bytes than 63
// are cut off (NAMEDATALEN).
func plainKey(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return len(name) <= 63
}

// rowText writes a row of the embed as an object: shorter keys come first, then in the order of their bytes.
func (w *writer) rowText(n *node) {
	rows := schema.Name{Name: n.embed}
	var parts []part
	for _, f := range n.fields {
		parts = append(parts, part{key: f.outName(), value: func(w *writer) { w.valueText(rows, f, n.table) }})
	}
	for _, o := range n.outputs {
		parts = append(parts, part{key: o.child.key, value: func(w *writer) {
			w.column(rows, o.child.key)
			if !o.child.asText {
				w.sql("::text")
			}
		}})
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(len(a.key), len(b.key)), cmp.Compare(a.key, b.key)) })
	opening := "{"
	for _, p := range parts {
		// The client chose the key, so it is an argument.
		w.arg(opening + `"` + p.key + `": `)
		w.sql("::text || COALESCE(")
		p.value(w)
		w.sql(", 'null') || ")
		opening = ", "
	}
	w.sql("'}'")
}

// valueText writes a value of the subquery's rows. Whatever its type is, to_json, jsonb and text make the text of it; where
// the snapshot knows the type, steps that change nothing are left out. If it is another one by now, the cast fails or the
// text is that of json, so it is always a JSON value.
func (w *writer) valueText(rows schema.Name, f field, table *schema.Table) {
	value := func(before, after string) {
		w.sql(before)
		w.column(rows, f.outName())
		w.sql(after)
	}
	switch kind(f, table) {
	case kindInteger:
		value("", "::int8::text")
	case kindBoolean:
		value("", "::bool::text")
	case kindString:
		value("to_json(", ")::text")
	default:
		value("to_json(", ")::jsonb::text")
	}
}

// valueKind is what is known of the text of a value.
type valueKind int

const (
	kindOther   valueKind = iota
	kindInteger           // digits
	kindBoolean           // true or false
	kindString            // the same in json and jsonb: a string, or a number without exponent
)

// kind tells what a field is when it is a column as it is.
func kind(f field, table *schema.Table) valueKind {
	if table == nil || f.cast != "" || f.column.convert != "" || len(f.column.path) > 0 || f.aggregate != request.AggregateNone {
		return kindOther
	}
	c, ok := table.Column(f.column.name)
	if !ok {
		return kindOther
	}
	if c.Enum != nil {
		return kindString
	}
	switch c.Type {
	case "smallint", "integer", "bigint":
		return kindInteger
	case "boolean":
		return kindBoolean
	case "text", "character varying", "character", "uuid", "date", "numeric", "bytea", "interval", "inet", "cidr", "name",
		"timestamp with time zone", "timestamp without time zone", "time with time zone", "time without time zone":
		return kindString
	default:
		return kindOther
	}
}

// outName is the name of a field in the rows of its node.
func (f field) outName() string {
	if f.alias != "" {
		return f.alias
	}
	return f.column.name
}
