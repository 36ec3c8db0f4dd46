package schema

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// catalogue collects the rows of the catalogue queries until a snapshot can be made of them.
type catalogue struct {
	schemas         []string
	tables          map[Name]*Table
	byOID           map[uint32]*Table
	keys            []key
	views           []*view
	functions       map[Name][]*Function
	computed        []Relationship
	representations map[conversion]string
	handlers        map[handlerKey]Handler
}

// key is a primary, unique or foreign key constraint of any schema.
type key struct {
	kind       string // p, u or f
	name       string
	tableOID   uint32
	foreignOID uint32
	table      Name
	foreign    Name
	columns    []int16
	references []int16
	names      []string
	refNames   []string
	root       bool // not inherited from the key of a partitioned table
}

// view is a view with the table column that each of its columns shows, where it shows one unchanged.
type view struct {
	oid     uint32
	name    Name
	columns []viewColumn
}

// newCatalogue collects for the given exposed schemas.
func newCatalogue(schemas []string) *catalogue {
	return &catalogue{
		schemas:         schemas,
		tables:          make(map[Name]*Table),
		byOID:           make(map[uint32]*Table),
		functions:       make(map[Name][]*Function),
		representations: make(map[conversion]string),
		handlers:        make(map[handlerKey]Handler),
	}
}

// exposes reports whether clients can reach a schema.
func (c *catalogue) exposes(schema string) bool { return slices.Contains(c.schemas, schema) }

// scanTable reads a row of tables.sql.
func (c *catalogue) scanTable(rows pgx.Rows) error {
	const canUpdate, canInsert, canDelete = 4, 8, 16
	var oid uint32
	var commands int
	t := &Table{}
	if err := rows.Scan(&oid, &t.Name.Schema, &t.Name.Name, &t.Description, &t.IsView, &commands); err != nil {
		return err
	}
	t.Insertable, t.Updatable, t.Deletable = commands&canInsert != 0, commands&canUpdate != 0, commands&canDelete != 0
	c.tables[t.Name], c.byOID[oid] = t, t
	return nil
}

// scanColumn reads a row of columns.sql. A table that was made since tables.sql ran is left out, columns and all.
func (c *catalogue) scanColumn(rows pgx.Rows) error {
	var oid uint32
	var col Column
	err := rows.Scan(&oid, &col.Name, &col.Description, &col.Nullable, &col.Type, &col.Nominal, &col.MaxLength,
		&col.Default, &col.Enum)
	if err != nil {
		return err
	}
	if t := c.byOID[oid]; t != nil {
		t.addColumn(col)
	}
	return nil
}

// scanKey reads a row of keys.sql.
func (c *catalogue) scanKey(rows pgx.Rows) error {
	var k key
	err := rows.Scan(&k.kind, &k.name, &k.tableOID, &k.foreignOID, &k.table.Schema, &k.table.Name,
		&k.foreign.Schema, &k.foreign.Name, &k.columns, &k.references, &k.names, &k.refNames, &k.root)
	if err != nil {
		return err
	}
	if t := c.byOID[k.tableOID]; t != nil && k.kind == "p" {
		t.PrimaryKey = slices.Sorted(slices.Values(k.names))
	}
	c.keys = append(c.keys, k)
	return nil
}

// scanView reads a row of views.sql. The tree itself, which can be large, is not kept.
func (c *catalogue) scanView(rows pgx.Rows) error {
	v := &view{}
	var tree string
	var names []string
	if err := rows.Scan(&v.oid, &v.name.Schema, &v.name.Name, &tree, &names); err != nil {
		return err
	}
	v.columns = targetColumns(tree, names)
	c.views = append(c.views, v)
	return nil
}

// scanFunction reads a row of functions.sql.
func (c *catalogue) scanFunction(rows pgx.Rows) error {
	f := &Function{}
	var names, types, casts, config []string
	var variadics []bool
	var required int
	var volatility string
	err := rows.Scan(&f.Name.Schema, &f.Name.Name, &f.Description, &names, &types, &casts, &variadics, &required,
		&f.Returns.Type.Schema, &f.Returns.Type.Name, &f.Returns.Set, &f.Returns.Composite, &f.Returns.CompositeAlias,
		&volatility, &f.Variadic, &f.Isolation, &config)
	if err != nil {
		return err
	}
	f.Volatility = Volatility(volatility[0])
	for i := range names {
		f.Params = append(f.Params, Param{
			Name: names[i], Type: types[i], CastType: casts[i], Required: i < required, Variadic: variadics[i],
		})
	}
	for _, entry := range config {
		name, value, _ := strings.Cut(entry, "=")
		f.Settings = append(f.Settings, Setting{name, value})
	}
	c.functions[f.Name] = append(c.functions[f.Name], f)
	return nil
}

// scanComputed reads a row of computed.sql.
func (c *catalogue) scanComputed(rows pgx.Rows) error {
	r := Relationship{Cardinality: Computed}
	err := rows.Scan(&r.Function.Schema, &r.Function.Name, &r.Table.Schema, &r.Table.Name,
		&r.Foreign.Schema, &r.Foreign.Name, &r.SingleRow)
	if err != nil {
		return err
	}
	r.Self = r.Table == r.Foreign
	c.computed = append(c.computed, r)
	return nil
}

// scanRepresentation reads a row of representations.sql.
func (c *catalogue) scanRepresentation(rows pgx.Rows) error {
	var conv conversion
	var function string
	if err := rows.Scan(&conv.from, &conv.to, &function); err != nil {
		return err
	}
	c.representations[conv] = function
	return nil
}

// scanHandler reads a row of handlers.sql. Media types are compared in lower case.
func (c *catalogue) scanHandler(rows pgx.Rows) error {
	var kind string
	var h Handler
	err := rows.Scan(&kind, &h.Function.Schema, &h.Function.Name, &h.Target.Schema, &h.Target.Name, &h.MediaType)
	if err != nil {
		return err
	}
	if h.Target == (Name{Schema: "pg_catalog", Name: "anyelement"}) {
		h.Target = Name{}
	}
	h.MediaType = strings.ToLower(h.MediaType)
	c.handlers[handlerKey{h.Target, h.MediaType}] = h
	return nil
}
