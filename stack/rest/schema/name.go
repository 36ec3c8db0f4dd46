package schema

import "github.com/jackc/pgx/v5"

// Name is a schema-qualified name of a relation, a function or a type. Both parts are bare identifiers, not quoted.
// An empty Schema stands for a name that is local to a statement, such as an alias.
type Name struct {
	Schema string
	Name   string
}

// SQL renders the name as quoted identifiers, safe in any statement.
func (n Name) SQL() string {
	if n.Schema == "" {
		return pgx.Identifier{n.Name}.Sanitize()
	}
	return pgx.Identifier{n.Schema, n.Name}.Sanitize()
}

// String renders the name for messages: schema.name without quotes.
func (n Name) String() string {
	if n.Schema == "" {
		return n.Name
	}
	return n.Schema + "." + n.Name
}
