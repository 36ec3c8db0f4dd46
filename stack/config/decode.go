package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var envReference = regexp.MustCompile(`^env\((.*)\)$`)

// decoder types a tree of raw settings. It goes along the schema, not along the file, so that defaults and SUPABASE_
// variables get their turn where the file is silent.
type decoder struct {
	env      environment
	layout   *layout
	values   map[string]Value
	problems []*Problem
	warnings []Warning
}

// slot is a place in the result that is to be filled: the field out of a struct, from the node at path.
type slot struct {
	field
	out  reflect.Value
	node *node // nil where the file is silent
	path []string
	// bound says that the CLI knows the path from its structs alone: then a SUPABASE_ variable works although the file lacks
	// the key. Below an optional section or a table of free names it works only on keys that the file has (viper's AllKeys and
	// decodeStructKeys, which see no further than a nil pointer).
	bound bool
}

func (s slot) key() string { return strings.Join(s.path, ".") }

// below is the slot of a key in this section.
func (s slot) below(f field) slot {
	return slot{
		field: f, out: s.out.FieldByIndex(f.index), node: s.node.find(f.key),
		path: append(slices.Clone(s.path), f.key), bound: s.bound,
	}
}

// decode fills a slot and all that is below it.
func (d *decoder) decode(s slot) {
	switch {
	case s.typ.Kind() == reflect.Pointer && isTable(s.typ):
		// A header alone does not make an optional section: to the CLI it is there when a key is.
		if s.node.isSection() && len(s.node.children) > 0 {
			s.out.Set(reflect.New(s.typ.Elem()))
			s.out, s.field, s.bound = s.out.Elem(), field{typ: s.typ.Elem()}, false
			d.decode(s)
		}
	case s.typ.Kind() == reflect.Struct:
		for _, f := range fieldsOf(s.typ) {
			d.decode(s.below(f))
		}
	case s.typ.Kind() == reflect.Map:
		d.decodeMap(s)
	case s.typ == reflect.TypeFor[[]InspectRule]():
		d.decodeRules(s)
	default:
		d.decodeValue(s)
	}
}

func (d *decoder) decodeMap(s slot) {
	s.out.Set(reflect.MakeMap(s.typ))
	if !s.node.isSection() {
		return
	}
	elem := s.typ.Elem()
	for _, name := range s.node.names() {
		child := s.node.children[name]
		if isTable(elem) && !child.isSection() {
			continue // reported by checkKeys
		}
		// To the CLI a section without keys is not there, with two exceptions that it reads by their headers: functions, and
		// the buckets that have no keys at all.
		byHeader := elem == reflect.TypeFor[Function]() || elem == reflect.TypeFor[struct{}]()
		if isTable(elem) && len(child.children) == 0 && !byHeader {
			continue
		}
		item := slot{field: field{typ: elem}, out: reflect.New(elem).Elem(), node: child, path: append(slices.Clone(s.path), name)}
		d.decode(item)
		if !isTable(elem) && d.values[item.key()].Any == nil {
			continue // not of the type, and reported
		}
		s.out.SetMapIndex(reflect.ValueOf(name), item.out)
	}
}

// decodeRules reads [[experimental.inspect.rules]], the one list of tables there is.
func (d *decoder) decodeRules(s slot) {
	if s.node == nil {
		return
	}
	items, ok := s.node.value.([]any)
	if !ok {
		d.fail(s.node.source, s.key(), "must be a list of tables, but is "+kindName(s.node.value))
		return
	}
	rules := make([]InspectRule, len(items))
	for i, item := range items {
		table, ok := item.(map[string]any)
		if !ok {
			d.fail(s.node.source, s.key(), fmt.Sprintf("must be a list of tables, but item %d is %s", i+1, kindName(item)))
			return
		}
		rule := s
		rule.out, rule.path = reflect.ValueOf(&rules[i]).Elem(), append(slices.Clone(s.path), strconv.Itoa(i))
		d.decodeRule(rule, table)
	}
	s.out.Set(reflect.ValueOf(rules))
	d.values[s.key()] = Value{Any: rules, Source: s.node.source}
}

// decodeRule reads one table of the list. All of them have the place of the list: an element of a list has no key to find it by.
func (d *decoder) decodeRule(s slot, table map[string]any) {
	fields := fieldsOf(s.out.Type())
	for _, key := range sortedKeys(table) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == strings.ToLower(key) })
		if i < 0 {
			d.fail(s.node.source, s.key(), "has the unknown key "+key)
			continue
		}
		member := s.below(fields[i])
		member.node, member.bound = &node{value: table[key], source: s.node.source}, false
		d.decodeValue(member)
	}
}

// decodeValue types one setting from the strongest layer that has it.
func (d *decoder) decodeValue(s slot) {
	raw, source, ok := d.raw(s)
	switch {
	case ok:
	case s.hasDefault:
		raw = s.fallback
	case s.typ.Kind() == reflect.Pointer:
		return // unset, which is not the same as empty
	default:
		d.values[s.key()] = Value{Any: s.out.Interface()}
		return
	}
	raw = d.expand(raw, &source)
	value, err := convert(raw, s.field)
	if err != nil {
		d.fail(source, s.key(), err.Error())
		// The default takes its place, so that the rest of the configuration can be examined.
		if value, err = convert(s.fallback, s.field); err == nil && s.hasDefault {
			s.out.Set(value)
		}
		return
	}
	s.out.Set(value)
	d.values[s.key()] = Value{Any: reflect.Indirect(value).Interface(), Source: source}
}

// raw returns the value of the strongest layer above the defaults.
func (d *decoder) raw(s slot) (any, Source, bool) {
	n := s.node
	if n != nil && n.final {
		return n.value, n.source, true
	}
	name := override(s.key())
	if v, set := d.env.lookup(name); set && (s.bound || n != nil) {
		return v.value, Source{Kind: SourceEnvironment, Variable: name, EnvFile: v.file, EnvLine: v.line}, true
	}
	if n == nil || n.value == nil {
		return nil, Source{}, false
	}
	return n.value, n.source, true
}

// override names the variable that overrides a key.
func override(key string) string {
	return "SUPABASE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// expand replaces env(NAME), in a value or in the items of a list, when NAME is set and not empty; otherwise the text stays.
func (d *decoder) expand(raw any, source *Source) any {
	switch v := raw.(type) {
	case string:
		return d.expandText(v, source)
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = d.expand(item, source)
		}
		return items
	}
	return raw
}

func (d *decoder) expandText(s string, source *Source) string {
	m := envReference.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	v, set := d.env.lookup(m[1])
	if !set {
		if source.Kind != SourceDefault {
			d.warnings = append(d.warnings, Warning{
				Message: fmt.Sprintf("environment variable %s is unset, so the text %s stays as it is", m[1], s), Source: *source,
			})
		}
		return s
	}
	if source.Kind != SourceEnvironment {
		source.Variable, source.EnvFile, source.EnvLine = m[1], v.file, v.line
	}
	return v.value
}

// fail reports a value that cannot be typed, at its place in the file; a value from a variable has none there.
func (d *decoder) fail(source Source, key, message string) {
	p := &Problem{File: nonEmpty(source.File, d.layout.file), Line: source.Line, Column: source.Column, Key: key}
	p.Message = key + " " + message
	if source.Variable != "" {
		p.Message += " (" + source.variable() + ")"
	}
	p.Text = excerpt(d.layout.lines, p.Line)
	d.problems = append(d.problems, p)
}
