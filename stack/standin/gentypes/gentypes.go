// Package gentypes writes the TypeScript types of a database's schemas, which supabase-js takes to know tables, views,
// functions, enums and composite types. It promises the type Database that the Supabase CLI writes (postgres-meta 0.96.6,
// recordings in testdata), line for line, and the same names beside it: Tables, TablesInsert, TablesUpdate, Enums,
// CompositeTypes and Constants. What leads from one table to another is what package schema of REST says. It changes nothing.
package gentypes

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/supascore/supascore/stack/rest/schema"
)

//go:embed helpers.ts
var helpers string

// TypeScript returns the types of schemas, at least one, as a module. Schemas that do not exist are left out.
func TypeScript(ctx context.Context, conn *pgx.Conn, schemas []string) (string, error) {
	c, err := load(ctx, conn, schemas)
	if err != nil {
		return "", err
	}
	// Names are in the order of a dictionary, as JavaScript's localeCompare has them.
	g := &generator{catalogue: c, compare: collate.New(language.AmericanEnglish).CompareString}
	g.sort()
	return g.module(), nil
}

// generator makes types from a catalogue.
type generator struct {
	*catalogue
	compare func(a, b string) int
}

// sort puts everything in the order of names.
func (g *generator) sort() {
	slices.SortFunc(g.schemas, g.compare)
	for _, r := range g.relations {
		slices.SortFunc(r.columns, func(a, b column) int { return g.compare(a.name, b.name) })
		slices.SortStableFunc(r.keys, func(a, b schema.Relationship) int {
			return cmp.Or(g.compare(a.Constraint, b.Constraint), g.compare(a.Foreign.Name, b.Foreign.Name), g.compare(foreign(a), foreign(b)))
		})
	}
	for _, f := range g.functions {
		slices.SortStableFunc(f.args, func(a, b argument) int { return g.compare(a.name, b.name) })
	}
}

// foreign lists the columns that a key leads to.
func foreign(r schema.Relationship) string {
	var names []string
	for _, p := range r.Columns {
		names = append(names, quote(p.Foreign))
	}
	return "[" + strings.Join(names, ",") + "]"
}

// module is the whole text.
func (g *generator) module() string {
	var p printer
	p.WriteString("export type Json =\n  | string\n  | number\n  | boolean\n  | null\n  | { [key: string]: Json | undefined }\n  | Json[]\n\n")
	p.WriteString("export type Database = ")
	database := object{open: true}
	for _, s := range g.schemas {
		database.members = append(database.members, member{key(s), g.schema(s)})
	}
	p.node(database, 0, len("export type Database = "), 0)
	p.WriteString("\n\n" + helpers + "\n")
	g.constants(&p)
	return p.String()
}

// schema is the type of one schema.
func (g *generator) schema(name string) object {
	var tables, views, enums, composites []member
	for _, r := range g.relations {
		if r.name.Schema != name {
			continue
		}
		m := member{r.name.Name, g.relation(r)}
		if r.isView() {
			views = append(views, m)
		} else {
			tables = append(tables, m)
		}
	}
	for _, t := range g.types {
		switch {
		case t.name.Schema != name:
		case len(t.variants) > 0:
			enums = append(enums, member{t.name.Name, variants(t.variants)})
		case len(t.attributes) > 0:
			o := object{open: true}
			for _, a := range t.attributes {
				o.members = append(o.members, member{key(a.name), nullable(g.typeOf(a.typ), true)})
			}
			composites = append(composites, member{t.name.Name, o})
		}
	}
	return object{open: true, members: []member{
		{"Tables", g.section(tables)},
		{"Views", g.section(views)},
		{"Functions", filled(g.signatures(name))},
		{"Enums", g.section(enums)},
		{"CompositeTypes", g.section(composites)},
	}}
}

// section sorts the members of a part of a schema, whose keys are bare names.
func (g *generator) section(members []member) object {
	slices.SortFunc(members, func(a, b member) int { return g.compare(a.key, b.key) })
	for i := range members {
		members[i].key = key(members[i].key)
	}
	return filled(members)
}

// filled is an object type that has no members when there are none, and not any.
func filled(members []member) object {
	if len(members) == 0 {
		members = []member{{"[_ in never]", text("never")}}
	}
	return object{members: members, open: true}
}

// constants writes the values of the enums, for programs that list them.
func (g *generator) constants(p *printer) {
	p.WriteString("export const Constants = {")
	for _, s := range g.schemas {
		p.line(2)
		p.WriteString(key(s) + ": {")
		p.line(4)
		p.WriteString("Enums: {")
		var enums []*pgType
		for _, t := range g.types {
			if t.name.Schema == s && len(t.variants) > 0 {
				enums = append(enums, t)
			}
		}
		slices.SortFunc(enums, func(a, b *pgType) int { return g.compare(a.name.Name, b.name.Name) })
		for _, t := range enums {
			p.line(6)
			p.WriteString(key(t.name.Name) + ": ")
			var values tuple
			for _, v := range t.variants {
				values.of = append(values.of, text(quote(v)))
			}
			p.node(values, 6, 6+len([]rune(key(t.name.Name)))+2, 1)
			p.WriteString(",")
		}
		if len(enums) > 0 {
			p.line(4)
		}
		p.WriteString("},")
		p.line(2)
		p.WriteString("},")
	}
	p.WriteString("\n} as const\n")
}
