package openapi

import (
	"encoding/json"
	"strings"
)

// swaggerType is the JSON type of a PostgreSQL type; json and jsonb have any, which is written as none.
func swaggerType(pg string) string {
	switch pg {
	case "character varying", "character", "text":
		return "string"
	case "boolean":
		return "boolean"
	case "smallint", "integer", "bigint":
		return "integer"
	case "numeric", "real", "double precision":
		return "number"
	case "json", "jsonb":
		return ""
	}
	if strings.HasSuffix(pg, "[]") {
		return "array"
	}
	return "string"
}

// swaggerFormat is the format of a type: the size of integers, otherwise PostgreSQL's own name.
func swaggerFormat(pg string) string {
	switch pg {
	case "smallint", "integer":
		return "int32"
	case "bigint":
		return "int64"
	}
	return pg
}

// property describes one value (Swagger 2.0, "Schema Object"). Its fields are in the order in which they are written.
type property struct {
	Default     json.RawMessage `json:"default,omitempty"`
	Description string          `json:"description,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Format      string          `json:"format,omitempty"`
	Items       *property       `json:"items,omitempty"`
	MaxLength   int             `json:"maxLength,omitempty"`
	Type        string          `json:"type,omitempty"`
}

// typed is the property of a value of a PostgreSQL type.
func typed(pg string) property {
	p := property{Format: swaggerFormat(pg), Type: swaggerType(pg)}
	if p.Type == "array" {
		p.Items = &property{Type: swaggerType(strings.TrimSuffix(pg, "[]"))}
	}
	return p
}

// defaultValue is the default of a column as JSON: texts without their cast and quotes, other types when their expression is
// JSON, nothing otherwise.
func defaultValue(pg, expression string) json.RawMessage {
	if expression == "" {
		return nil
	}
	if swaggerType(pg) == "string" {
		if text, ok := strings.CutSuffix(expression, "::"+pg); ok {
			expression = strings.Trim(text, "'")
		}
		text, err := json.Marshal(expression)
		if err != nil {
			return nil
		}
		return text
	}
	if !json.Valid([]byte(expression)) {
		return nil
	}
	return json.RawMessage(expression)
}

// object describes a row or the arguments of a function.
type object struct {
	Description string   `json:"description,omitempty"`
	Required    []string `json:"required,omitempty"`
	Type        string   `json:"type"`
	Properties  ordered  `json:"properties,omitempty"`
}
