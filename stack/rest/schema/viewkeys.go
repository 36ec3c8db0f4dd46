package schema

import "slices"

// A view has no keys of its own, but rows of CREATE VIEW films_of_today AS SELECT id, director_id AS by FROM films WHERE …
// are films: id identifies them, and by leads to directors. PostgREST lets clients embed as if the keys were the view's,
// and so does this file: it looks up where each column of a view comes from, and which keys are shown in full.

// dependency is a key whose columns a view shows, all of them.
type dependency struct {
	view    Name
	key     *key
	side    keySide
	columns [][]string // for each column of the key, the view's columns that show it
}

// keySide tells apart the two ends of a foreign key, and primary keys.
type keySide int

const (
	primarySide keySide = iota
	referencingSide
	referencedSide
)

// origin is a column of a base relation.
type origin struct {
	table  uint32
	column int16
}

// addViewKeys gives views the primary keys of the tables they show.
func (c *catalogue) addViewKeys() {
	for _, d := range c.dependencies() {
		t, ok := c.tables[d.view]
		if d.side != primarySide || !ok {
			continue
		}
		for _, shown := range d.columns {
			// A key column that is shown twice identifies rows by either name; clients need one.
			t.PrimaryKey = append(t.PrimaryKey, shown[0])
		}
	}
}

// viewRelationships adds, to relationships between tables, those between the views over them: view to table, table to
// view, and view to view. A key column that a view shows twice gives a relationship for each.
func (c *catalogue) viewRelationships(base []Relationship) []Relationship {
	type end struct {
		key  *key
		side keySide
	}
	byEnd := make(map[end][]dependency)
	for _, d := range c.dependencies() {
		byEnd[end{d.key, d.side}] = append(byEnd[end{d.key, d.side}], d)
	}
	out := slices.Clone(base)
	for _, r := range base {
		from, to := expand(byEnd[end{r.key, referencingSide}]), expand(byEnd[end{r.key, referencedSide}])
		for _, f := range from {
			out = append(out, r.withSides(&f, nil))
		}
		for _, t := range to {
			out = append(out, r.withSides(nil, &t))
		}
		for _, f := range from {
			for _, t := range to {
				out = append(out, r.withSides(&f, &t))
			}
		}
	}
	return out
}

// shownKey is a view and the names it gives to the columns of a key.
type shownKey struct {
	view    Name
	columns []string
}

// expand lists every choice of one view column for each key column.
func expand(ds []dependency) []shownKey {
	var out []shownKey
	for _, d := range ds {
		choices := [][]string{nil}
		for _, shown := range d.columns {
			var longer [][]string
			for _, c := range choices {
				for _, s := range shown {
					longer = append(longer, append(slices.Clone(c), s))
				}
			}
			choices = longer
		}
		for _, c := range choices {
			out = append(out, shownKey{d.view, c})
		}
	}
	return out
}

// withSides is the relationship with one or both of its relations replaced by views.
func (r Relationship) withSides(from, to *shownKey) Relationship {
	r.Columns = slices.Clone(r.Columns)
	r.Self = false
	if from != nil {
		r.Table, r.TableIsView = from.view, true
		for i := range r.Columns {
			r.Columns[i].Column = from.columns[i]
		}
	}
	if to != nil {
		r.Foreign, r.ForeignIsView = to.view, true
		for i := range r.Columns {
			r.Columns[i].Foreign = to.columns[i]
		}
	}
	if from != nil && to != nil {
		r.Self = r.Table == r.Foreign
	}
	return r
}

// dependencies finds the keys that exposed views show in full.
func (c *catalogue) dependencies() []dependency {
	keysOf := make(map[uint32][]sidedKey)
	for i := range c.keys {
		k := &c.keys[i]
		switch k.kind {
		case "p":
			keysOf[k.tableOID] = append(keysOf[k.tableOID], sidedKey{k, primarySide, k.columns})
		case "f":
			keysOf[k.tableOID] = append(keysOf[k.tableOID], sidedKey{k, referencingSide, k.columns})
			keysOf[k.foreignOID] = append(keysOf[k.foreignOID], sidedKey{k, referencedSide, k.references})
		}
	}
	views := make(map[uint32]*view, len(c.views))
	for _, v := range c.views {
		views[v.oid] = v
	}
	var out []dependency
	for _, v := range c.views {
		if c.exposes(v.name.Schema) {
			out = append(out, v.dependencies(v.origins(views), keysOf)...)
		}
	}
	return out
}

// sidedKey is one end of a key with its column numbers there.
type sidedKey struct {
	key     *key
	side    keySide
	columns []int16
}

// dependencies matches the keys of the tables that a view shows against its columns.
func (v *view) dependencies(shown map[origin][]string, keysOf map[uint32][]sidedKey) []dependency {
	tables := make([]uint32, 0, len(shown))
	for o := range shown {
		tables = append(tables, o.table)
	}
	slices.Sort(tables)
	var out []dependency
	for _, table := range slices.Compact(tables) {
		for _, k := range keysOf[table] {
			d := dependency{view: v.name, key: k.key, side: k.side}
			for _, number := range k.columns {
				if names := shown[origin{table, number}]; len(names) > 0 {
					d.columns = append(d.columns, names)
				}
			}
			// Part of a key is none.
			if len(d.columns) == len(k.columns) {
				out = append(out, d)
			}
		}
	}
	return out
}

// origins maps the columns that a view shows to the names it gives them, through the views it is made of.
func (v *view) origins(views map[uint32]*view) map[origin][]string {
	out := make(map[origin][]string)
	for _, col := range v.columns {
		seen := map[uint32]bool{v.oid: true}
		for at, found := (origin{col.table, col.column}), true; found; at, found = below(views[at.table], at.column) {
			if seen[at.table] { // stored views cannot be circular, but broken ones must not hang the server
				break
			}
			seen[at.table] = true
			out[at] = append(out[at], col.name)
		}
	}
	return out
}

// below is the column that column number of v shows, when v is a view that shows one.
func below(v *view, number int16) (origin, bool) {
	if v == nil {
		return origin{}, false
	}
	for _, col := range v.columns {
		if col.number == number {
			return origin{col.table, col.column}, true
		}
	}
	return origin{}, false
}
