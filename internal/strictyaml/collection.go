package strictyaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Pair is one key of a mapping with its value.
type Pair struct {
	// Key is the key's text.
	Key string
	// At is the key's place.
	At Node
	// Value is the key's value.
	Value Node
}

// Pairs returns a mapping's pairs in the file's order, those of merge keys ("<<")
// last and only where the mapping has no such key itself. Duplicate keys are errors.
func (n Node) Pairs() []Pair {
	return n.pairs(0)
}

func (n Node) pairs(depth int) []Pair {
	var values []*ast.MappingValueNode
	switch x := n.value.(type) {
	case *ast.MappingNode:
		values = x.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{x}
	default:
		n.want("a mapping")
		return nil
	}
	var pairs, merged []Pair
	seen := map[string]bool{}
	for _, value := range values {
		if value.Key.IsMergeKey() {
			merged = append(merged, n.doc.node(value.Value).merge(depth+1)...)
			continue
		}
		key := n.doc.node(value.Key)
		pair := Pair{Key: key.Text(), At: key, Value: n.doc.node(value.Value)}
		if seen[pair.Key] {
			key.Fail("remove one of them", "key %q is there twice", pair.Key)
			continue
		}
		seen[pair.Key] = true
		pairs = append(pairs, pair)
	}
	for _, pair := range merged {
		if !seen[pair.Key] {
			seen[pair.Key] = true
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// merge returns the pairs that a merge key brings: those of a mapping, or of a list
// of mappings, of which the first that has a key wins.
func (n Node) merge(depth int) []Pair {
	if depth > maxDepth {
		n.Fail("", "merges itself")
		return nil
	}
	if !n.IsSequence() {
		return n.pairs(depth)
	}
	var pairs []Pair
	for _, item := range n.Items() {
		pairs = append(pairs, item.pairs(depth)...)
	}
	return pairs
}

// Items returns a list's values.
func (n Node) Items() []Node {
	x, ok := n.value.(*ast.SequenceNode)
	if !ok {
		n.want("a list")
		return nil
	}
	items := make([]Node, 0, len(x.Values))
	for _, value := range x.Values {
		items = append(items, n.doc.node(value))
	}
	return items
}

// Texts returns the texts of a list, or the one text that stands for a list of one.
func (n Node) Texts() []string {
	if n.IsText() {
		return []string{n.Text()}
	}
	var texts []string
	for _, item := range n.Items() {
		texts = append(texts, item.Text())
	}
	return texts
}

// Fields are the values of a mapping by the first name of their key.
type Fields map[string]Node

// Fields returns a mapping's values by key. Each of the known keys is one name, or
// several joined by "|" that mean the same, of which a mapping may hold one; the
// first is the name to look the value up by. Any other key is an error.
func (n Node) Fields(known ...string) Fields {
	canonical := map[string]string{}
	var names []string
	for _, key := range known {
		spellings := strings.Split(key, "|")
		for _, spelling := range spellings {
			canonical[spelling] = spellings[0]
		}
		names = append(names, spellings...)
	}
	fields, spelled := Fields{}, map[string]string{}
	for _, pair := range n.Pairs() {
		name, ok := canonical[pair.Key]
		switch {
		case !ok:
			pair.At.Fail(DidYouMean(pair.Key, names), "unknown key %q", pair.Key)
		case spelled[name] != "":
			pair.At.Fail("remove one of them", "keys %q and %q mean the same", spelled[name], pair.Key)
		default:
			fields[name], spelled[name] = pair.Value, pair.Key
		}
	}
	return fields
}

// Value returns the node as plain data: nil, bool, int64, uint64 (above int64 only),
// float64, string, []any and map[string]any. Infinities and NaN are texts, as JSON
// has none.
func (n Node) Value() any { return n.plain(0) }

func (n Node) plain(depth int) any {
	if depth > maxDepth {
		n.Fail("", "nests too deeply, or contains itself")
		return nil
	}
	switch x := n.value.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		values := map[string]any{}
		for _, pair := range n.Pairs() {
			values[pair.Key] = pair.Value.plain(depth + 1)
		}
		return values
	case *ast.SequenceNode:
		values := make([]any, 0, len(x.Values))
		for _, item := range n.Items() {
			values = append(values, item.plain(depth+1))
		}
		return values
	case *ast.BoolNode:
		return x.Value
	case *ast.FloatNode:
		return x.Value
	case *ast.IntegerNode:
		return integer(x.Value)
	case *ast.StringNode, *ast.LiteralNode, *ast.InfinityNode, *ast.NanNode:
		return n.Text()
	}
	return nil
}

// integer brings the library's integers to int64 where they fit.
func integer(value any) any {
	switch v := value.(type) {
	case uint64:
		if int64(v) >= 0 {
			return int64(v)
		}
		return v
	case int64:
		return v
	case int:
		return int64(v)
	}
	return fmt.Sprint(value)
}

// One returns the names of those fields that exist, of the names given, in their
// order. A reader that needs exactly one checks its length.
func (f Fields) One(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !f[name].Exists() })
}
