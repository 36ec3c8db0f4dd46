package probes

import "slices"

// Plan is everything one run does on a stack, in the order it does it: sign
// people up and arrange rows, then probe.
type Plan struct {
	// People are the persons that the steps and probes name.
	People []Person `json:"people"`
	// Steps run one after the other before the probes.
	Steps []Step `json:"steps"`
	// Rows are the row probes, each with its own row.
	Rows []RowProbe `json:"rows"`
	// Hooks names the Auth hooks to look at.
	Hooks []string `json:"hooks,omitempty"`
	// Tables are the tables ("schema.table") whose policies and grants are looked
	// at, beside those that the probes touch.
	Tables []string `json:"tables,omitempty"`
	// Docs says which documentation a transcript is searched for; nil when no
	// check asks.
	Docs *DocsPlan `json:"docs,omitempty"`
}

// AllTables lists, without repeats and in order of mention, the tables that the
// plan names, writes to or probes.
func (p Plan) AllTables() []string {
	var tables []string
	add := func(table string) {
		if !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
	}
	for _, step := range p.Steps {
		if step.Insert != nil {
			add(step.Insert.Table)
		}
	}
	for _, probe := range p.Rows {
		add(probe.Table)
	}
	for _, table := range p.Tables {
		add(table)
	}
	return tables
}

// Person is somebody who signs up under a run-scoped e-mail address.
type Person struct {
	// ID names the person; the address is "<id>-<run>@example.com".
	ID string `json:"id"`
	// Password is what they sign up with. It is never written to a result.
	Password string `json:"-"`
}

// Step is one arrange step. Exactly one field is set.
type Step struct {
	SignUp []string   `json:"sign_up,omitempty"`
	SignIn []string   `json:"sign_in,omitempty"`
	Insert *RowInsert `json:"insert,omitempty"`
}

// RowInsert is a row that the owner writes.
type RowInsert struct {
	// Table is "schema.table".
	Table string `json:"table"`
	// For is the person who depends on the row; may be empty.
	For string `json:"for,omitempty"`
	// Row maps columns to values.
	Row Row `json:"row"`
	// Own is true when the row belongs to a person of the run, so that nobody else
	// takes notice of it.
	Own bool `json:"own"`
}

// Row maps columns to values.
type Row map[string]Value

// Value is a column's value: a person's, once they have signed up, or a literal.
type Value struct {
	// Person and Field name a person's "id" or "email"; empty for a literal.
	Person string `json:"person,omitempty"`
	Field  string `json:"field,omitempty"`
	// Literal is the value as JSON has it. Postgres converts it to the column's
	// type.
	Literal any `json:"literal,omitempty"`
}

// Own reports whether the row belongs to a person of the run: one of its values is
// that person's. A row without one is everybody's, such as a setting or a role.
func (r Row) Own() bool {
	for _, value := range r {
		if value.Person != "" {
			return true
		}
	}
	return false
}

// Literals makes a row of literal values.
func Literals(values map[string]any) Row {
	row := make(Row, len(values))
	for column, value := range values {
		row[column] = Value{Literal: value}
	}
	return row
}

// Verb is what a row probe tries.
type Verb string

// The verbs.
const (
	VerbDelete Verb = "delete"
	VerbInsert Verb = "insert"
	VerbUpdate Verb = "update"
	VerbRead   Verb = "read"
)

// RowProbe is one request by one person on one row that no other probe touches.
type RowProbe struct {
	// ID is the id of the check that asked; the observation is filed under it.
	ID string `json:"id"`
	// As is the person whose token is sent.
	As string `json:"as"`
	// Verb is what is tried.
	Verb Verb `json:"verb"`
	// Table is "schema.table".
	Table string `json:"table"`
	// Row is what the person sends with an insert; for the other verbs the owner
	// writes it first.
	Row Row `json:"row"`
	// Set maps columns to the new values of an update.
	Set Row `json:"set,omitempty"`
	// Own is true when the request can only concern a row of a person of the run.
	Own bool `json:"own"`
}

// DocsPlan says which pages count as the documentation that should be read.
type DocsPlan struct {
	// Hosts are the exact host names that serve it, lower case.
	Hosts []string `json:"hosts"`
	// Paths are the page's paths on those hosts, current and former, without
	// extension.
	Paths []string `json:"paths"`
}
