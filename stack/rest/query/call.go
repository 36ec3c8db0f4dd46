package query

import (
	"encoding/json"
	"slices"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// call plans the call of a function.
func (p *planner) call() (*Plan, error) {
	f, err := p.function()
	if err != nil {
		return nil, err
	}
	subject := schema.Name{Schema: f.Name.Schema, Name: f.Name.Name}
	if f.Returns.Composite {
		subject.Name = f.Returns.Type.Name
	}
	root, err := p.tree(subject, true)
	if err != nil {
		return nil, err
	}
	out, err := p.negotiate(subject, root)
	if err != nil {
		return nil, err
	}
	if err := p.req.Prefer.CheckHandling(); err != nil {
		return nil, err
	}
	if p.req.Prefer.MaxAffected != nil && p.req.Prefer.Handling == request.HandlingStrict && f.Single() {
		return nil, maxAffectedOnSingle()
	}
	w := &writer{}
	w.explain(out)
	w.sql("WITH ", sourceCTE, " AS (")
	if err := p.writeCall(w, f, root); err != nil {
		return nil, err
	}
	w.sql(")")
	p.countCTE(w, root)
	w.sql(" SELECT ")
	p.countColumn(w)
	w.sql(" AS total_result_set, ")
	if f.Single() {
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
	readOnly := p.req.Method != "POST" || f.Volatility != schema.Volatile
	return &Plan{Main: w.statement(), ReadOnly: readOnly, Media: out.media, Explain: out.explain, Function: f}, nil
}

// function finds the overload whose parameters the given names fit. When none fits, a POST can still go to a function
// with one unnamed parameter, which takes the whole body.
func (p *planner) function() (*schema.Function, error) {
	name := schema.Name{Schema: p.req.Schema, Name: p.req.Target.Name}
	overloads := p.snap.Functions(name)
	given := p.argumentNames()
	var named, unnamed []*schema.Function
	for _, f := range overloads {
		switch {
		case p.fits(f, given):
			named = append(named, f)
		case p.takesBody(f):
			unnamed = append(unnamed, f)
		}
	}
	if len(named) == 0 {
		named = unnamed
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		return nil, functionNotFound(p.snap, p.req, name, given)
	default:
		return nil, ambiguousFunction(named)
	}
}

// argumentNames are the distinct names of the arguments, sorted.
func (p *planner) argumentNames() []string {
	if p.req.Method == "POST" {
		return p.req.Payload.Keys
	}
	var names []string
	for _, a := range p.req.Args {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fits reports whether all required parameters are given and nothing else than parameters is.
func (p *planner) fits(f *schema.Function, given []string) bool {
	if len(f.Params) == 0 {
		return len(given) == 0 && !p.wholeBody()
	}
	known := make(map[string]bool, len(f.Params))
	for _, param := range f.Params {
		if param.Required && !slices.Contains(given, param.Name) {
			return false
		}
		known[param.Name] = true
	}
	for _, name := range given {
		if !known[name] {
			return false
		}
	}
	return true
}

// wholeBody reports whether the body is a single value and not a set of named arguments.
func (p *planner) wholeBody() bool {
	if p.req.Method != "POST" {
		return false
	}
	switch p.req.ContentType.Kind {
	case request.MediaText, request.MediaXML, request.MediaBinary:
		return true
	default:
		return false
	}
}

// takesBody reports whether the function has one unnamed parameter of the type that the body has.
func (p *planner) takesBody(f *schema.Function) bool {
	if p.req.Method != "POST" || len(f.Params) != 1 || f.Params[0].Name != "" {
		return false
	}
	typ := f.Params[0].Type
	switch p.req.ContentType.Kind {
	case request.MediaJSON:
		return typ == "json" || typ == "jsonb"
	case request.MediaText:
		return typ == "text"
	case request.MediaXML:
		return typ == "xml"
	case request.MediaBinary:
		return typ == "bytea"
	default:
		return false
	}
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

// callWith writes the call as a FROM item.
func (w *writer) callWith(f *schema.Function, args func()) {
	if !f.Returns.Composite {
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

// callWithBody writes a call whose arguments are read from a JSON body. Of a list of objects the first counts.
func (w *writer) callWithBody(f *schema.Function, params []schema.Param, payload request.Payload) {
	columns := make([]bodyColumn, len(params))
	for i, param := range params {
		columns[i] = bodyColumn{name: param.Name, typ: param.CastType}
	}
	s := newSource(payload, columns)
	s.first = true
	from := &writer{args: w.args}
	from.fromBody(s)
	w.args = from.args
	w.sql(from.text.String()[len("FROM "):], ", LATERAL ")
	w.callWith(f, func() {
		list(w, ", ", params, func(param schema.Param) {
			w.parameter(param)
			w.column(schema.Name{Name: bodyAlias}, param.Name)
		})
	})
}

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

func (w *writer) bodyParam(a Argument, param schema.Param) {
	w.argument(a)
	w.sql("::", param.Type)
}
