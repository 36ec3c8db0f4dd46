package query

import (
	"slices"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// mutation is a write on a table.
type mutation struct {
	table     *schema.Table
	columns   []bodyColumn
	where     []condition
	returning []string // columns; nil means that only the number of rows is needed
	conflict  []string // columns to find conflicting rows by
	merge     bool     // update conflicting rows
	ignore    bool     // keep conflicting rows
}

// write plans an insert, update, upsert or delete. Its statement is of the form
//
//	WITH pgrst_source AS (INSERT INTO "public"."films"(…) SELECT … FROM … RETURNING …)
//	SELECT count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, …
//	FROM (SELECT … FROM pgrst_source AS films LEFT JOIN LATERAL …) _postgrest_t
//
// so that the answer to a write can select and embed as the answer to a read can. What is embedded is read as it was
// before the write, since both are one statement; what the write returned is as it was after.
func (p *planner) write() (*Plan, error) {
	table, err := p.target()
	if err != nil {
		return nil, err
	}
	root, err := p.tree(table.Name, true)
	if err != nil {
		return nil, err
	}
	m, err := p.mutation(table, root)
	if err != nil {
		return nil, err
	}
	if err := p.req.Prefer.CheckHandling(); err != nil {
		return nil, err
	}
	out, err := p.negotiate(table.Name, root)
	if err != nil {
		return nil, err
	}
	w := newWriter()
	w.explain(out)
	w.sql("WITH ", sourceCTE, " AS (")
	p.writeMutation(w, m)
	w.sql(") SELECT NULL::bigint AS total_result_set, ")
	w.pageCount(out)
	w.body(out, nil)
	w.settings()
	p.insertedColumn(w, m)
	p.locationColumn(w, table)
	w.sql(" FROM (")
	if out.kind == formatNone {
		// Without a body the columns of select= are not read, so they need no privileges.
		w.sql("SELECT * FROM ", sourceCTE)
	} else {
		w.read(root)
	}
	w.sql(") ", rowAlias)
	return &Plan{
		Main: w.statement(), Media: out.media, Explain: out.explain, Table: table,
		ConflictKey: table.HasPrimaryKey() || p.req.OnConflict != nil,
	}, nil
}

// mutation resolves what is written.
func (p *planner) mutation(table *schema.Table, root *node) (*mutation, error) {
	m := &mutation{table: table}
	// What is returned is read, so only a representation or a Location needs the right to read.
	if r := p.req.Prefer.Return; r == request.ReturnRepresentation || r == request.ReturnHeadersOnly {
		m.returning = neededColumns(root, table.PrimaryKey)
	}
	for _, l := range p.req.Where {
		m.where = append(m.where, p.condition(table, l))
	}
	if p.req.Action == request.ActionDelete {
		return m, nil
	}
	if p.req.Action == request.ActionUpsertOne && !selectsOneKey(table, p.req.Where) {
		return nil, badPutFilters()
	}
	var err error
	if m.columns, err = p.bodyColumns(table); err != nil {
		return nil, err
	}
	switch p.req.Action {
	case request.ActionUpsertOne:
		// PUT has no choice of key or resolution, and on_conflict= means nothing to it.
		m.conflict, m.merge = table.PrimaryKey, true
	case request.ActionInsert:
		m.conflict = table.PrimaryKey
		if p.req.OnConflict != nil {
			m.conflict = p.req.OnConflict
		}
		m.merge = p.req.Prefer.Resolution == request.ResolutionMerge
		m.ignore = p.req.Prefer.Resolution == request.ResolutionIgnore
	}
	return m, nil
}

// selectsOneKey reports whether the filters of a PUT are equalities on all columns of the primary key and nothing else.
func selectsOneKey(table *schema.Table, where []request.Logic) bool {
	var names []string
	for _, l := range where {
		f := l.Filter
		if f == nil || f.Negated || f.Operator != request.OpEq || f.Quantifier != request.QuantifierNone {
			return false
		}
		names = append(names, f.Field.Name)
	}
	slices.Sort(names)
	return table.HasPrimaryKey() && slices.Equal(slices.Compact(names), slices.Sorted(slices.Values(table.PrimaryKey)))
}

// neededColumns are the columns that a write or a call must return for the answer: those selected, those that embeds
// are joined by, and the primary key for the Location header. A star already has them all.
func neededColumns(root *node, extra []string) []string {
	var names []string
	for _, f := range root.fields {
		names = append(names, f.column.name)
	}
	if slices.Contains(names, "*") {
		return []string{"*"}
	}
	// Repeated names would be ambiguous further up, so they are collected once.
	for _, c := range root.children {
		switch {
		case c.rel.Cardinality == schema.Computed:
			return []string{"*"} // its function takes the whole row
		case c.rel.Junction != nil:
			for _, p := range c.rel.Junction.FromFields {
				names = append(names, p.Column)
			}
		default:
			for _, p := range c.rel.Columns {
				names = append(names, p.Column)
			}
		}
	}
	names = append(names, extra...)
	slices.Sort(names)
	return slices.Compact(names)
}

// writeMutation writes the statement inside of pgrst_source.
func (p *planner) writeMutation(w *writer, m *mutation) {
	switch p.req.Action {
	case request.ActionUpdate:
		p.update(w, m)
	case request.ActionDelete:
		w.sql("DELETE FROM ")
		w.name(m.table.Name)
		w.conditions(m.table.Name, m.where)
		w.returning(m)
	default:
		p.insert(w, m)
	}
}

// insert writes INSERT for POST and PUT:
//
//	INSERT INTO t(a, b) SELECT pgrst_body.a, pgrst_body.b FROM <body>
//	ON CONFLICT (key) DO UPDATE SET a = EXCLUDED.a, b = EXCLUDED.b RETURNING 1
//
// A body of a thousand rows is one argument of one statement, which fails or succeeds as a whole.
func (p *planner) insert(w *writer, m *mutation) {
	put := p.req.Action == request.ActionUpsertOne
	w.sql("INSERT INTO ")
	w.name(m.table.Name)
	if len(m.columns) > 0 {
		w.sql("(")
		list(w, ", ", m.columns, func(c bodyColumn) { w.ident(c.name) })
		w.sql(")")
	}
	w.sql(" SELECT ")
	list(w, ", ", m.columns, func(c bodyColumn) { w.column(schema.Name{Name: bodyAlias}, c.name) })
	w.sql(" FROM ")
	s := newSource(p.req.Payload, m.columns)
	// PUT writes the whole row: keys that are absent become NULL.
	s.defaults = !put && p.req.Prefer.Missing == request.MissingDefault
	w.fromBody(s)
	if m.merge {
		w.sql(" WHERE ")
		w.countInserted("+", "0")
	}
	if put {
		// A body that contradicts the URL inserts nothing, which the server answers with PGRST115.
		for _, c := range m.where {
			w.sql(" AND ")
			w.condition(schema.Name{Name: bodyAlias}, c)
		}
	}
	w.onConflict(m)
	w.returning(m)
}

// onConflict writes what happens to rows that are there.
func (w *writer) onConflict(m *mutation) {
	if len(m.conflict) == 0 || !m.merge && !m.ignore {
		return
	}
	w.sql(" ON CONFLICT (")
	list(w, ", ", m.conflict, w.ident)
	w.sql(") DO ")
	if m.ignore || len(m.columns) == 0 {
		// An arbiter is named all the same, which makes SELECT policies apply to the new row.
		w.sql("NOTHING")
		return
	}
	w.sql("UPDATE SET ")
	list(w, ", ", m.columns, func(c bodyColumn) {
		w.ident(c.name)
		w.sql(" = EXCLUDED.")
		w.ident(c.name)
	})
	w.sql(" WHERE ")
	w.countInserted("-", "-1")
}

// countInserted writes a condition that is always true and counts rows in a setting of the transaction: one up for each
// row of the body, one down for each that became an update. What is left was inserted.
func (w *writer) countInserted(sign, never string) {
	w.sql("set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) ", sign,
		" 1)::text, true) <> '", never, "'")
}

// update writes UPDATE:
//
//	UPDATE t SET a = pgrst_body.a FROM <body> WHERE t.id = $2 RETURNING 1
//
// An empty body changes nothing, but its answer has the right columns.
func (p *planner) update(w *writer, m *mutation) {
	if len(m.columns) == 0 {
		w.sql("SELECT ")
		if len(m.returning) == 0 {
			w.sql("NULL")
		}
		list(w, ", ", m.returning, func(c string) { w.column(schema.Name{Name: m.table.Name.Name}, c) })
		w.sql(" FROM ")
		w.name(m.table.Name)
		w.sql(" WHERE false")
		return
	}
	w.sql("UPDATE ")
	w.name(m.table.Name)
	w.sql(" SET ")
	list(w, ", ", m.columns, func(c bodyColumn) {
		w.ident(c.name)
		w.sql(" = ")
		w.column(schema.Name{Name: bodyAlias}, c.name)
	})
	w.sql(" FROM ")
	s := newSource(p.req.Payload, m.columns)
	s.defaults = p.req.Prefer.Missing == request.MissingDefault
	w.fromBody(s)
	w.conditions(m.table.Name, m.where)
	w.returning(m)
}

// conditions writes WHERE. Without filters a write touches every row, as in PostgREST; pg-safeupdate is the database's
// answer to that.
func (w *writer) conditions(relation schema.Name, where []condition) {
	if len(where) == 0 {
		return
	}
	w.sql(" WHERE ")
	list(w, " AND ", where, func(c condition) { w.condition(relation, c) })
}

// returning writes RETURNING. Reading a column there needs the SELECT privilege and makes SELECT policies apply, so
// a write that returns nothing to the client returns a constant.
func (w *writer) returning(m *mutation) {
	w.sql(" RETURNING ")
	if len(m.returning) == 0 {
		w.sql("1")
		return
	}
	list(w, ", ", m.returning, func(c string) { w.column(m.table.Name, c) })
}

// insertedColumn writes the number of inserted rows, for the choice between 200 and 201.
func (p *planner) insertedColumn(w *writer, m *mutation) {
	if m.merge {
		w.sql(", nullif(current_setting('pgrst.inserted', true), '')::int AS response_inserted")
	} else {
		w.sql(", NULL AS response_inserted")
	}
}

// locationColumn writes the key of the row, when exactly one was inserted.
func (p *planner) locationColumn(w *writer, t *schema.Table) {
	if p.req.Action != request.ActionInsert || p.req.Prefer.Return != request.ReturnHeadersOnly {
		w.sql(", NULL AS location")
		return
	}
	w.sql(", CASE WHEN pg_catalog.count(", rowAlias, ") = 1 THEN (SELECT json_agg(k.key || '=' || coalesce('eq.' || k.value, 'is.null'))",
		" FROM (SELECT row_to_json(r) AS line FROM ", sourceCTE, " AS r LIMIT 1) l CROSS JOIN json_each_text(l.line) AS k",
		" WHERE k.key = ANY (")
	w.arg(arrayLiteral(t.PrimaryKey))
	w.sql("::text[])) END AS location")
}
