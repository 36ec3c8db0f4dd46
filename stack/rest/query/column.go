package query

import (
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// field resolves an item of select=.
func (p *planner) field(t *schema.Table, f *request.SelectField) field {
	name := f.Field.Name
	if name == "" {
		name = "*" // a bare count()
	}
	col, typ := resolve(t, request.Field{Name: name, Path: f.Field.Path})
	return field{
		column: p.output(col, typ), alias: f.Alias, cast: f.Cast, aggregate: f.Aggregate, aggregateCast: f.AggregateCast,
	}
}

// orderColumn resolves a sort key. Keys of an embed are not looked up, as in PostgREST.
func orderColumn(t *schema.Table, o request.OrderTerm) column {
	if o.Relation != "" {
		return column{name: o.Field.Name, path: o.Field.Path}
	}
	col, _ := resolve(t, o.Field)
	return col
}

// resolve looks a column up. Names that the table does not have are left to PostgreSQL: they can be functions of the row
// (computed columns), or wrong, which is its SQLSTATE 42703 to tell.
func resolve(t *schema.Table, f request.Field) (col column, typ string) {
	if t != nil {
		if c, ok := t.Column(f.Name); ok {
			typ = c.Nominal
		}
	}
	// to_jsonb around a JSON column would hide it from indexes.
	return column{name: f.Name, path: f.Path, toJSON: typ != "json" && typ != "jsonb"}, typ
}

// output adds the function that writes a value of a domain as JSON.
func (p *planner) output(c column, typ string) column {
	if f, ok := p.snap.Representation(typ, "json"); ok {
		c.convert = f
	}
	return c
}

// columnValue writes a column or a path into it.
func (w *writer) columnValue(relation schema.Name, c column) {
	switch {
	case c.wholeRow:
		w.ident(relation.Name)
	case len(c.path) == 0:
		w.column(relation, c.name)
	case c.toJSON:
		w.sql("to_jsonb(")
		w.column(relation, c.name)
		w.sql(")")
		w.path(c.path)
	default:
		w.column(relation, c.name)
		w.path(c.path)
	}
}

// path writes a path into a JSON value. Its keys are arguments.
func (w *writer) path(steps []request.JSONStep) {
	for _, s := range steps {
		if s.Text {
			w.sql("->>")
		} else {
			w.sql("->")
		}
		if s.IsIndex {
			w.arg(s.Index)
			w.sql("::int")
		} else {
			w.arg(s.Key)
		}
	}
}

// fieldValue writes an item of a select list without its alias.
func (w *writer) fieldValue(relation schema.Name, f field) {
	w.aggregated(f.aggregate, f.aggregateCast, func() {
		w.casted(f.cast, func() {
			if f.column.convert == "" {
				w.columnValue(relation, f.column)
				return
			}
			w.sql(f.column.convert, "(")
			w.columnValue(relation, f.column)
			w.sql(")")
		})
	})
}

// field writes an item of a select list.
func (w *writer) field(relation schema.Name, f field) {
	w.fieldValue(relation, f)
	w.as(f.alias)
}

// as renames the item before it, when there is a name.
func (w *writer) as(alias string) {
	if alias != "" {
		w.sql(" AS ")
		w.ident(alias)
	}
}

// aggregated wraps a value into an aggregate function, when there is one.
func (w *writer) aggregated(a request.Aggregate, cast string, value func()) {
	function := ""
	switch a {
	case request.AggregateSum:
		function = "sum"
	case request.AggregateAvg:
		function = "avg"
	case request.AggregateMax:
		function = "max"
	case request.AggregateMin:
		function = "min"
	case request.AggregateCount:
		function = "count"
	default:
		value()
		return
	}
	w.casted(cast, func() {
		w.sql(function, "(")
		value()
		w.sql(")")
	})
}

// casted wraps a value into a cast, when there is one.
func (w *writer) casted(typ string, value func()) {
	if typ == "" {
		value()
		return
	}
	w.sql("CAST(")
	value()
	w.sql(" AS ")
	w.cast(typ)
	w.sql(")")
}
