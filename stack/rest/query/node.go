package query

import (
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// node is a relation that is read, resolved against the snapshot: the root or an embed. It is made in steps, each of which
// reads what the ones before it left: names and relationships first, then stars and aliases, filters and orders that name
// embeds, and at last what each embed gives to its parent. Afterwards it is only written.
type node struct {
	name   string        // as the client wrote it
	key    string        // name in the answer: alias or name
	table  *schema.Table // nil when the snapshot does not know the relation, as for results of functions
	from   schema.Name   // what FROM names
	alias  string        // its alias there; empty for none
	embed  string        // alias of the joined subquery; empty at the root
	depth  int
	parent *node
	rel    *schema.Relationship // to the parent; nil at the root
	inner  bool                 // drop parents without rows
	spread spread

	fields   []field
	extra    []extraField // what a to-many spread must read to be sorted by
	where    []condition
	order    []orderTerm
	rows     request.Range
	children []*node
	outputs  []output // what the children give to the answer, in their order
	asText   bool     // an embed whose rows are put together as text, see rowText
	inList   bool     // an embed that is a subquery of its parent's select list and not joined
}

// spread is how the fields of a node join those of its parent.
type spread int

const (
	notSpread spread = iota
	spreadToOne
	spreadToMany // each field becomes a list
)

// column is a reference to a column with what is needed to read it.
type column struct {
	name     string
	path     []request.JSONStep
	toJSON   bool   // the column is not JSON and has to be turned into it for the path
	convert  string // function of a domain representation, empty for none
	wholeRow bool   // the row itself, for counting rows of a spread
}

// field is an item of a select list.
type field struct {
	column        column
	alias         string
	cast          string
	aggregate     request.Aggregate
	aggregateCast string
}

// extraField is a sort key of a to-many spread, read from the node or, if embed is not empty, from an embed of it.
type extraField struct {
	embed string
	field field
}

// orderTerm is a sort key.
type orderTerm struct {
	embed  string // alias of the embed it belongs to; empty for the node itself
	column column
	dir    request.Direction
	nulls  request.Nulls
}

// output is what a child gives to its parent's row: one JSON value, or its spread fields.
type output struct {
	child  *node
	fields []spreadField // of a spread
	empty  bool          // an embed that selects nothing, only there to filter
}

// spreadField is a field of a spread as its parent sees it.
type spreadField struct {
	name          string
	alias         string
	aggregate     request.Aggregate
	aggregateCast string
}

// ref is how other parts of the statement name the relation of the node.
func (n *node) ref() schema.Name {
	switch {
	case n.alias != "":
		return schema.Name{Name: n.alias}
	case n.rel != nil && n.rel.Cardinality == schema.Computed:
		return schema.Name{Name: n.rel.Function.Name}
	default:
		return n.from
	}
}

// selectsNothing reports whether neither the node nor anything below it has a field.
func (n *node) selectsNothing() bool {
	if len(n.fields) > 0 {
		return false
	}
	for _, c := range n.children {
		if !c.selectsNothing() {
			return false
		}
	}
	return true
}

// defaultSelect reports whether the client asked for the relation as it is.
func (n *node) defaultSelect() bool {
	return len(n.children) == 0 && len(n.fields) == 1 && n.fields[0].column.name == "*" && n.fields[0].aggregate == ""
}

// aggregates reports whether the node itself has an aggregate.
func (n *node) aggregates() bool {
	for _, f := range n.fields {
		if f.aggregate != "" {
			return true
		}
	}
	return false
}
