package openapi

import (
	"strings"

	"github.com/supascore/supascore/stack/rest/schema"
)

// parameter is a header or a part of the query string (Swagger 2.0, "Parameter Object").
type parameter struct {
	Name             string    `json:"name"`
	Description      string    `json:"description,omitempty"`
	Required         bool      `json:"required"`
	In               string    `json:"in"`
	Type             string    `json:"type"`
	Format           string    `json:"format,omitempty"`
	Items            *property `json:"items,omitempty"`
	CollectionFormat string    `json:"collectionFormat,omitempty"`
	Enum             []string  `json:"enum,omitempty"`
	Default          string    `json:"default,omitempty"`
}

// bodyParameter is the body, which has a schema instead of a type.
type bodyParameter struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required"`
	In          string `json:"in"`
	Schema      any    `json:"schema"`
}

// parameters are those that operations point to: the common ones, then a body and the columns of every relation.
func parameters(tables []*schema.Table) ordered {
	text := func(name, description, in string) parameter {
		return parameter{Name: name, Description: description, In: in, Type: "string"}
	}
	prefer := func(values ...string) parameter {
		p := text("Prefer", "Preference", "header")
		p.Enum = values
		return p
	}
	unit := text("Range-Unit", "Limiting and Pagination", "header")
	unit.Default = "items"
	returns := []string{"return=representation", "return=minimal", "return=none"}
	out := ordered{
		{"preferParams", prefer()},
		{"preferReturn", prefer(returns...)},
		{"preferCount", prefer("count=none")},
		{"preferPost", prefer(append(returns, "resolution=ignore-duplicates", "resolution=merge-duplicates")...)},
		{"select", text("select", "Filtering Columns", "query")},
		{"on_conflict", text("on_conflict", "On Conflict", "query")},
		{"order", text("order", "Ordering", "query")},
		{"range", text("Range", "Limiting and Pagination", "header")},
		{"rangeUnit", unit},
		{"offset", text("offset", "Limiting and Pagination", "query")},
		{"limit", text("limit", "Limiting and Pagination", "query")},
	}
	for _, t := range tables {
		name := t.Name.Name
		out.add("body."+name, bodyParameter{Name: name, Description: name, In: "body", Schema: ref{"#/definitions/" + name}})
		for _, c := range t.Columns {
			out.add("rowFilter."+name+"."+c.Name, text(c.Name, c.Description, "query"))
		}
	}
	return out
}

// queryArgument is an argument of a function called by GET. Arrays are written as one text, those of a variadic parameter as
// many values.
func queryArgument(p schema.Param) parameter {
	out := parameter{Name: p.Name, Required: p.Required, In: "query", Type: swaggerType(p.Type)}
	if p.Variadic {
		element := strings.TrimSuffix(p.Type, "[]")
		out.CollectionFormat = "multi"
		out.Items = &property{Type: swaggerType(element), Format: swaggerFormat(element)}
		return out
	}
	if out.Type == "array" || out.Type == "" {
		out.Type = "string"
	}
	out.Format = swaggerFormat(p.Type)
	return out
}
