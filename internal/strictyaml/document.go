package strictyaml

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	// maxSteps bounds how many nodes a reader may visit in one document, aliases
	// followed. The largest file that is not an attack needs a tenth of it.
	maxSteps = 200_000
	// maxDepth bounds nesting, for readers that recurse. Input that nests deeper is
	// refused before the YAML library, which recurses too, sees it.
	maxDepth = 200
	// maxErrors is how many errors a document keeps. A reader of a broken file wants
	// the first ones.
	maxErrors = 50
)

// Document is one parsed YAML document, with the errors that its reader found.
type Document struct {
	file    string
	root    ast.Node
	anchors map[string]ast.Node
	steps   int
	errs    []error
	spent   bool
}

// Parse parses the only document of a YAML file. Text that is no YAML, is not UTF-8,
// is empty or has a second document is a *FileError.
func Parse(file string, data []byte) (*Document, error) {
	if !utf8.Valid(data) {
		return nil, &FileError{File: file, Problem: "is not UTF-8", Remedy: "save the file as UTF-8"}
	}
	if nesting(data) > maxDepth {
		return nil, &FileError{File: file, Problem: fmt.Sprintf("nests deeper than %d levels", maxDepth)}
	}
	root, err := parse(data)
	if err != nil {
		return nil, syntaxError(file, err)
	}
	d := &Document{file: file, anchors: map[string]ast.Node{}}
	if len(root.Docs) == 0 || root.Docs[0].Body == nil {
		return nil, &FileError{File: file, Problem: "is empty"}
	}
	if len(root.Docs) > 1 && root.Docs[1].Body != nil {
		second := d.node(root.Docs[1].Body)
		return nil, second.errorf("keep one document a file", "a second document starts here")
	}
	d.root = root.Docs[0].Body
	for _, found := range ast.Filter(ast.AnchorType, d.root) {
		anchor, ok := found.(*ast.AnchorNode)
		if !ok || anchor.Name == nil || anchor.Value == nil {
			continue
		}
		d.anchors[anchor.Name.GetToken().Value] = anchor.Value
	}
	return d, nil
}

// parse calls the YAML library. The library panics on some input that is no YAML;
// for its caller that is a syntax error like any other.
func parse(data []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read as YAML: %v", r)
		}
	}()
	return parser.ParseBytes(data, 0)
}

func syntaxError(file string, err error) error {
	var located yaml.Error
	if !errors.As(err, &located) || located.GetToken() == nil {
		return &FileError{File: file, Problem: err.Error()}
	}
	position := located.GetToken().Position
	return &FileError{File: file, Line: position.Line, Column: position.Column, Problem: located.GetMessage()}
}

// nesting is an upper bound of how deep data nests: every level needs an opening
// bracket, or a deeper indentation or one more "- " at the start of a line.
func nesting(data []byte) int {
	deepest, brackets, indent, atStart := 0, 0, 0, true
	for _, c := range data {
		switch {
		case c == '\n':
			indent, atStart = 0, true
			continue
		case atStart && (c == ' ' || c == '-' || c == '?'):
			indent++
		default:
			atStart = false
		}
		switch c {
		case '[', '{':
			brackets++
		case ']', '}':
			brackets = max(0, brackets-1)
		}
		deepest = max(deepest, brackets+indent/2)
	}
	return deepest
}

// Root is the document's top node.
func (d *Document) Root() Node { return d.node(d.root) }

// Err joins what was found wrong so far, in the order of finding; nil when nothing.
func (d *Document) Err() error { return errors.Join(d.errs...) }

func (d *Document) fail(err *FileError) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, err)
	}
}

// node wraps a node, follows anchors and aliases, and counts the visit.
func (d *Document) node(n ast.Node) Node {
	at := n
	for range maxDepth {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.TagNode:
			n = x.Value
		case *ast.MappingKeyNode:
			n = x.Value
		case *ast.AliasNode:
			name := ""
			if x.Value != nil {
				name = x.Value.GetToken().Value
			}
			target, ok := d.anchors[name]
			if !ok {
				d.fail(Node{doc: d, at: at}.errorf("", "alias %q has no anchor", name))
				return Node{doc: d, at: at}
			}
			n = target
		default:
			if d.steps++; d.steps > maxSteps {
				d.overspend(at)
				return Node{doc: d, at: at}
			}
			return Node{doc: d, at: at, value: n}
		}
	}
	d.overspend(at)
	return Node{doc: d, at: at}
}

// overspend reports once that the document is too large with its aliases followed.
func (d *Document) overspend(at ast.Node) {
	if !d.spent {
		d.spent = true
		d.fail(Node{doc: d, at: at}.errorf("write the values out", "aliases make the file too large"))
	}
}
