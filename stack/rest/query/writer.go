package query

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/rest/schema"
)

// writer builds the text of a statement and collects its arguments.
type writer struct {
	text strings.Builder
	args []Argument
}

// newWriter has room for what most statements need.
func newWriter() *writer {
	w := &writer{}
	w.text.Grow(1 << 10)
	return w
}

// statement is what was written so far.
func (w *writer) statement() Statement { return Statement{SQL: w.text.String(), Args: w.args} }

// sql writes fixed text. Nothing that came from a client may pass here.
func (w *writer) sql(parts ...string) {
	for _, p := range parts {
		w.text.WriteString(p)
	}
}

// ident writes a quoted identifier.
func (w *writer) ident(name string) { w.text.WriteString(quote(name)) }

// name writes a quoted, possibly qualified name.
func (w *writer) name(n schema.Name) { w.text.WriteString(n.SQL()) }

// column writes a column of a relation; "*" stands for all of them.
func (w *writer) column(relation schema.Name, column string) {
	w.name(relation)
	if column == "*" {
		w.sql(".*")
		return
	}
	w.sql(".")
	w.ident(column)
}

// arg writes a parameter with a value in text format, whose type PostgreSQL infers from where it stands.
func (w *writer) arg(value string) { w.argument(Argument{Value: []byte(value)}) }

// argument writes a parameter.
func (w *writer) argument(a Argument) {
	w.args = append(w.args, a)
	w.text.WriteByte('$')
	w.text.WriteString(strconv.Itoa(len(w.args)))
}

// list writes items with separators between them.
func list[T any](w *writer, separator string, items []T, write func(T)) {
	for i, item := range items {
		if i > 0 {
			w.sql(separator)
		}
		write(item)
	}
}

// cast writes the name of a type that a client asked for. Types have names of several words and with their own parser
// rules ("double precision", "int"), which quoting would break, so what consists of the characters of such names is
// written bare, and anything else is quoted into a name that no type has.
func (w *writer) cast(typ string) {
	for _, c := range typ {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_ ", c) {
			w.ident(typ)
			return
		}
	}
	w.sql(typ)
}

// quote writes an identifier that PostgreSQL takes literally, whatever is in it.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// arrayLiteral writes values as a PostgreSQL array in text form, every element quoted.
func arrayLiteral(values []string) string {
	var b strings.Builder
	b.WriteByte('{')
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		b.WriteString(escape.Replace(v))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}
