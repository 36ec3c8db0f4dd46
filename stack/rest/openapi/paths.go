package openapi

import (
	"github.com/supascore/supascore/stack/rest/schema"
)

// pathItem is an endpoint with its methods. PUT and HEAD exist but are not described, as in PostgREST.
type pathItem struct {
	Get    *operation `json:"get,omitempty"`
	Post   *operation `json:"post,omitempty"`
	Delete *operation `json:"delete,omitempty"`
	Patch  *operation `json:"patch,omitempty"`
}

// operation is one method of an endpoint.
type operation struct {
	Tags        []string `json:"tags"`
	Summary     string   `json:"summary,omitempty"`
	Description string   `json:"description,omitempty"`
	Produces    []string `json:"produces,omitempty"`
	Parameters  []any    `json:"parameters,omitempty"`
	Responses   ordered  `json:"responses"`
}

// ref points to a part of the document.
type ref struct {
	Ref string `json:"$ref"`
}

// parameterRefs point to the common parameters of the document.
func parameterRefs(names ...string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = ref{"#/parameters/" + n}
	}
	return out
}

// response describes an answer.
type response struct {
	Description string `json:"description"`
	Schema      any    `json:"schema,omitempty"`
}

// responses is a single answer without a body to describe.
func responses(status, description string) ordered {
	return ordered{{status, response{Description: description}}}
}

// paths are the root itself, then relations, then functions.
func paths(tables []*schema.Table, functions []*schema.Function) ordered {
	out := ordered{{"/", pathItem{Get: &operation{
		Tags: []string{"Introspection"}, Summary: "OpenAPI description (this document)",
		Produces: []string{"application/openapi+json", "application/json"}, Responses: responses("200", "OK"),
	}}}}
	for _, t := range tables {
		out.add("/"+t.Name.Name, tablePath(t))
	}
	for _, f := range functions {
		out.add("/rpc/"+f.Name.Name, functionPath(f))
	}
	return out
}

// tablePath has the writing methods when any of them works on the relation.
func tablePath(t *schema.Table) pathItem {
	name := t.Name.Name
	summary, description := headline(t.Description)
	act := func(parameters []any, answers ordered) *operation {
		return &operation{
			Tags: []string{name}, Summary: summary, Description: description, Parameters: parameters, Responses: answers,
		}
	}
	rows := ordered{{"200", response{"OK", ordered{{"items", ref{"#/definitions/" + name}}, {"type", "array"}}}}}
	rows.add("206", response{Description: "Partial Content"})
	p := pathItem{Get: act(append(rowFilters(t),
		parameterRefs("select", "order", "range", "rangeUnit", "offset", "limit", "preferCount")...), rows)}
	if !t.Insertable && !t.Updatable && !t.Deletable {
		return p
	}
	p.Post = act(parameterRefs("body."+name, "select", "preferPost"), responses("201", "Created"))
	p.Patch = act(append(rowFilters(t), parameterRefs("body."+name, "preferReturn")...), responses("204", "No Content"))
	p.Delete = act(append(rowFilters(t), parameterRefs("preferReturn")...), responses("204", "No Content"))
	return p
}

// rowFilters are the columns as parameters.
func rowFilters(t *schema.Table) []any {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = "rowFilter." + t.Name.Name + "." + c.Name
	}
	return parameterRefs(names...)
}

// functionPath has GET unless the function is volatile: a read-only transaction would refuse its writes.
func functionPath(f *schema.Function) pathItem {
	summary, description := headline(f.Description)
	op := operation{
		Tags: []string{"(rpc) " + f.Name.Name}, Summary: summary, Description: description,
		Produces: mediaTypes(false), Responses: responses("200", "OK"),
	}
	post := op
	post.Parameters = append([]any{bodyParameter{Name: "args", In: "body", Required: true, Schema: arguments(f)}},
		parameterRefs("preferParams")...)
	p := pathItem{Post: &post}
	if f.Volatility != schema.Volatile {
		get := op
		for _, arg := range f.Params {
			get.Parameters = append(get.Parameters, queryArgument(arg))
		}
		p.Get = &get
	}
	return p
}

// arguments describe the body of a call.
func arguments(f *schema.Function) object {
	o := object{Description: f.Description, Type: "object"}
	for _, p := range f.Params {
		if p.Required {
			o.Required = append(o.Required, p.Name)
		}
		o.Properties.add(p.Name, typed(p.Type))
	}
	return o
}
