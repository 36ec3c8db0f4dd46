package schema

// Table is a relation that is an endpoint: a table, partitioned table, view, materialized view or foreign table of an
// exposed schema. Partitions are not endpoints (PostgREST leaves out pg_class.relispartition).
type Table struct {
	Name        Name
	Description string // comment of the relation, empty when there is none
	IsView      bool   // a view or a materialized view
	Insertable  bool   // rows can be inserted, by rule or trigger for views
	Updatable   bool
	Deletable   bool
	PrimaryKey  []string // column names, sorted for tables; of a view, the columns that show a base table's key
	Columns     []Column // in the order of the table definition

	byName map[string]int
}

// Column is one column of a relation.
type Column struct {
	Name        string
	Description string
	Nullable    bool
	Type        string   // base type for domains over system types, without length: "character varying"
	Nominal     string   // declared type with length or domain name: "character varying(20)"
	MaxLength   int      // characters or bits, 0 without a limit
	Default     string   // SQL expression, empty without one; nextval(...) for identity columns BY DEFAULT
	Enum        []string // labels when the base type is an enumeration, in their order
}

// Column returns the column called name.
func (t *Table) Column(name string) (Column, bool) {
	i, ok := t.byName[name]
	if !ok {
		return Column{}, false
	}
	return t.Columns[i], true
}

// HasPrimaryKey reports whether the relation has a usable key.
func (t *Table) HasPrimaryKey() bool { return len(t.PrimaryKey) > 0 }

// addColumn appends a column while the snapshot is being built.
func (t *Table) addColumn(c Column) {
	if t.byName == nil {
		t.byName = make(map[string]int)
	}
	t.byName[c.Name] = len(t.Columns)
	t.Columns = append(t.Columns, c)
}
