package schema

import (
	"maps"
	"slices"
)

// Relationships are derived the way PostgREST does it (documentation, "Resource embedding"): foreign keys give
// many-to-one, or one-to-one when their columns are unique; views inherit the keys of the tables whose key columns they
// show; every relationship also holds in the other direction; and a table whose key contains two foreign keys is a
// junction between the tables they point to. Functions from row to rows come last and win over keys of the same name.

// deriveRelationships returns the relationships by the relation they start from. A relation is listed, with nothing, also
// when all of its junctions are in schemas that are not exposed: hints about names tell such relations from those that
// nothing starts from.
func (c *catalogue) deriveRelationships() map[Name][]Relationship {
	forward := c.viewRelationships(c.foreignKeys())
	// Junctions are looked for among views too: a view that shows a junction's key is one.
	all := slices.Concat(forward, c.junctions(forward))
	for _, r := range forward {
		all = append(all, r.inverse())
	}
	all = slices.DeleteFunc(all, func(r Relationship) bool { return !c.inOneSchema(&r) })
	all = c.withComputed(all)

	byOrigin := make(map[Name][]Relationship)
	for _, r := range all {
		if r.Junction != nil && !c.exposes(r.Junction.Table.Schema) {
			if byOrigin[r.Table] == nil {
				byOrigin[r.Table] = []Relationship{}
			}
			continue
		}
		byOrigin[r.Table] = append(byOrigin[r.Table], r)
	}
	for _, rs := range byOrigin {
		slices.SortFunc(rs, compareRelationships)
	}
	return byOrigin
}

// inOneSchema tells relationships inside of one exposed schema.
func (c *catalogue) inOneSchema(r *Relationship) bool {
	return c.exposes(r.Table.Schema) && r.Foreign.Schema == r.Table.Schema
}

// withComputed adds computed relationships. One whose function is named like a related relation replaces the keys
// between the two.
func (c *catalogue) withComputed(rs []Relationship) []Relationship {
	type pair struct{ table, target Name }
	overridden := make(map[pair]bool)
	var computed []Relationship
	for _, r := range c.computed {
		if r.Function.Schema != r.Table.Schema {
			continue
		}
		overridden[pair{r.Table, r.Function}] = true
		computed = append(computed, r)
	}
	rs = slices.DeleteFunc(rs, func(r Relationship) bool { return overridden[pair{r.Table, r.Foreign}] })
	return append(rs, computed...)
}

// foreignKeys returns a relationship for each foreign key between base tables of any schema.
func (c *catalogue) foreignKeys() []Relationship {
	unique := c.uniqueColumns()
	var out []Relationship
	for i := range c.keys {
		k := &c.keys[i]
		if k.kind != "f" || !k.root {
			continue
		}
		r := Relationship{
			key: k, Table: k.table, Foreign: k.foreign, Self: k.tableOID == k.foreignOID,
			Cardinality: ManyToOne, Constraint: k.name, Columns: zip(k.names, k.refNames),
		}
		if unique[columnSet{k.tableOID, setKey(k.columns)}] {
			r.Cardinality = OneToOne
		}
		out = append(out, r)
	}
	return out
}

// columnSet is a set of columns of a table.
type columnSet struct {
	table   uint32
	columns string
}

// uniqueColumns collects the column sets of primary and unique keys.
func (c *catalogue) uniqueColumns() map[columnSet]bool {
	out := make(map[columnSet]bool)
	for _, k := range c.keys {
		if k.kind != "f" {
			out[columnSet{k.tableOID, setKey(k.columns)}] = true
		}
	}
	return out
}

// setKey turns column numbers into a value that is equal for equal sets.
func setKey(columns []int16) string {
	sorted := slices.Sorted(slices.Values(columns))
	key := make([]byte, 0, 2*len(sorted))
	for _, n := range sorted {
		key = append(key, byte(n>>8), byte(n))
	}
	return string(key)
}

// zip pairs the columns of a key with those they reference.
func zip(columns, foreign []string) []Pair {
	out := make([]Pair, 0, len(columns))
	for i := range min(len(columns), len(foreign)) {
		out = append(out, Pair{columns[i], foreign[i]})
	}
	return out
}

// junctions returns the many-to-many relationships through tables whose primary key contains two foreign keys.
func (c *catalogue) junctions(forward []Relationship) []Relationship {
	byTable := make(map[Name][]*Relationship)
	for i := range forward {
		if r := &forward[i]; r.Cardinality == ManyToOne {
			byTable[r.Table] = append(byTable[r.Table], r)
		}
	}
	var out []Relationship
	for _, name := range slices.SortedFunc(maps.Keys(byTable), compareNames) {
		key := c.primaryKey(name)
		for _, from := range byTable[name] {
			for _, to := range byTable[name] {
				// Both directions come up, since the loops meet every pair twice.
				if from.Constraint != to.Constraint && covers(key, firsts(from.Columns)) && covers(key, firsts(to.Columns)) {
					out = append(out, throughJunction(name, from, to))
				}
			}
		}
	}
	return out
}

// primaryKey returns the key columns of a relation of any schema; views that are not exposed have none.
func (c *catalogue) primaryKey(name Name) []string {
	if t, ok := c.tables[name]; ok {
		return t.PrimaryKey
	}
	for i := range c.keys {
		if k := &c.keys[i]; k.kind == "p" && k.table == name {
			return k.names
		}
	}
	return nil
}

// covers reports whether all of columns belong to the key.
func covers(key, columns []string) bool {
	for _, c := range columns {
		if !slices.Contains(key, c) {
			return false
		}
	}
	return true
}

// throughJunction joins what two foreign keys of a junction point to.
func throughJunction(junction Name, from, to *Relationship) Relationship {
	return Relationship{
		Table: from.Foreign, Foreign: to.Foreign, Self: from.Foreign == to.Foreign, Cardinality: ManyToMany,
		TableIsView: from.ForeignIsView, ForeignIsView: to.ForeignIsView,
		Junction: &Junction{
			Table: junction, FromKey: from.Constraint, ToKey: to.Constraint,
			FromFields: flip(from.Columns), ToFields: flip(to.Columns),
		},
	}
}

// firsts are the columns on the side a relationship starts from.
func firsts(pairs []Pair) []string {
	out := make([]string, len(pairs))
	for i, p := range pairs {
		out[i] = p.Column
	}
	return out
}
