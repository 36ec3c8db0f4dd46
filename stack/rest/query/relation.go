package query

import (
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// relationship finds how an embed is reached from origin. There must be exactly one way.
func (p *planner) relationship(origin schema.Name, e *request.Node) (*schema.Relationship, error) {
	var found []schema.Relationship
	for _, r := range p.snap.Relationships(origin) {
		if leadsTo(&r, e.Name, e.Hint) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, noRelationship(p.snap, origin, e)
	default:
		return nil, ambiguousRelationship(origin.Name, e.Name, found)
	}
}

// leadsTo reports whether an embed written as target or target!hint means this relationship (PostgREST documentation,
// "Foreign key joins on multiple relationships"). Clients name a relationship by the related relation, or, when that is
// a table, by the foreign key or by its single column; hints are a foreign key, a single column of either side, or a
// junction. A computed relationship has the name of its function.
func leadsTo(r *schema.Relationship, target, hint string) bool {
	switch {
	case r.Cardinality == schema.Computed:
		return target == r.Function.Name
	case r.Self:
		return selfLeadsTo(r, target, hint)
	case hint == "":
		return target == r.Foreign.Name ||
			!r.ForeignIsView && r.Junction == nil && (target == r.Constraint || target == singleColumn(r))
	case target != r.Foreign.Name:
		return false
	case r.Junction != nil:
		return hint == r.Junction.Table.Name
	default:
		return hint == r.Constraint || hint == singleColumn(r) || hint == singleForeign(r)
	}
}

// selfLeadsTo tells apart the two directions of a key from a table to itself: the name of the table means the list of
// rows that point here, the name of the column means the row that is pointed to.
func selfLeadsTo(r *schema.Relationship, target, hint string) bool {
	list := target == r.Foreign.Name && r.Cardinality == schema.OneToMany
	if hint != "" {
		return list && hint == singleForeign(r)
	}
	return list || r.Cardinality == schema.ManyToOne && target == singleColumn(r)
}

// singleColumn is the column of a key of one column, on the side the relationship starts from.
func singleColumn(r *schema.Relationship) string {
	if len(r.Columns) != 1 {
		return ""
	}
	return r.Columns[0].Column
}

// singleForeign is the column of a key of one column, on the other side.
func singleForeign(r *schema.Relationship) string {
	if len(r.Columns) != 1 {
		return ""
	}
	return r.Columns[0].Foreign
}
