package query

import (
	"strconv"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// read writes the SELECT of a node with the joins of everything embedded into it. An embed of one row and one of many are
//
//	LEFT JOIN LATERAL (SELECT … FROM directors AS directors_1 WHERE …) AS films_directors_1 ON TRUE
//	LEFT JOIN LATERAL (SELECT json_agg(films_roles_1)::jsonb AS films_roles_1 FROM (SELECT …) AS films_roles_1)
//	  AS films_roles_1 ON TRUE
//
// and are selected as row_to_json(films_directors_1.*) and films_roles_1.films_roles_1. Most are put together as text
// instead, see rowText, and most lists are not joined, see markLists.
func (w *writer) read(n *node) {
	w.sql("SELECT ")
	w.selectList(n)
	w.from(n)
	for _, o := range n.outputs {
		if !o.child.inList {
			w.join(o)
		}
	}
	w.where(n)
	w.groupBy(n)
	if n.spread != spreadToMany { // sorted where the lists are made
		w.order(n.ref(), n.order)
	}
	w.limit(n.rows)
}

// selectList writes the node's own fields, then those of its embeds.
func (w *writer) selectList(n *node) {
	var items []func()
	for _, f := range n.fields {
		items = append(items, func() { w.field(n.ref(), f) })
	}
	if len(n.fields) == 0 && len(n.children) == 0 {
		// Something has to be read for the rows to be counted; the answer drops it.
		items = append(items, func() { w.column(n.ref(), "*") })
	}
	for _, e := range n.extra {
		relation := n.ref()
		if e.embed != "" {
			relation = schema.Name{Name: e.embed}
		}
		items = append(items, func() { w.field(relation, e.field) })
	}
	for _, o := range n.outputs {
		items = append(items, w.outputItems(n, o)...)
	}
	list(w, ", ", items, func(write func()) { write() })
}

// outputItems are the select items that an embed adds to its parent n.
func (w *writer) outputItems(n *node, o output) []func() {
	alias := o.child.embed
	switch {
	case o.child.spread != notSpread:
		var items []func()
		for _, f := range o.fields {
			items = append(items, func() {
				w.aggregated(f.aggregate, f.aggregateCast, func() { w.column(schema.Name{Name: alias}, f.name) })
				w.as(f.alias)
			})
		}
		return items
	case o.empty:
		return nil
	case o.child.asText:
		return []func(){func() {
			w.textOutput(o.child)
			w.sql(n.outputType(), " AS ")
			w.ident(o.child.key)
		}}
	case o.child.rel.ToOne():
		// jsonb, since GROUP BY needs a type with equality; it sorts keys and drops repeated ones.
		return []func(){func() {
			w.sql("row_to_json(")
			w.ident(alias)
			w.sql(".*)::jsonb AS ")
			w.ident(o.child.key)
		}}
	default:
		return []func(){func() {
			w.listOutput(o.child)
			w.sql(" AS ")
			w.ident(o.child.key)
		}}
	}
}

// listOutput writes the list that an embed gives, from where it was joined or made here.
func (w *writer) listOutput(n *node) {
	w.sql("COALESCE(")
	if n.inList {
		w.sql("(SELECT ")
		w.rowList(n)
		w.sql(" FROM (")
		w.read(n)
		w.sql(") AS ")
		w.ident(n.embed)
		w.sql(")")
	} else {
		w.column(schema.Name{Name: n.embed}, n.embed)
	}
	w.sql(", '[]')")
}

// textOutput writes the value of an embed that is put together as text.
func (w *writer) textOutput(n *node) {
	if !n.rel.ToOne() {
		w.listOutput(n)
		return
	}
	// Without a row there is no object. A row of nulls is one.
	w.sql("CASE WHEN ")
	w.ident(n.embed)
	w.sql(".* IS DISTINCT FROM NULL THEN ")
	w.rowText(n)
	w.sql(" END")
}

// outputType is the cast of the text of embeds to what the rows of n take. Groups and spreads need equality.
func (n *node) outputType() string {
	switch {
	case n.asText:
		return ""
	case n.spread != notSpread || n.aggregates() || n.outputsAggregate():
		return "::jsonb"
	default:
		return "::json"
	}
}

// from writes FROM with the junction of a many-to-many embed.
func (w *writer) from(n *node) {
	w.sql(" FROM ")
	if n.rel != nil && n.rel.Cardinality == schema.Computed {
		// The cast picks the overload: rows of a write or a call have no type of their own.
		w.name(n.rel.Function)
		w.sql("(")
		w.ident(n.parentRowName())
		w.sql("::")
		w.name(n.rel.Table)
		w.sql(")")
	} else {
		w.name(n.from)
	}
	w.as(n.alias)
	if n.rel != nil && n.rel.Junction != nil {
		w.sql(", ")
		w.name(n.rel.Junction.Table)
	}
}

// parentRowName names the row of the parent that a computed relationship starts from.
func (n *node) parentRowName() string {
	if n.parent.alias != "" {
		return n.parent.alias
	}
	return n.rel.Table.Name
}

// join writes the subquery of an embed. It sees the parent's row, and runs under the role and the policies of the
// request like any other part of the statement.
func (w *writer) join(o output) {
	c := o.child
	if c.inner {
		w.sql(" INNER JOIN LATERAL (")
	} else {
		w.sql(" LEFT JOIN LATERAL (")
	}
	if c.rel.ToOne() {
		// An inner join needs no condition: without a row the subquery gives nothing to join.
		w.read(c)
		w.sql(") AS ")
		w.ident(c.embed)
		w.sql(" ON TRUE")
		return
	}
	// An aggregate always gives a row, so an inner join has to look at its value.
	w.sql("SELECT ")
	w.rowList(c)
	w.sql(" AS ")
	w.ident(c.embed)
	w.spreadLists(o)
	w.sql(" FROM (")
	w.read(c)
	w.sql(") AS ")
	w.ident(c.embed)
	w.sql(") AS ")
	w.ident(c.embed)
	if c.inner {
		w.sql(" ON ")
		w.ident(c.embed)
		w.sql(" IS NOT NULL")
	} else {
		w.sql(" ON TRUE")
	}
}

// rowList writes the list of the rows of an embed, NULL for none.
func (w *writer) rowList(n *node) {
	if !n.asText {
		w.sql("json_agg(")
		w.ident(n.embed)
		w.sql(")::jsonb")
		return
	}
	w.sql("'[' || string_agg(")
	w.rowText(n)
	w.sql(", ', ') || ']'")
}

// spreadLists writes a list for each field of a to-many spread.
func (w *writer) spreadLists(o output) {
	rows := schema.Name{Name: o.child.embed}
	for _, f := range o.fields {
		w.sql(", COALESCE(json_agg(")
		w.column(rows, f.name)
		w.order(rows, o.child.order)
		w.sql("), '[]')::jsonb AS ")
		if f.alias != "" {
			w.ident(f.alias)
		} else {
			w.ident(f.name)
		}
	}
}

// where writes the filters of a node and the conditions that join it to its parent.
func (w *writer) where(n *node) {
	var items []func()
	for _, c := range n.where {
		items = append(items, func() { w.condition(n.ref(), c) })
	}
	items = append(items, w.joinConditions(n)...)
	if len(items) == 0 {
		return
	}
	w.sql(" WHERE ")
	list(w, " AND ", items, func(write func()) { write() })
}

// joinConditions are the equalities of the columns of a foreign key, or of both keys of a junction.
func (w *writer) joinConditions(n *node) []func() {
	if n.rel == nil {
		return nil
	}
	var items []func()
	equal := func(a schema.Name, column string, b schema.Name, other string) {
		items = append(items, func() {
			w.column(a, column)
			w.sql(" = ")
			w.column(b, other)
		})
	}
	if j := n.rel.Junction; j != nil {
		// The junction is read under the caller's privileges and policies like any other relation.
		for _, p := range j.ToFields {
			equal(j.Table, p.Foreign, n.rel.Foreign, p.Column)
		}
		for _, p := range j.FromFields {
			equal(j.Table, p.Foreign, n.parent.ref(), p.Column)
		}
		return items
	}
	for _, p := range n.rel.Columns {
		equal(n.ref(), p.Foreign, n.parent.ref(), p.Column)
	}
	return items
}

// groupBy writes GROUP BY with every field that is not aggregated, when one is.
func (w *writer) groupBy(n *node) {
	if !n.aggregates() && !n.outputsAggregate() {
		return
	}
	var items []func()
	for _, f := range n.fields {
		switch {
		case f.aggregate != "":
		case f.alias != "":
			items = append(items, func() { w.ident(f.alias) })
		default:
			items = append(items, func() { w.columnValue(n.ref(), f.column) })
		}
	}
	for _, o := range n.outputs {
		if o.child.spread == notSpread {
			items = append(items, func() { w.ident(o.child.key) })
			continue
		}
		for _, f := range o.fields {
			if f.aggregate == "" {
				items = append(items, func() { w.column(schema.Name{Name: o.child.embed}, f.outName()) })
			}
		}
	}
	if len(items) == 0 {
		return
	}
	w.sql(" GROUP BY ")
	list(w, ", ", items, func(write func()) { write() })
}

// outName is the name of a spread field in the answer.
func (f spreadField) outName() string {
	if f.alias != "" {
		return f.alias
	}
	return f.name
}

// limit writes LIMIT and OFFSET.
func (w *writer) limit(r request.Range) {
	if r.All() {
		return
	}
	w.sql(" LIMIT ")
	if r.Limit == nil {
		w.sql("ALL")
	} else {
		w.arg(strconv.FormatInt(*r.Limit, 10))
	}
	w.sql(" OFFSET ")
	w.arg(strconv.FormatInt(r.Offset, 10))
}
