package query

import (
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
	main, err := p.callStatement(f, root, out)
	if err != nil {
		return nil, err
	}
	readOnly := p.req.Method != "POST" || f.Volatility != schema.Volatile
	return &Plan{Main: main, ReadOnly: readOnly, Media: out.media, Explain: out.explain, Function: f}, nil
}

// function finds the overload whose parameters the given names fit. When none fits, a POST can still go to a function
// with one unnamed parameter, which takes the whole body.
func (p *planner) function() (*schema.Function, error) {
	name := schema.Name{Schema: p.req.Schema, Name: p.req.Target.Name}
	overloads := p.snap.Functions(name)
	given := p.argumentNames()
	var named, unnamed []*schema.Function
	// Only names are compared: arguments of a query string have no types that could decide.
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
		// A text or binary body has to go somewhere.
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
