package query

import (
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// negotiate picks the first accepted media type that can be produced (PostgREST documentation, "Media types"). subject
// is the relation or function, whose own handlers come first as long as the client did not choose what to select.
func (p *planner) negotiate(subject schema.Name, root *node) (format, error) {
	for _, m := range p.req.Accept {
		out, ok := p.produce(m, subject, root.defaultSelect())
		if !ok {
			continue
		}
		write := p.req.Action != request.ActionRead && p.req.Action != request.ActionCall
		if p.req.HeadersOnly || write && p.req.Prefer.Return != request.ReturnRepresentation {
			out.kind = formatNone
		}
		return out, nil
	}
	return format{}, NotAcceptable(p.req.Accept)
}

// produce finds how one media type is made.
func (p *planner) produce(m request.MediaType, subject schema.Name, whole bool) (format, bool) {
	// Types with parameters are the server's own and cannot be taken over by a handler.
	switch m.Kind {
	case request.MediaObject:
		return format{kind: formatObject, strip: m.NullsStripped, media: m}, true
	case request.MediaArray:
		return format{kind: formatArray, strip: m.NullsStripped, media: m}, true
	case request.MediaPlanJSON, request.MediaPlanText:
		if !p.opts.PlanEnabled {
			return format{}, false
		}
		inner := request.MediaType{Kind: request.MediaJSON, Name: "application/json"}
		if m.PlanFor != nil {
			inner = *m.PlanFor
		}
		out, ok := p.produce(inner, subject, whole)
		out.explain, out.plan, out.media = true, m, m
		return out, ok
	}
	// A handler takes rows of the relation's type, so it cannot be used when select= changes them.
	if whole {
		for _, name := range []string{"*/*", m.Name} {
			if h, ok := p.snap.Handler(subject, name); ok {
				return custom(h), true
			}
		}
	}
	if h, ok := p.snap.Handler(schema.Name{}, m.Name); ok {
		return custom(h), true
	}
	return builtin(m)
}

// builtin are the media types that need no handler.
func builtin(m request.MediaType) (format, bool) {
	switch m.Kind {
	case request.MediaAny, request.MediaJSON:
		return format{kind: formatArray, media: request.MediaType{Kind: request.MediaJSON, Name: "application/json"}}, true
	case request.MediaCSV:
		return format{kind: formatCSV, media: m}, true
	case request.MediaGeoJSON:
		return format{kind: formatGeoJSON, media: m}, true
	default:
		return format{}, false
	}
}

// custom is the format of a handler in the database. A handler of any type answers with bytes.
func custom(h schema.Handler) format {
	name := h.MediaType
	if name == "*/*" {
		name = "application/octet-stream"
	}
	return format{kind: formatCustom, handler: h, media: request.ParseMediaType(name)}
}
