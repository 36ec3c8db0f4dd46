package query

import (
	"bytes"
	"slices"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// bodyColumn is a value that is read from a JSON body: a column to write or a parameter of a function.
type bodyColumn struct {
	name       string
	typ        string // SQL type that json_to_record converts to
	convert    string // function of a domain representation, empty for none
	expression string // SQL default for keys that are absent, empty for NULL
	base       string // the type below domains, for columns; "enum" for any enumeration
}

// bodyColumns resolves the keys of the payload. Keys that the table does not have are refused without asking the
// database, with PGRST204.
func (p *planner) bodyColumns(t *schema.Table) ([]bodyColumn, error) {
	var out []bodyColumn
	for _, key := range p.req.Payload.Keys {
		c, ok := t.Column(key)
		if !ok {
			return nil, columnNotFound(t.Name.Name, key)
		}
		// The declared type, with its length: values are converted as an INSERT of that type would.
		b := bodyColumn{name: key, typ: c.Nominal, expression: c.Default, base: c.Type}
		if c.Enum != nil {
			b.base = "enum"
		}
		if f, ok := p.snap.Representation("json", c.Nominal); ok {
			b.typ, b.convert = "json", f
		}
		out = append(out, b)
	}
	return out, nil
}

// source is how a JSON body becomes rows.
type source struct {
	raw      []byte
	columns  []bodyColumn
	object   bool // one row; otherwise a list of rows
	first    bool // only the first row
	defaults bool // absent keys take the column's default, not NULL
	binary   bool // reading it as jsonb gives the same rows
}

// newSource looks at the first character alone: whether the rest is valid JSON is for PostgreSQL to say, which parses it
// anyway (error 22P02).
func newSource(payload request.Payload, columns []bodyColumn) source {
	trimmed := bytes.TrimLeft(payload.Raw, " \t\r\n")
	return source{
		raw: payload.Raw, columns: columns, object: bytes.HasPrefix(trimmed, []byte("{")), binary: sameAsBinary(payload, columns),
	}
}

// sameAsBinary reports whether a body may be read as jsonb, which PostgreSQL does with half the effort: for json it makes a
// hash table for each object. json hands the text of a value to the type's input function as it was sent, jsonb as it writes
// it, so nothing may be in the body that it writes differently.
func sameAsBinary(payload request.Payload, columns []bodyColumn) bool {
	const long = 64 << 20 // a jsonb has at most 256 MiB
	if !payload.Plain || len(payload.Raw) > long || len(columns) == 0 {
		return false
	}
	for _, c := range columns {
		if c.convert != "" || slices.Contains(payload.Nested, c.name) && c.base != "jsonb" {
			return false
		}
		switch c.base {
		case "jsonb", "enum", "smallint", "integer", "bigint", "boolean", "text", "character varying", "character", "uuid",
			"date", "numeric", "real", "double precision", "bytea", "interval", "inet", "cidr", "name",
			"timestamp with time zone", "timestamp without time zone", "time with time zone", "time without time zone":
		default:
			return false // a json keeps the spelling, an array or a composite type has values inside of it
		}
	}
	return true
}

// fromBody writes the items of FROM that turn the body, one argument however many rows it has, into rows of typed columns
// called pgrst_body:
//
//	(SELECT $1::json AS json_data) pgrst_payload,
//	LATERAL (SELECT "id", "name" FROM json_to_recordset(pgrst_payload.json_data) AS _("id" integer, "name" text)) pgrst_body
//
// With defaults there is a step between the two, pgrst_json_defs, in which each object is laid over the defaults.
func (w *writer) fromBody(s source) {
	kind := "json"
	if s.defaults || s.binary {
		kind = "jsonb" // for defaults because it has the operator that lays one object over another
	}
	w.sql("(SELECT ")
	w.argument(Argument{Value: s.raw})
	w.sql("::", kind, " AS json_data) pgrst_payload, ")
	value := "pgrst_payload.json_data"
	if s.defaults {
		w.bodyDefaults(s)
		value = "pgrst_json_defs.val"
	}
	w.sql("LATERAL (SELECT ")
	list(w, ", ", s.columns, func(c bodyColumn) {
		if c.convert == "" {
			w.ident(c.name)
			return
		}
		w.sql(c.convert, "(")
		w.ident(c.name)
		w.sql(") AS ")
		w.ident(c.name)
	})
	w.sql(" FROM ")
	w.bodyRows(s, kind, value)
	w.sql(") ", bodyAlias)
}

// bodyRows writes the function that unfolds the body.
func (w *writer) bodyRows(s source, kind, value string) {
	switch {
	case len(s.columns) == 0 && s.object:
		// {} is one row of defaults, [{}, {}] are two, [] is none.
		w.sql("(VALUES (1)) _")
		return
	case len(s.columns) == 0:
		w.sql(kind, "_array_elements(", value, ") _")
		return
	case s.object:
		w.sql(kind, "_to_record(")
	default:
		w.sql(kind, "_to_recordset(")
	}
	w.sql(value, ") AS _(")
	list(w, ", ", s.columns, func(c bodyColumn) {
		w.ident(c.name)
		w.sql(" ", c.typ)
	})
	w.sql(")")
	if s.first {
		w.sql(" LIMIT 1")
	}
}

// bodyDefaults lays the body over the defaults of the columns, so that a key that is there wins, even with null.
func (w *writer) bodyDefaults(s source) {
	if s.object {
		w.sql("LATERAL (SELECT ")
		w.defaultsObject(s.columns)
		w.sql(" || pgrst_payload.json_data AS val) pgrst_json_defs, ")
		return
	}
	w.sql("LATERAL (SELECT jsonb_agg(")
	w.defaultsObject(s.columns)
	w.sql(" || elem) AS val FROM jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, ")
}

// defaultsObject writes an object with the default of each column that has one. The expressions come from the catalogue.
func (w *writer) defaultsObject(columns []bodyColumn) {
	w.sql("jsonb_build_object(")
	first := true
	for _, c := range columns {
		if c.expression == "" {
			continue
		}
		if !first {
			w.sql(", ")
		}
		first = false
		w.arg(c.name)
		w.sql("::text, ", c.expression)
	}
	w.sql(")")
}
