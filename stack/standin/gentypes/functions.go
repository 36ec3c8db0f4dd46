package gentypes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Types that REST calls a function with as a whole, when the argument has no name: json, jsonb, text.
const (
	oidJSON  = 114
	oidJSONB = 3802
	oidText  = 25
)

func isWhole(id int64) bool { return id == oidJSON || id == oidJSONB || id == oidText }

// callable reports whether REST can call a function: its arguments have names, or it has one that is taken whole, or a row.
func (g *generator) callable(f *function) bool {
	ins := f.ins()
	nameless := slices.ContainsFunc(ins, func(a argument) bool { return a.name == "" })
	mayDefault := !slices.ContainsFunc(ins, func(a argument) bool { return a.name == "" && !(a.hasDefault && isWhole(a.typ)) })
	one := len(ins) == 1 && ins[0].name == "" && (isWhole(ins[0].typ) || g.rowType(ins[0].typ) != nil)
	return !nameless || mayDefault || one
}

// rowType is a type that is that of a relation's rows, or made of attributes; nil for any other.
func (g *generator) rowType(id int64) *pgType {
	if t := g.types[id]; t != nil && t.relation != 0 {
		return t
	}
	return nil
}

// returnedRelation is the name of the relation or type whose rows a function returns, "" for none.
func (g *generator) returnedRelation(f *function) string {
	if f.relation == 0 {
		return ""
	}
	if r := g.relations[f.relation]; r != nil {
		return r.name.Name
	}
	if t := g.rowType(f.returns); t != nil {
		return t.name.Name
	}
	return ""
}

// result is the type of one row of what a function returns, or of the value.
func (g *generator) result(f *function) node {
	columns := object{open: true}
	for _, a := range f.args {
		if a.mode == "t" {
			columns.members = append(columns.members, member{key(a.name), g.typeOf(a.typ)})
		}
	}
	if len(columns.members) > 0 {
		return columns
	}
	if r := g.relations[f.relation]; r != nil && r.name.Schema == f.name.Schema {
		return g.row(r)
	}
	return g.typeOf(f.returns)
}

// signature is one function of a name.
func (g *generator) signature(f *function, overloads []*function) object {
	ins := f.ins()
	args := node(text("never"))
	if len(ins) > 0 {
		o := object{}
		for _, a := range ins {
			o.members = append(o.members, member{optional(key(a.name), a.hasDefault), g.typeOf(a.typ)})
		}
		args = o
	}
	// A set is a list, except that of one row of a relation: clients are told by isOneToOne.
	isList := f.set && (f.many || g.returnedRelation(f) == "")
	returns := g.result(f)
	if problem := g.problem(f, overloads); problem != "" {
		message := quote(problem)
		if isList {
			message += "[]"
		}
		returns = both{object{members: []member{{"error", text("true")}}}, message}
	} else if isList {
		returns = array{returns}
	}
	o := object{members: []member{{"Args", args}, {"Returns", returns}}}
	if options := g.setOptions(f); options != nil {
		o.members = append(o.members, member{"SetofOptions", *options})
	}
	return o
}

// setOptions says from where to where a function leads, when it returns rows of a relation.
func (g *generator) setOptions(f *function) *object {
	to := g.returnedRelation(f)
	if to == "" {
		return nil
	}
	from, one := "*", !f.many
	if len(f.args) == 1 {
		if t := g.rowType(f.args[0].typ); t != nil {
			from = t.format
			one = one || !f.set
		}
	}
	return &object{open: true, members: []member{
		{"from", text(quote(from))},
		{"to", text(quote(to))},
		{"isOneToOne", boolean(one)},
		{"isSetofReturn", boolean(f.set)},
	}}
}

// problem is why REST cannot call a function, "" when it can. The words are those of the CLI's types, in which they are part.
func (g *generator) problem(f *function, overloads []*function) string {
	ins := f.ins()
	if rivals := g.rivals(f, overloads); len(rivals) > 0 {
		return fmt.Sprintf("Could not choose the best candidate function between: %s. Try renaming the parameters or the "+
			"function itself in the database so function overloading can be resolved", strings.Join(rivals, ", "))
	}
	if len(ins) == 1 && ins[0].name == "" && g.rowType(ins[0].typ) != nil && g.returnedRelation(f) == "" {
		return fmt.Sprintf("the function %s.%s with parameter or with a single unnamed json/jsonb parameter, "+
			"but no matches were found in the schema cache", f.name.Schema, f.name.Name)
	}
	return ""
}

// rivals are the functions of one name that a call cannot tell apart, f among them; none when it can.
func (g *generator) rivals(f *function, overloads []*function) []string {
	ins := f.ins()
	name := f.name.Schema + "." + f.name.Name
	switch {
	case len(overloads) < 2:
	case len(ins) == 0:
		for _, other := range overloads {
			if o := other.ins(); len(o) == 1 && o[0].name == "" && o[0].hasDefault {
				return []string{name + "()", fmt.Sprintf("%s( => %s)", name, g.typeName(other.returns))}
			}
		}
	case len(ins) == 1 && ins[0].name != "":
		types := []int64{ins[0].typ}
		for _, other := range overloads {
			if o := other.ins(); len(o) == 1 && o[0].name == ins[0].name && o[0].typ != ins[0].typ {
				types = append(types, o[0].typ)
			}
		}
		if len(types) == 1 {
			return nil
		}
		slices.Sort(types)
		var out []string
		for _, t := range types {
			out = append(out, fmt.Sprintf("%s(%s => %s)", name, ins[0].name, g.typeName(t)))
		}
		return out
	}
	return nil
}

func (g *generator) typeName(id int64) string {
	if t := g.types[id]; t != nil {
		return t.name.Name
	}
	return "unknown"
}

// functionsOf lists the functions of a schema that REST can call, by name.
func (g *generator) functionsOf(schema string) []*function {
	var out []*function
	for _, f := range g.functions {
		if f.name.Schema == schema && g.callable(f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *function) int { return g.compare(a.name.Name, b.name.Name) })
	return out
}

// signatures are the functions of a schema, those of one name together.
func (g *generator) signatures(schema string) []member {
	var out []member
	all := g.functionsOf(schema)
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].name == all[i].name {
			end++
		}
		overloads := all[i:end]
		slices.SortStableFunc(overloads, func(a, b *function) int {
			return cmp.Or(g.compare(a.arguments, b.arguments), g.compare(a.result, b.result))
		})
		var u union
		for _, f := range overloads {
			u = append(u, g.signature(f, overloads))
		}
		m := member{key(all[i].name.Name), u}
		if len(u) == 1 {
			m.value = u[0]
		}
		out = append(out, m)
		i = end
	}
	return out
}
