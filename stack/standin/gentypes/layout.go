package gentypes

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The types are laid out in lines of at most this many characters, as the formatter does that the CLI's types go through:
// whatever fits on a line is on one.
const width = 80

// A node is a TypeScript type before it is laid out.
type node interface {
	// flat writes the type on one line. It reports false for one that has a line break in any case.
	flat() (line string, ok bool)
}

type (
	// text is a type of one piece, such as a name or a string.
	text string
	// object is an object type. An open one has a line for each member even when all would fit on one.
	object struct {
		members []member
		open    bool
	}
	// union is one of several types.
	union []node
	// array is any number of a type.
	array struct{ of node }
	// tuple is a list of types. An open one has a line for each.
	tuple struct {
		of   []node
		open bool
	}
	// both is an object type that is something else, too.
	both struct {
		object object
		with   string
	}
)

// member is a property of an object type. Its key is written as it is.
type member struct {
	key   string
	value node
}

func (t text) flat() (string, bool) { return string(t), true }

func (o object) flat() (string, bool) {
	if len(o.members) == 0 {
		return "{}", true
	}
	parts, ok := flatAll(o.members, func(m member) (string, bool) {
		value, ok := m.value.flat()
		return m.key + ": " + value, ok
	})
	return "{ " + strings.Join(parts, "; ") + " }", ok && !o.open
}

func (u union) flat() (string, bool) {
	parts, ok := flatAll(u, node.flat)
	return strings.Join(parts, " | "), ok
}

func (a array) flat() (string, bool) {
	of, ok := a.of.flat()
	if _, isUnion := a.of.(union); isUnion {
		of = "(" + of + ")"
	}
	return of + "[]", ok
}

func (t tuple) flat() (string, bool) {
	parts, ok := flatAll(t.of, node.flat)
	return "[" + strings.Join(parts, ", ") + "]", ok && (!t.open || len(t.of) == 0)
}

func (b both) flat() (string, bool) {
	object, ok := b.object.flat()
	return object + " & " + b.with, ok
}

func flatAll[T any](list []T, one func(T) (string, bool)) (parts []string, ok bool) {
	for _, item := range list {
		part, ok := one(item)
		if !ok {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, true
}

// printer lays types out.
type printer struct{ strings.Builder }

// line begins a line.
func (p *printer) line(indent int) { p.WriteString("\n" + strings.Repeat(" ", indent)) }

// fits writes a type on the current line when there is room for it and for tail more characters. column is how many characters
// the line has.
func (p *printer) fits(n node, column, tail int) bool {
	s, ok := n.flat()
	if !ok || column+utf8.RuneCountInString(s)+tail > width {
		return false
	}
	p.WriteString(s)
	return true
}

// member writes a property at the beginning of a line.
func (p *printer) member(m member, indent int) {
	p.WriteString(m.key + ":")
	column := indent + utf8.RuneCountInString(m.key) + 1
	u, ok := m.value.(union)
	if s, isFlat := m.value.flat(); !ok || u.hugs() || isFlat && column+1+utf8.RuneCountInString(s) <= width {
		p.WriteString(" ")
		p.node(m.value, indent, column+1, 0)
		return
	}
	// A union goes to the next line as a whole, or, where that is too long, one type a line.
	indent += 2
	p.line(indent)
	if !p.fits(u, indent, 0) {
		p.alternatives(u, indent)
	}
}

// alternatives writes one type of a union a line, beginning on the current one.
func (p *printer) alternatives(u union, indent int) {
	for i, n := range u {
		if i > 0 {
			p.line(indent)
		}
		p.WriteString("| ")
		p.node(n, indent+2, indent+2, 0)
	}
}

// hugs reports whether a union is one object or nothing, which is written like the object alone.
func (u union) hugs() bool {
	objects := 0
	for _, n := range u {
		if _, ok := n.(object); ok {
			objects++
		} else if n != text("null") {
			return false
		}
	}
	return objects == 1
}

// node writes a type at the end of the current line, which has column characters and was indented by indent; tail more are to
// follow.
func (p *printer) node(n node, indent, column, tail int) {
	if p.fits(n, column, tail) {
		return
	}
	switch n := n.(type) {
	case text:
		p.WriteString(string(n))
	case object:
		p.WriteString("{")
		for _, m := range n.members {
			p.line(indent + 2)
			p.member(m, indent+2)
		}
		p.line(indent)
		p.WriteString("}")
	case union: // one that hugs
		for i, part := range n {
			if i > 0 {
				p.WriteString(" | ")
			}
			p.node(part, indent, column, 0)
		}
	case array:
		p.array(n, indent, column)
	case tuple:
		p.WriteString("[")
		for _, item := range n.of {
			p.line(indent + 2)
			p.node(item, indent+2, indent+2, 1)
			p.WriteString(",")
		}
		p.line(indent)
		p.WriteString("]")
	case both:
		p.node(object{members: n.object.members, open: true}, indent, column, 0)
		p.WriteString(" & " + n.with)
	}
}

func (p *printer) array(n array, indent, column int) {
	if u, ok := n.of.(union); ok {
		p.WriteString("(")
		p.line(indent + 2)
		p.alternatives(u, indent+2)
		p.line(indent)
		p.WriteString(")[]")
		return
	}
	p.node(n.of, indent, column, 2)
	p.WriteString("[]")
}

// quote writes a string, in the quotes that need fewer escapes, in double ones when it is all the same.
func quote(s string) string {
	mark := '"'
	if strings.Count(s, `"`) > strings.Count(s, "'") {
		mark = '\''
	}
	var b strings.Builder
	b.WriteRune(mark)
	for _, r := range s {
		switch {
		case r == mark || r == '\\':
			b.WriteString(`\` + string(r))
		case strings.ContainsRune("\b\t\n\f\r", r):
			b.WriteByte('\\')
			b.WriteByte("btn_fr"[r-'\b'])
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(mark)
	return b.String()
}

// key writes the name of a property, in quotes when it is no identifier.
func key(name string) string {
	for i, r := range name {
		start := r == '$' || r == '_' || r <= 0xffff && (unicode.IsLetter(r) || unicode.Is(unicode.Nl, r))
		if !start && (i == 0 || !unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)) {
			return quote(name)
		}
	}
	if name == "" {
		return quote(name)
	}
	return name
}

// optional marks a key as one that may be left out.
func optional(key string, is bool) string {
	if is {
		return key + "?"
	}
	return key
}

// nullable adds null to a type, which unknown has already.
func nullable(n node, is bool) node {
	if !is || n == text("unknown") {
		return n
	}
	if u, ok := n.(union); ok {
		return append(slices.Clone(u), text("null"))
	}
	return union{n, text("null")}
}
