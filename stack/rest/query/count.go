package query

import (
	"strconv"

	"github.com/supascore/supascore/stack/rest/request"
)

// countRows writes a query with a row for each row that the node would give without limit:
//
//	SELECT 1 FROM films WHERE … AND EXISTS (SELECT 1 FROM roles AS roles_1 WHERE …)
//
// It runs under the same role and policies as the rows themselves. Inner joins become EXISTS,
// because they drop rows; other embeds do not change the count. Nothing but the filters is evaluated.
func (w *writer) countRows(n *node) {
	w.sql("SELECT 1")
	w.from(n)
	var items []func()
	for _, c := range n.where {
		items = append(items, func() { w.countCondition(n, c) })
	}
	items = append(items, w.joinConditions(n)...)
	for _, c := range n.children {
		if c.inner {
			items = append(items, func() { w.exists(c) })
		}
	}
	if len(items) == 0 {
		return
	}
	w.sql(" WHERE ")
	list(w, " AND ", items, func(write func()) { write() })
}

// exists asks whether an embed would find a row.
func (w *writer) exists(n *node) {
	w.sql("EXISTS (")
	w.countRows(n)
	w.sql(")")
}

// countCondition writes a condition where embeds are not joined.
func (w *writer) countCondition(n *node, c condition) {
	switch {
	case c.group != nil:
		w.group(c.group, func(part condition) { w.countCondition(n, part) })
	case c.exists != nil:
		if c.exists.absent {
			w.sql("NOT ")
		}
		w.exists(c.exists.child)
	default:
		w.filter(n.ref(), c.filter)
	}
}

// counts reports whether the statement itself counts all rows: exactly, or up to a limit for an estimate.
func (p *planner) counts() bool {
	return p.req.Prefer.Count == request.CountExact || p.req.Prefer.Count == request.CountEstimated
}

// countCTE writes the counting query next to the main one. An estimate need only know whether max-rows is exceeded.
func (p *planner) countCTE(w *writer, root *node) {
	if !p.counts() {
		return
	}
	w.sql(", ", countCTE, " AS (")
	w.countRows(root)
	read := p.req.Action == request.ActionRead
	if read && p.req.Prefer.Count == request.CountEstimated && p.opts.MaxRows != nil {
		w.sql(" LIMIT ")
		w.arg(strconv.FormatInt(*p.opts.MaxRows+1, 10))
	}
	w.sql(")")
}

// countColumn writes the total: NULL when the client did not ask, so that the column is always there.
func (p *planner) countColumn(w *writer) {
	if p.counts() {
		w.sql("(SELECT pg_catalog.count(*) FROM ", countCTE, ")")
	} else {
		w.sql("NULL::bigint")
	}
}

// estimate asks the planner how many rows it expects. Its statistics know nothing of policies, so the number can tell
// more than the role may see, as in PostgREST.
func estimate(root *node) *Statement {
	w := newWriter()
	w.sql("EXPLAIN (FORMAT JSON) ")
	w.countRows(root)
	s := w.statement()
	return &s
}

// pageCount writes the number of rows in the answer. Without a body it counts the rows as values, so that they are made, and
// what is wrong with them is found.
func (w *writer) pageCount(out format) {
	if out.kind == formatNone {
		w.sql("pg_catalog.count(", rowAlias, ")")
	} else {
		w.sql("pg_catalog.count(*)")
	}
	w.sql(" AS page_total, ")
}
