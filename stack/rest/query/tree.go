package query

import (
	"strconv"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// tree resolves what is read. root names the relation whose columns and relationships count. fromSource says that the
// rows come from a write or a call, which the statement holds as pgrst_source.
func (p *planner) tree(root schema.Name, fromSource bool) (*node, error) {
	n := &node{name: root.Name, key: root.Name, from: root}
	n.table, _ = p.snap.Table(root)
	if fromSource {
		n.from, n.alias = schema.Name{Name: sourceCTE}, root.Name
	}
	if p.req.MissingEmbed != nil {
		return nil, notEmbedded(*p.req.MissingEmbed)
	}
	// Names are resolved before anything is derived from them, and the first thing that is wrong is the one reported:
	// relationships, then orders by an embed, then aggregates. The order of these steps is part of the contract.
	p.fill(n, p.req.Read)
	if err := p.addEmbeds(n, p.req.Read); err != nil {
		return nil, err
	}
	p.expandStars(n, false)
	n.addAliases()
	n.resolveFilters()
	if err := resolveOrders(n); err != nil {
		return nil, err
	}
	if err := p.checkAggregates(n); err != nil {
		return nil, err
	}
	n.addOutputs()
	n.hoistAggregates()
	n.markTexts()
	n.markLists()
	return n, n.sortSpreads()
}

// fill takes over what a node says about its own relation.
func (p *planner) fill(n *node, from *request.Node) {
	columns := n.table
	if n.parent != nil {
		// PostgREST looks columns up before it knows what is embedded, in the table of the name that the client wrote. By
		// the name of a key or of a computed relationship there is none, so a domain of it is read and written plainly.
		columns, _ = p.snap.Table(schema.Name{Schema: p.req.Schema, Name: from.Name})
	}
	for _, item := range from.Select {
		if item.Field != nil {
			n.fields = append(n.fields, p.field(columns, item.Field))
		}
	}
	for _, l := range from.Where {
		n.where = append(n.where, p.condition(columns, l))
	}
	for _, o := range from.Order {
		n.order = append(n.order, orderTerm{embed: o.Relation, column: orderColumn(columns, o), dir: o.Direction, nulls: o.Nulls})
	}
	n.rows = p.limit(from.Range)
}

// limit applies max-rows. Writes are not limited, nor is what is embedded into their result.
func (p *planner) limit(r request.Range) request.Range {
	switch {
	case p.req.Action != request.ActionRead && p.req.Action != request.ActionCall:
		return request.Range{}
	case r.Limit != nil && *r.Limit == 0:
		// limit=0 asks for an empty list, whatever the offset is.
		return request.Range{Limit: r.Limit}
	case p.opts.MaxRows != nil && (r.Limit == nil || *r.Limit > *p.opts.MaxRows):
		r.Limit = p.opts.MaxRows
	}
	return r
}

// addEmbeds resolves the embeds of n, each with what is inside of it before the next one, so that the first wrong name
// is the one reported.
func (p *planner) addEmbeds(n *node, from *request.Node) error {
	for _, e := range from.Embeds() {
		child, err := p.embed(n, e)
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
		if err := p.addEmbeds(child, e); err != nil {
			return err
		}
	}
	return nil
}

// embed resolves one embed of parent.
func (p *planner) embed(parent *node, e *request.Node) (*node, error) {
	// A write or a call reads from pgrst_source, whose alias is the relation it stands for.
	origin := schema.Name{Schema: p.req.Schema, Name: parent.from.Name}
	if parent.depth == 0 && parent.alias != "" {
		origin.Name = parent.alias
	}
	rel, err := p.relationship(origin, e)
	if err != nil {
		return nil, err
	}
	n := &node{
		name: e.Name, key: e.Key(), from: rel.Foreign, depth: parent.depth + 1, parent: parent,
		rel: rel, inner: e.Join == request.JoinInner,
	}
	n.table, _ = p.snap.Table(rel.Foreign)
	// Unique among the subqueries of one level, as a key can be used once in an object; the depth tells levels apart.
	n.embed = rel.Table.Name + "_" + n.key + "_" + strconv.Itoa(n.depth)
	if rel.Junction == nil {
		// The junction is joined by its own name, so its neighbours keep theirs.
		n.alias = rel.Foreign.Name + "_" + strconv.Itoa(n.depth)
	}
	if e.Spread {
		n.spread = spreadToMany
		if rel.ToOne() {
			n.spread = spreadToOne
		}
	}
	p.fill(n, e)
	return n, nil
}

// expandStars replaces "*" by the columns of the relation where the star would not do: next to aggregates, which group
// by columns, in to-many spreads, which make a list of each column, and where a domain has a representation of its own.
func (p *planner) expandStars(n *node, aggregated bool) {
	aggregated = aggregated || n.aggregates() || n.spread == spreadToMany
	if n.table != nil && (aggregated || p.represented(n.table)) {
		var out []field
		for _, f := range n.fields {
			switch star := f.column.name == "*" && len(f.column.path) == 0; {
			case star && f.aggregate == "":
				for _, c := range n.table.Columns {
					out = append(out, field{column: p.output(column{name: c.Name}, c.Nominal), alias: f.alias, cast: f.cast})
				}
			case star && f.aggregate == request.AggregateCount && n.spread != notSpread:
				// count(*) would count the rows of the parent, one for each of its rows without a match too.
				f.column.wholeRow = true
				out = append(out, f)
			default:
				out = append(out, f)
			}
		}
		n.fields = out
	}
	for _, c := range n.children {
		p.expandStars(c, aggregated)
	}
}

// represented reports whether a column of the table is written in a way of its own.
func (p *planner) represented(t *schema.Table) bool {
	for _, c := range t.Columns {
		if _, ok := p.snap.Representation(c.Nominal, "json"); ok {
			return true
		}
	}
	return false
}

// addAliases names the items that PostgreSQL would name otherwise than clients expect.
func (n *node) addAliases() {
	for i := range n.fields {
		f := &n.fields[i]
		switch {
		case f.alias != "":
		case f.aggregate != "":
			// The parent takes the field of a spread by its name, which for an aggregate only PostgreSQL would know.
			if n.spread != notSpread {
				f.alias = string(f.aggregate)
			}
		case len(f.column.path) > 0:
			f.alias = pathName(f.column)
		case f.column.convert != "":
			f.alias = f.column.name
		}
	}
	for _, c := range n.children {
		c.addAliases()
	}
}

// pathName is the key that a JSON path gets in the answer: its last key, or the column when it has only indexes.
func pathName(c column) string {
	for i := len(c.path) - 1; i >= 0; i-- {
		if !c.path[i].IsIndex {
			return c.path[i].Key
		}
	}
	return c.name
}

// checkAggregates refuses aggregates when the server does not allow them.
func (p *planner) checkAggregates(n *node) error {
	if n.aggregates() && !p.opts.Aggregates {
		return aggregatesNotAllowed()
	}
	for _, c := range n.children {
		if err := p.checkAggregates(c); err != nil {
			return err
		}
	}
	return nil
}
