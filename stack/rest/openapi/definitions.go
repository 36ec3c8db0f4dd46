package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/supascore/supascore/stack/rest/schema"
)

// definitions describe the rows of relations.
func definitions(snap *schema.Snapshot, tables []*schema.Table) ordered {
	var out ordered
	for _, t := range tables {
		o := object{Description: t.Description, Type: "object"}
		keys := foreignKeys(snap.Relationships(t.Name))
		for _, c := range t.Columns {
			if !c.Nullable {
				o.Required = append(o.Required, c.Name)
			}
			p := typed(c.Type)
			p.Default = defaultValue(c.Type, c.Default)
			p.Enum, p.MaxLength = c.Enum, c.MaxLength
			p.Description = note(c, slices.Contains(t.PrimaryKey, c.Name), keys[c.Name])
			o.Properties.add(c.Name, p)
		}
		out.add(t.Name.Name, o)
	}
	return out
}

// foreignKeys are the columns that point to a column of another relation alone. Of several a table comes before a view.
func foreignKeys(all []schema.Relationship) map[string]schema.Relationship {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b schema.Relationship) int {
		return cmp.Compare(number(a.ForeignIsView), number(b.ForeignIsView))
	})
	out := map[string]schema.Relationship{}
	for _, r := range sorted {
		isKey := r.Cardinality == schema.ManyToOne || r.Cardinality == schema.OneToOne && !r.IsReferenced()
		if !isKey || len(r.Columns) != 1 {
			continue
		}
		if _, ok := out[r.Columns[0].Column]; !ok {
			out[r.Columns[0].Column] = r
		}
	}
	return out
}

// number orders false before true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// note is the comment of a column with what it is to keys. Generators of client code read the marks in angle brackets.
func note(c schema.Column, isPrimaryKey bool, key schema.Relationship) string {
	var notes []string
	if isPrimaryKey {
		notes = append(notes, "This is a Primary Key.<pk/>")
	}
	if len(key.Columns) == 1 {
		table, column := key.Foreign.Name, key.Columns[0].Foreign
		notes = append(notes, "This is a Foreign Key to `"+table+"."+column+"`.<fk table='"+table+"' column='"+column+"'/>")
	}
	if len(notes) == 0 {
		return c.Description
	}
	text := "Note:\n" + strings.Join(notes, "\n")
	if c.Description != "" {
		return c.Description + "\n\n" + text
	}
	return text
}
