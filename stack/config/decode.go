package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
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

// decode fills out, which is at path. bound says that the CLI knows the path from its structs alone: then a SUPABASE_ variable
// works although the file lacks the key. Below an optional section or a table of free names it works only on keys that the file
// has (viper's AllKeys and decodeStructKeys, which see no further than a nil pointer).
func (d *decoder) decode(out reflect.Value, f field, n *node, path []string, bound bool) {
	switch {
	case f.typ.Kind() == reflect.Pointer && isTable(f.typ):
		if n.isSection() && len(n.children) > 0 {
			out.Set(reflect.New(f.typ.Elem()))
			d.decode(out.Elem(), field{typ: f.typ.Elem()}, n, path, false)
		}
	case f.typ.Kind() == reflect.Struct:
		for _, sub := range fieldsOf(f.typ) {
			d.decode(out.FieldByIndex(sub.index), sub, n.find(sub.key), append(slices.Clone(path), sub.key), bound)
		}
	case f.typ.Kind() == reflect.Map:
		d.decodeMap(out, f, n, path)
	case f.typ == reflect.TypeFor[[]InspectRule]():
		d.decodeRules(out, n, path)
	default:
		d.decodeValue(out, f, n, path, bound)
	}
}

func (d *decoder) decodeMap(out reflect.Value, f field, n *node, path []string) {
	out.Set(reflect.MakeMap(f.typ))
	if !n.isSection() {
		return
	}
	elem := f.typ.Elem()
	for _, name := range n.names() {
		child := n.children[name]
		full := append(slices.Clone(path), name)
		if isTable(elem) && !child.isSection() {
			continue // reported by checkKeys
		}
		if elem.Kind() == reflect.Struct && elem.NumField() > 0 && len(child.children) == 0 && elem != reflect.TypeFor[Function]() {
			continue // to the CLI a section without keys is not there; only functions are known by their headers
		}
		item := reflect.New(elem).Elem()
		d.decode(item, field{typ: elem}, child, full, false)
		if elem.Kind() != reflect.Struct && d.values[strings.Join(full, ".")].Any == nil {
			continue // not of the type, and reported
		}
		out.SetMapIndex(reflect.ValueOf(name), item)
	}
}

// decodeRules reads [[experimental.inspect.rules]], the one list of tables there is.
func (d *decoder) decodeRules(out reflect.Value, n *node, path []string) {
	if n == nil {
		return
	}
	items, ok := n.value.([]any)
	if !ok {
		d.fail(n.source, path, "must be a list of tables, but is "+kindName(n.value))
		return
	}
	rules := make([]InspectRule, len(items))
	for i, item := range items {
		table, ok := item.(map[string]any)
		if !ok {
			d.fail(n.source, path, fmt.Sprintf("must be a list of tables, but item %d is %s", i+1, kindName(item)))
			return
		}
		d.decodeRule(reflect.ValueOf(&rules[i]).Elem(), table, n, append(slices.Clone(path), fmt.Sprint(i)))
	}
	out.Set(reflect.ValueOf(rules))
	d.values[strings.Join(path, ".")] = Value{Any: rules, Source: n.source}
}

func (d *decoder) decodeRule(out reflect.Value, table map[string]any, n *node, path []string) {
	fields := fieldsOf(out.Type())
	for key, raw := range table {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == strings.ToLower(key) })
		if i < 0 {
			d.fail(n.source, path, "has the unknown key "+key)
			continue
		}
		d.decodeValue(out.FieldByIndex(fields[i].index), fields[i], &node{value: raw, source: n.source},
			append(slices.Clone(path), fields[i].key), false)
	}
}

// decodeValue types one setting from the strongest layer that has it.
func (d *decoder) decodeValue(out reflect.Value, f field, n *node, path []string, bound bool) {
	key := strings.Join(path, ".")
	raw, source, ok := d.raw(n, key, bound || n != nil)
	switch {
	case ok:
	case f.hasDefault:
		raw = f.fallback
	case f.typ.Kind() == reflect.Pointer:
		return // unset
	default:
		d.values[key] = Value{Any: out.Interface()}
		return
	}
	raw = d.expand(raw, &source)
	value, err := convert(raw, f)
	if err != nil {
		if f.hasDefault { // keep the rest of the configuration readable
			if fallback, err := convert(f.fallback, f); err == nil {
				out.Set(fallback)
			}
		}
		d.fail(source, path, err.Error())
		return
	}
	out.Set(value)
	d.values[key] = Value{Any: reflect.Indirect(value).Interface(), Source: source}
}

// raw returns the value of the strongest layer above the defaults.
func (d *decoder) raw(n *node, key string, overridable bool) (any, Source, bool) {
	if n != nil && n.final {
		return n.value, n.source, true
	}
	name := "SUPABASE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
	if v, set := d.env.lookup(name); set && overridable {
		return v.value, Source{Kind: SourceEnvironment, Variable: name, EnvFile: v.file, EnvLine: v.line}, true
	}
	if n == nil || n.value == nil {
		return nil, Source{}, false
	}
	return n.value, n.source, true
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

// fail reports a value that cannot be typed. The value of a variable is not shown in the text of the file, so neither is the
// line when a variable set it.
func (d *decoder) fail(source Source, path []string, message string) {
	p := &Problem{File: source.File, Line: source.Line, Column: source.Column, Key: strings.Join(path, ".")}
	p.Message = p.Key + " " + message
	if source.Variable != "" {
		p.Message += " (" + source.variable() + ")"
	}
	if p.File == "" {
		p.File = d.layout.file
	}
	p.Text = d.layout.line(p.Line)
	d.problems = append(d.problems, p)
}
