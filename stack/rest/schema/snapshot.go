package schema

import (
	"maps"
	"slices"
	"sync"
)

// Snapshot is what was known of a database at one moment. It is immutable: share it freely, replace it whole.
type Snapshot struct {
	tables          map[Name]*Table
	functions       map[Name][]*Function
	relationships   map[Name][]Relationship
	representations map[conversion]string
	handlers        map[handlerKey]Handler

	suggesters map[string]func() *suggester // by schema, made on first use
}

// conversion is a cast between types, named as PostgreSQL prints them.
type conversion struct{ from, to string }

// Handler renders rows of Target, or the result of the function Target, as the media type.
type Handler struct {
	Function  Name
	Target    Name // empty Name for any relation (anyelement)
	MediaType string
}

type handlerKey struct {
	target    Name
	mediaType string
}

// Table returns the relation called name.
func (s *Snapshot) Table(name Name) (*Table, bool) {
	t, ok := s.tables[name]
	return t, ok
}

// Tables lists the relations of a schema, sorted by name.
func (s *Snapshot) Tables(schema string) []*Table {
	var out []*Table
	for name, t := range s.tables {
		if name.Schema == schema {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *Table) int { return compareNames(a.Name, b.Name) })
	return out
}

// Functions returns the overloads of the function called name, those with fewer parameters first.
func (s *Snapshot) Functions(name Name) []*Function { return s.functions[name] }

// FunctionNames lists the names of the functions of a schema, sorted, each once.
func (s *Snapshot) FunctionNames(schema string) []Name {
	out := slices.DeleteFunc(slices.Collect(maps.Keys(s.functions)), func(n Name) bool { return n.Schema != schema })
	slices.SortFunc(out, compareNames)
	return out
}

// Relationships returns what can be embedded into the relation called origin, in a fixed order. Only relationships to
// relations of the same schema count, as in PostgREST, where one request sees one schema.
func (s *Snapshot) Relationships(origin Name) []Relationship { return s.relationships[origin] }

// Representation returns the function that converts a value from one type to another, when one of them is a domain with
// an implicit cast (PostgREST documentation, "Domain representations"). The function's name is SQL, quoted where needed.
func (s *Snapshot) Representation(from, to string) (string, bool) {
	if len(s.representations) == 0 {
		return "", false
	}
	f, ok := s.representations[conversion{from, to}]
	return f, ok
}

// Handler returns the function that renders rows of target as mediaType; target is a relation, a function, or the empty
// Name for handlers of any relation.
func (s *Snapshot) Handler(target Name, mediaType string) (Handler, bool) {
	h, ok := s.handlers[handlerKey{target, mediaType}]
	return h, ok
}

// newSnapshot joins the parts that were read from the catalogue.
func newSnapshot(raw *catalogue) *Snapshot {
	raw.addViewKeys()
	s := &Snapshot{
		tables:          raw.tables,
		functions:       raw.functions,
		relationships:   raw.deriveRelationships(),
		representations: raw.representations,
		handlers:        raw.handlers,
		suggesters:      make(map[string]func() *suggester),
	}
	for _, fs := range s.functions {
		sortOverloads(fs)
	}
	for _, schema := range raw.schemas {
		s.suggesters[schema] = sync.OnceValue(func() *suggester { return s.tableSuggester(schema) })
	}
	return s
}
