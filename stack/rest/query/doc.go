// Package query turns a parsed request and a schema snapshot into the SQL that answers it. It owns the choice of
// relationships, functions and media types, and the shape of every statement. It promises that the text of a statement
// depends on the shape of the request alone: values are always arguments, identifiers are always quoted, and nothing
// iterates over a map, so that equal shapes give equal texts and PostgreSQL can keep them prepared. The statements
// behave like those of PostgREST 14 to the letter where row level security and privileges look: what is returned,
// which columns are read, in which order things are checked. Running a statement is not its business.
package query
