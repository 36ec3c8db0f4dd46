package query

import (
	"encoding/json"
	"slices"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// callStatement is the main statement of a call, of the form
//
//	WITH pgrst_source AS (SELECT pgrst_call.* FROM "public"."search"("q" := $1::text) pgrst_call)
//	SELECT …, coalesce(json_agg(_postgrest_t), '[]') AS body, …
//	FROM (SELECT … FROM pgrst_source AS films WHERE …) _postgrest_t
//
// The function is called once; filters, order and embeds work on what it returned.
func (p *planner) callStatement(f *schema.Function, root *node, out format) (Statement, error) {
	w := newWriter()
	w.explain(out)
	w.sql("WITH ", sourceCTE, " AS (")
	if err := p.writeCall(w, f, root); err != nil {
		return Statement{}, err
	}
	w.sql(")")
	p.countCTE(w, root)
	w.sql(" SELECT ")
	p.countColumn(w)
	w.sql(" AS total_result_set, ")
	if f.Single() {
		// One value is one row, even where it is NULL and would not be counted.
		w.sql("1")
	} else {
		w.sql("pg_catalog.count(", rowAlias, ")")
	}
	w.sql(" AS page_total, ")
	w.body(out, f)
	w.settings()
	w.sql(", NULL AS response_inserted, NULL AS location FROM (")
	w.read(root)
	w.sql(") ", rowAlias)
	return w.statement(), nil
}

// writeCall writes the query inside of pgrst_source.
func (p *planner) writeCall(w *writer, f *schema.Function, root *node) error {
	w.sql("SELECT ")
	if f.Returns.Composite {
		w.callColumns(root)
	} else {
		w.sql(callAlias, ".", scalarAlias)
	}
	w.sql(" FROM ")
	// Parameters that were not given are left to their defaults.
	given := slices.DeleteFunc(slices.Clone(f.Params), func(param schema.Param) bool {
		return !slices.Contains(p.argumentNames(), param.Name)
	})
	switch {
	case len(f.Params) == 1 && f.Params[0].Name == "":
		arg, err := p.bodyArgument(f.Params[0])
		if err != nil {
			return err
		}
		w.callWith(f, func() { w.bodyParam(arg, f.Params[0]) })
	case len(given) == 0:
		w.callWith(f, func() {})
	case p.req.Method != "POST":
		w.callWith(f, func() { w.directParams(given, p.req.Args) })
	case p.req.Payload.Kind == request.PayloadForm:
		w.callWith(f, func() { w.directParams(given, p.req.Payload.Args) })
	default:
		w.callWithBody(f, given, p.req.Payload)
	}
	return nil
}

// callColumns writes the columns of the result that the answer, its embeds and its filters need.
func (w *writer) callColumns(root *node) {
	names := neededColumns(root, nil)
	relation := schema.Name{Name: callAlias}
	switch {
	case len(names) == 0:
		w.sql("*")
		return
	case !slices.Equal(names, []string{"*"}):
		names = append(names, root.filterColumns()...)
		slices.Sort(names)
		names = slices.Compact(names)
	}
	list(w, ", ", names, func(c string) { w.column(relation, c) })
}

// filterColumns are the columns that filters anywhere in the tree name. That includes those of embeds, so a filter on
// an embed fails when the function's rows have no column of that name, as it does in PostgREST (recording
// embed/views_and_functions).
func (n *node) filterColumns() []string {
	var names []string
	var collect func(condition)
	collect = func(c condition) {
		switch {
		case c.filter != nil:
			names = append(names, c.filter.column.name)
		case c.exists != nil:
			names = append(names, c.exists.child.embed)
		case c.group != nil:
			for _, part := range c.group.parts {
				collect(part)
			}
		}
	}
	for _, c := range n.where {
		collect(c)
	}
	for _, c := range n.children {
		names = append(names, c.filterColumns()...)
	}
	return names
}

// callWith writes the call as a FROM item: f(…) pgrst_call for rows, and for plain values, which then have a name,
// (SELECT f(…) pgrst_scalar) pgrst_call.
func (w *writer) callWith(f *schema.Function, args func()) {
	if !f.Returns.Composite {
		// A plain value has no column of its own to be named by.
		w.sql("(SELECT ")
	}
	w.name(f.Name)
	w.sql("(")
	args()
	w.sql(")")
	if !f.Returns.Composite {
		w.sql(" ", scalarAlias, ")")
	}
	w.sql(" ", callAlias)
}

// callWithBody writes a call whose arguments are read from a JSON body:
//
//	<body>, LATERAL f("a" := pgrst_body."a", "b" := pgrst_body."b") pgrst_call
//
// where the body's columns have the types of the parameters, so that a value means what it means in an INSERT. Of a list of objects the first counts.
func (w *writer) callWithBody(f *schema.Function, params []schema.Param, payload request.Payload) {
	columns := make([]bodyColumn, len(params))
	for i, param := range params {
		columns[i] = bodyColumn{name: param.Name, typ: param.CastType}
	}
	s := newSource(payload, columns)
	// Calling the function once for each object of a list was dropped from PostgREST; the first one counts.
	s.first = true
	w.fromBody(s)
	w.sql(", LATERAL ")
	w.callWith(f, func() {
		list(w, ", ", params, func(param schema.Param) {
			w.parameter(param)
			w.column(schema.Name{Name: bodyAlias}, param.Name)
		})
	})
}

// parameter writes the name that an argument is for.
func (w *writer) parameter(param schema.Param) {
	if param.Variadic {
		w.sql("VARIADIC ")
	}
	w.ident(param.Name)
	w.sql(" := ")
}

// directParams writes arguments from a query string or a form. Of a repeated name the last one counts, except that a
// variadic parameter takes them all.
func (w *writer) directParams(params []schema.Param, args []request.Arg) {
	list(w, ", ", params, func(param schema.Param) {
		w.parameter(param)
		var values []string
		for _, a := range args {
			if a.Name == param.Name {
				values = append(values, a.Value)
			}
		}
		if param.Variadic {
			w.arg(arrayLiteral(values))
		} else {
			w.arg(values[len(values)-1])
		}
		w.sql("::", param.CastType)
	})
}

// bodyArgument is the value of a single unnamed parameter.
func (p *planner) bodyArgument(param schema.Param) (Argument, error) {
	if p.req.Method == "POST" && p.req.Payload.Kind != request.PayloadForm {
		return Argument{Value: p.req.Payload.Raw, Binary: param.Type == "bytea"}, nil
	}
	args := p.req.Args
	if p.req.Method == "POST" {
		args = p.req.Payload.Args
	}
	object := make(map[string]string, len(args))
	for _, a := range args {
		object[a.Name] = a.Value
	}
	raw, err := json.Marshal(object)
	return Argument{Value: raw}, err
}

// bodyParam writes the whole body as the one argument.
func (w *writer) bodyParam(a Argument, param schema.Param) {
	w.argument(a)
	w.sql("::", param.Type)
}
