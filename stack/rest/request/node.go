package request

// Node is one relation in the tree that is read: the root, or an embed.
type Node struct {
	// Name is the relation's, function's, column's or constraint's name as the client wrote it.
	Name string
	// Alias renames the embed in the answer; empty when absent.
	Alias string
	// Hint disambiguates the relationship (rel!hint), empty when absent.
	Hint string
	// Join is the kind of join with the parent; JoinDefault (which reads as left) for the root.
	Join JoinType
	// Spread is true for ...rel(…): its fields join those of its parent.
	Spread bool
	// Select are the items in the order written. Empty for rel(): nothing of it is returned. The root's default is the star.
	Select []SelectItem
	// Where are ANDed: filters first, then and/or trees, each in the order of the parameters.
	Where []Logic
	Order []OrderTerm
	Range Range
}

// Key is the name of the node's key in its parent's object: the alias, or else the name.
func (n *Node) Key() string {
	if n.Alias != "" {
		return n.Alias
	}
	return n.Name
}

// Embeds are the direct embeds of n in the order written.
func (n *Node) Embeds() []*Node {
	var out []*Node
	for _, it := range n.Select {
		if it.Embed != nil {
			out = append(out, it.Embed)
		}
	}
	return out
}

// JoinType is how an embed is joined.
type JoinType int

// JoinDefault is what holds when nothing is written; it acts as JoinLeft. JoinInner drops parents without children.
const (
	JoinDefault JoinType = iota
	JoinLeft
	JoinInner
)

// SelectItem is one item of select=: exactly one of Field and Embed is set.
type SelectItem struct {
	Field *SelectField
	Embed *Node
}

// SelectField is a column, a path into a JSON column, the star, or an aggregate.
type SelectField struct {
	// Field names the column; Name "*" without Path is the star. Name is empty for a bare count().
	Field Field
	// Alias renames the key in the answer; empty when absent.
	Alias string
	// Cast is the type after ::, applied to the field itself (before the aggregate when there is one). Empty when absent.
	Cast string
	// Aggregate is AggregateNone for plain fields.
	Aggregate Aggregate
	// AggregateCast is the type the aggregate's result is cast to. Empty when absent.
	AggregateCast string
}

// Aggregate is an aggregate function of select=.
type Aggregate string

// The aggregates, spelled as in URLs.
const (
	AggregateNone  Aggregate = ""
	AggregateSum   Aggregate = "sum"
	AggregateAvg   Aggregate = "avg"
	AggregateMax   Aggregate = "max"
	AggregateMin   Aggregate = "min"
	AggregateCount Aggregate = "count"
)

// Field is a column with an optional path into its JSON value.
type Field struct {
	Name string
	Path []JSONStep
}

// JSONStep is one step of a JSON path: -> or ->> with a key or an array index.
type JSONStep struct {
	// Text is true for ->> (the result is text).
	Text bool
	// Key is the object key when IsIndex is false.
	Key string
	// Index is the array index when IsIndex is true. Its text is kept, sign included, as the digits can be of any length.
	Index   string
	IsIndex bool
}

// OrderTerm is one term of order=.
type OrderTerm struct {
	// Relation is the embed of order=rel(col), empty for a column of the node itself.
	Relation  string
	Field     Field
	Direction Direction
	Nulls     Nulls
}

// Direction is asc or desc; empty when it was not written.
type Direction string

// The directions.
const (
	DirectionNone Direction = ""
	DirectionAsc  Direction = "asc"
	DirectionDesc Direction = "desc"
)

// Nulls is where nulls are sorted; empty when it was not written.
type Nulls string

// The places of nulls.
const (
	NullsNone  Nulls = ""
	NullsFirst Nulls = "nullsfirst"
	NullsLast  Nulls = "nullslast"
)
