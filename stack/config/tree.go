package config

import (
	"maps"
	"slices"
	"strings"
)

// node is a section or a value in the tree of settings that the file makes before they are typed.
type node struct {
	children map[string]*node // nil for a value
	value    any              // as go-toml decodes it, for a value
	source   Source
	final    bool // set by a [remotes] block, which no SUPABASE_ variable overrides
}

// grow returns the node at a path, making the sections on the way.
func (n *node) grow(path []string) *node {
	for _, part := range path {
		if n.children == nil {
			n.children = map[string]*node{}
		}
		child := n.children[part]
		if child == nil {
			child = &node{}
			n.children[part] = child
		}
		n = child
	}
	return n
}

// find returns the node at a path, nil when there is none. It may be called on nil.
func (n *node) find(path ...string) *node {
	for _, part := range path {
		if n == nil {
			return nil
		}
		n = n.children[part]
	}
	return n
}

// isSection reports whether the node exists and holds keys or is an empty table.
func (n *node) isSection() bool { return n != nil && n.value == nil }

func (n *node) names() []string { return slices.Sorted(maps.Keys(n.children)) }

// plant puts a decoded TOML table into the tree. Keys are lower-cased, and a dot inside a quoted key separates parts as one
// between keys does: the CLI's reader (viper) knows settings by their dotted path only.
func (n *node) plant(path []string, table map[string]any, at *layout) {
	if len(path) > maxDepth {
		return // refused by the layout already
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		full := append(slices.Clone(path), strings.Split(strings.ToLower(key), ".")...)
		child := n.grow(full[len(path):])
		child.source = at.source(full)
		if sub, ok := table[key].(map[string]any); ok {
			child.plant(full, sub, at)
			continue
		}
		child.value = table[key]
	}
}

// walk visits every node below n, parents first, in the order of the names.
func (n *node) walk(path []string, visit func(path []string, n *node)) {
	for _, name := range n.names() {
		full := append(slices.Clone(path), name)
		visit(full, n.children[name])
		n.children[name].walk(full, visit)
	}
}
