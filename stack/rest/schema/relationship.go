package schema

import (
	"cmp"
	"slices"
)

// Cardinality says how many rows of the foreign relation belong to one row of the table.
type Cardinality int

// The cardinalities, in the order in which choices are listed for an ambiguous embed.
const (
	OneToMany Cardinality = iota
	ManyToOne
	OneToOne
	ManyToMany
	Computed // by a function that takes a row of the table
)

// String returns the words that PostgREST uses in the details of PGRST201.
func (c Cardinality) String() string {
	switch c {
	case OneToMany:
		return "one-to-many"
	case ManyToOne:
		return "many-to-one"
	case OneToOne:
		return "one-to-one"
	case ManyToMany:
		return "many-to-many"
	default:
		return "computed"
	}
}

// Pair is a pair of columns that are equal in joined rows.
type Pair struct {
	Column  string // of the table the relationship starts from
	Foreign string // of the relation it leads to, or of the junction
}

// Junction is the table in the middle of a many-to-many relationship.
type Junction struct {
	Table      Name
	FromKey    string // foreign key constraint that points to the start of the relationship
	ToKey      string // foreign key constraint that points to its end
	FromFields []Pair // start column, junction column
	ToFields   []Pair // end column, junction column
}

// Relationship says how rows of Table find their rows in Foreign.
type Relationship struct {
	Table         Name
	Foreign       Name
	Self          bool // both sides are the same relation
	Cardinality   Cardinality
	Constraint    string // foreign key, empty for junctions and functions
	Columns       []Pair // empty for junctions and functions
	Junction      *Junction
	Function      Name // of a computed relationship
	SingleRow     bool // the function of a computed relationship returns at most one row
	TableIsView   bool
	ForeignIsView bool
	referenced    bool // one-to-one seen from the side that the key points to
	key           *key // what it was derived from, nil for junctions and functions
}

// ToOne reports whether at most one row is found, so that the embed is an object and not a list.
func (r *Relationship) ToOne() bool {
	switch r.Cardinality {
	case ManyToOne, OneToOne:
		return true
	case Computed:
		return r.SingleRow
	default:
		return false
	}
}

// inverse is the same key seen from the other side.
func (r *Relationship) inverse() Relationship {
	inv := Relationship{
		Table: r.Foreign, Foreign: r.Table, Self: r.Self, Constraint: r.Constraint,
		Cardinality: OneToMany, TableIsView: r.ForeignIsView, ForeignIsView: r.TableIsView,
	}
	if r.Cardinality == OneToOne {
		inv.Cardinality, inv.referenced = OneToOne, !r.referenced
	}
	inv.Columns = flip(r.Columns)
	return inv
}

// flip swaps the sides of every pair.
func flip(pairs []Pair) []Pair {
	out := make([]Pair, len(pairs))
	for i, p := range pairs {
		out[i] = Pair{Column: p.Foreign, Foreign: p.Column}
	}
	return out
}

// compareRelationships orders relationships so that choices are listed the same way every time. Plain relationships
// come before computed ones.
func compareRelationships(a, b Relationship) int {
	return cmp.Or(
		cmp.Compare(btoi(a.Cardinality == Computed), btoi(b.Cardinality == Computed)),
		compareNames(a.Function, b.Function),
		compareNames(a.Table, b.Table),
		compareNames(a.Foreign, b.Foreign),
		cmp.Compare(btoi(a.Self), btoi(b.Self)),
		cmp.Compare(a.Cardinality, b.Cardinality),
		cmp.Compare(a.Constraint, b.Constraint),
		slices.CompareFunc(a.Columns, b.Columns, comparePairs),
		compareJunctions(a.Junction, b.Junction),
		cmp.Compare(btoi(a.referenced), btoi(b.referenced)),
	)
}

// compareJunctions puts relationships without a junction first.
func compareJunctions(a, b *Junction) int {
	if a == nil || b == nil {
		return cmp.Compare(btoi(a != nil), btoi(b != nil))
	}
	return cmp.Or(
		compareNames(a.Table, b.Table),
		cmp.Compare(a.FromKey, b.FromKey),
		cmp.Compare(a.ToKey, b.ToKey),
		slices.CompareFunc(a.FromFields, b.FromFields, comparePairs),
		slices.CompareFunc(a.ToFields, b.ToFields, comparePairs),
	)
}

// comparePairs orders pairs of columns by name.
func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.Foreign, b.Foreign))
}

// compareNames orders names by schema, then name.
func compareNames(a, b Name) int {
	return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
}

// btoi makes false less than true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
