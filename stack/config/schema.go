package config

import (
	"reflect"
	"strings"

	"github.com/agnivade/levenshtein"
)

// field is one key of a section, read from a struct's tags.
type field struct {
	key        string
	index      []int
	typ        reflect.Type
	fallback   string // the tag `default`
	hasDefault bool
	enum       []string // allowed values, nil for any
}

// fieldsOf lists the keys of a section in the order of the struct, those of embedded structs included.
func fieldsOf(t reflect.Type) []field {
	visible := reflect.VisibleFields(t)
	fields := make([]field, 0, len(visible))
	for _, f := range visible {
		key := f.Tag.Get("toml")
		if key == "" {
			continue
		}
		out := field{key: key, index: f.Index, typ: f.Type}
		out.fallback, out.hasDefault = f.Tag.Lookup("default")
		if enum, ok := f.Tag.Lookup("enum"); ok {
			out.enum = strings.Split(enum, "|")
		}
		fields = append(fields, out)
	}
	return fields
}

// isTable reports whether a type is written as a TOML table: a section, or a table of free names.
func isTable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// lookupType walks the schema along a path. When a part is unknown, ok is false and siblings are the keys that would be right in
// its place.
func lookupType(path []string) (typ reflect.Type, siblings []string, ok bool) {
	typ = reflect.TypeFor[document]()
	for _, part := range path {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch typ.Kind() {
		case reflect.Map:
			typ = typ.Elem()
			continue
		case reflect.Struct:
		default:
			return nil, nil, false
		}
		next, keys := childType(typ, part)
		if next == nil {
			return nil, keys, false
		}
		typ = next
	}
	return typ, nil, true
}

func childType(section reflect.Type, part string) (reflect.Type, []string) {
	fields := fieldsOf(section)
	keys := make([]string, 0, len(fields))
	for _, f := range fields {
		if f.key == part {
			return f.typ, nil
		}
		keys = append(keys, f.key)
	}
	return nil, keys
}

// closest returns the candidate most like word, "" when none is near enough to be a slip of the pen: at most a third of the
// word may differ, or one must contain the other.
func closest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+2
	for _, c := range candidates {
		d := levenshtein.ComputeDistance(word, c)
		if len(word) > 3 && (strings.Contains(c, word) || strings.Contains(word, c)) {
			d = min(d, 1)
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}
