package gentypes

import (
	"slices"

	"github.com/supascore/supascore/stack/rest/schema"
)

// unknown is the type of what has no other.
const unknown = text("unknown")

// scalar is the type of PostgreSQL's own types, by name. Numbers are numbers as in REST's JSON, also where JavaScript's cannot
// hold them all.
func scalar(name string) node {
	switch name {
	case "bool":
		return text("boolean")
	case "int2", "int4", "int8", "float4", "float8", "numeric":
		return text("number")
	case "bytea", "bpchar", "varchar", "date", "text", "citext", "time", "timetz", "timestamp", "timestamptz", "uuid", "vector", "interval":
		return text("string")
	case "json", "jsonb":
		return text("Json")
	case "void":
		return text("undefined")
	case "record":
		return text("Record<string, unknown>")
	}
	return nil
}

// typeOf is the type of values of a PostgreSQL type. Types of the schemas that are asked for are referred to; enums of others
// are written out.
func (g *generator) typeOf(id int64) node {
	t := g.types[id]
	if t == nil {
		return unknown
	}
	if n := scalar(t.name.Name); n != nil {
		return n
	}
	known := slices.Contains(g.schemas, t.name.Schema)
	switch {
	case t.element != 0:
		return array{g.typeOf(t.element)}
	case len(t.variants) > 0 && known:
		return reference(t.name.Schema, "Enums", t.name.Name)
	case len(t.variants) > 0:
		return variants(t.variants)
	case len(t.attributes) > 0 && known:
		return reference(t.name.Schema, "CompositeTypes", t.name.Name)
	}
	switch r := g.relations[t.relation]; {
	case r == nil:
		return unknown
	case r.kind == "r", r.kind == "p":
		return reference(r.name.Schema, "Tables", r.name.Name) + `["Row"]`
	case r.kind == "v":
		return reference(r.name.Schema, "Views", r.name.Name) + `["Row"]`
	}
	return unknown
}

// reference names a type of the generated ones.
func reference(in, section, name string) text {
	return text("Database[" + quote(in) + "][" + quote(section) + "][" + quote(name) + "]")
}

// variants are the values of an enum.
func variants(values []string) node {
	if len(values) == 1 {
		return text(quote(values[0]))
	}
	var u union
	for _, v := range values {
		u = append(u, text(quote(v)))
	}
	return u
}

// row is what a relation's rows look like.
func (g *generator) row(r *relation) object {
	o := object{open: true}
	for _, c := range r.columns {
		o.members = append(o.members, member{key(c.name), nullable(g.typeOf(c.typ), c.nullable)})
	}
	return o
}

// changes are what is given to write a row. Of a view, nothing is required; in an update, nothing is.
func (g *generator) changes(r *relation, update bool) object {
	o := object{open: true}
	for _, c := range r.columns {
		view := r.isView()
		if !view && c.identity == "a" || view && !c.updatable {
			o.members = append(o.members, member{key(c.name) + "?", text("never")})
			continue
		}
		null := c.nullable || view
		o.members = append(o.members, member{
			key:   optional(key(c.name), update || null || c.identity != "" || c.hasDefault),
			value: nullable(g.typeOf(c.typ), null),
		})
	}
	return o
}

// relationships are the keys of a relation.
func (g *generator) relationships(r *relation) tuple {
	out := tuple{open: true}
	for _, k := range r.keys {
		var from, to tuple
		for _, pair := range k.Columns {
			from.of = append(from.of, text(quote(pair.Column)))
			to.of = append(to.of, text(quote(pair.Foreign)))
		}
		out.of = append(out.of, object{open: true, members: []member{
			{"foreignKeyName", text(quote(k.Constraint))},
			{"columns", from},
			{"isOneToOne", boolean(k.Cardinality == schema.OneToOne)},
			{"referencedRelation", text(quote(k.Foreign.Name))},
			{"referencedColumns", to},
		}})
	}
	return out
}

func boolean(b bool) text {
	if b {
		return "true"
	}
	return "false"
}

// relation is a table or view of the generated types.
func (g *generator) relation(r *relation) object {
	o := object{open: true}
	row := g.row(r)
	for _, f := range g.functionsOf(r.name.Schema) {
		if f.arguments == r.name.Name { // a function of the row, which REST shows as one more column
			row.members = append(row.members, member{key(f.name.Name), nullable(g.result(f), true)})
		}
	}
	o.members = append(o.members, member{"Row", row})
	if !r.isView() || r.kind == "v" && r.updatable {
		o.members = append(o.members, member{"Insert", g.changes(r, false)}, member{"Update", g.changes(r, true)})
	}
	o.members = append(o.members, member{"Relationships", g.relationships(r)})
	return o
}
