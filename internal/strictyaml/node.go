package strictyaml

import (
	"fmt"
	"math"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Node is one value of a document. The zero Node stands for a key that is not there.
type Node struct {
	doc *Document
	// at is where the value stands, value what it is with aliases followed; value is
	// nil for a broken alias, of which an error tells.
	at, value ast.Node
}

// Exists reports whether the node is there, be it null.
func (n Node) Exists() bool { return n.doc != nil }

// IsNull reports whether the node is there and null.
func (n Node) IsNull() bool {
	_, null := n.value.(*ast.NullNode)
	return null
}

// IsText reports whether the node is a text.
func (n Node) IsText() bool {
	switch n.value.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return true
	}
	return false
}

// IsMapping reports whether the node is a mapping.
func (n Node) IsMapping() bool {
	switch n.value.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// IsSequence reports whether the node is a list.
func (n Node) IsSequence() bool {
	_, sequence := n.value.(*ast.SequenceNode)
	return sequence
}

// Line is where the node starts, from 1; 0 when that is not known.
func (n Node) Line() int {
	line, _ := n.position()
	return line
}

// Fail records a problem at the node. The remedy may be empty.
func (n Node) Fail(remedy, format string, args ...any) {
	if n.doc != nil {
		n.doc.fail(n.errorf(remedy, format, args...))
	}
}

func (n Node) errorf(remedy, format string, args ...any) *FileError {
	err := &FileError{File: n.doc.file, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
	err.Line, err.Column = n.position()
	return err
}

func (n Node) position() (line, column int) {
	at := n.at
	for {
		switch x := at.(type) {
		case *ast.MappingNode:
			// A mapping's own token is its first colon; its first key is where a
			// reader looks.
			if len(x.Values) == 0 || x.IsFlowStyle {
				return tokenPosition(at)
			}
			at = x.Values[0]
		case *ast.MappingValueNode:
			at = x.Key
		default:
			return tokenPosition(at)
		}
	}
}

func tokenPosition(n ast.Node) (line, column int) {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0, 0
	}
	position := n.GetToken().Position
	return position.Line, position.Column
}

// Text returns the node's text. Numbers and booleans are texts as they are written:
// in a file, a name such as 007 or "on" needs no quotes. Anything else is an error.
func (n Node) Text() string {
	switch x := n.value.(type) {
	case *ast.StringNode:
		return x.Value
	case *ast.LiteralNode:
		return x.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return x.GetToken().Value
	}
	n.want("a text")
	return ""
}

// Int returns the node's whole number.
func (n Node) Int() int {
	if x, ok := n.value.(*ast.IntegerNode); ok {
		switch v := x.Value.(type) {
		case int64:
			return int(v)
		case uint64:
			if v <= math.MaxInt {
				return int(v)
			}
		}
	}
	n.want("a whole number")
	return 0
}

// Bool returns the node's truth value.
func (n Node) Bool() bool {
	if x, ok := n.value.(*ast.BoolNode); ok {
		return x.Value
	}
	n.want("true or false")
	return false
}

// want reports a value of another type; a broken alias was reported already.
func (n Node) want(what string) {
	if n.value != nil {
		n.Fail("", "expected %s, found %s", what, n.describe())
	}
}

// describe names what a node is, for messages.
func (n Node) describe() string {
	switch x := n.value.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return strconv.FormatBool(x.Value)
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "the number " + x.GetToken().Value
	}
	return "something else"
}
