package evals

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/supascore/supascore/internal/strictyaml"
)

// MaxFileSize bounds each file of an eval that is read into memory (eval.yaml,
// PROMPT.md, README.md, expect.yaml), in bytes.
const MaxFileSize = 1 << 20

// FileError is a problem at a place in a file: its File, Line and Column (from 1, 0
// when the file as a whole is meant), what is wrong, and by Hint what to do.
type FileError = strictyaml.FileError

// document is one parsed YAML file that can say where its values stand.
type document struct {
	file string
	root *ast.File
}

// decodeYAML decodes the only document of a YAML file into out, strictly: unknown
// and duplicate keys, several documents and aliases are errors with a position.
func decodeYAML(file string, data []byte, out any) (*document, error) {
	root, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, positioned(file, err, nil)
	}
	doc := &document{file: file, root: root}
	switch {
	case len(root.Docs) == 0 || root.Docs[0].Body == nil:
		return nil, &FileError{File: file, Problem: "is empty"}
	case len(root.Docs) > 1:
		return nil, doc.at(root.Docs[1].Body, "a second document starts here", "keep one document a file")
	}
	// Aliases can grow a small file into gigabytes, and nothing here needs them.
	if aliases := ast.Filter(ast.AliasType, root.Docs[0]); len(aliases) > 0 {
		return nil, doc.at(aliases[0], "aliases are not supported", "write the value out")
	}
	if err := yaml.NodeToValue(root.Docs[0].Body, out, yaml.Strict()); err != nil {
		return nil, positioned(file, err, keysOf(reflect.TypeOf(out)))
	}
	return doc, nil
}

// positioned turns an error of the YAML library into a FileError; keys are the
// keys that the file knows, for suggestions.
func positioned(file string, err error, keys []string) error {
	var located yaml.Error
	if !errors.As(err, &located) || located.GetToken() == nil {
		return &FileError{File: file, Problem: err.Error()}
	}
	token := located.GetToken()
	fileErr := &FileError{
		File: file, Line: token.Position.Line, Column: token.Position.Column,
		Problem: located.GetMessage(),
	}
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		fileErr.Problem = fmt.Sprintf("unknown key %q", token.Value)
		fileErr.Remedy = strictyaml.DidYouMean(token.Value, keys)
	}
	return fileErr
}

// at makes an error at a node.
func (d *document) at(node ast.Node, problem, remedy string) *FileError {
	fileErr := &FileError{File: d.file, Problem: problem, Remedy: remedy}
	if node == nil {
		return fileErr
	}
	// A mapping's own token is its first colon; its first key is where a reader
	// looks.
	if mapping, ok := node.(*ast.MappingNode); ok && len(mapping.Values) > 0 {
		node = mapping.Values[0].Key
	}
	position := node.GetToken().Position
	fileErr.Line, fileErr.Column = position.Line, position.Column
	return fileErr
}

// find makes an error at a path of keys (string) and indices (int), or at the
// nearest parent that exists.
func (d *document) find(problem, remedy string, path ...any) *FileError {
	for length := len(path); length >= 0; length-- {
		builder := (&yaml.PathBuilder{}).Root()
		for _, step := range path[:length] {
			switch step := step.(type) {
			case string:
				builder = builder.Child(step)
			case int:
				builder = builder.Index(uint(step))
			}
		}
		if node, err := builder.Build().FilterFile(d.root); err == nil && node != nil {
			return d.at(node, problem, remedy)
		}
	}
	return &FileError{File: d.file, Problem: problem, Remedy: remedy}
}

// keysOf lists the YAML keys of a type and the types in it, for suggestions.
func keysOf(typ reflect.Type) []string {
	seen := map[reflect.Type]bool{}
	var keys []string
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			field := typ.Field(i)
			if key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); key != "" && key != "-" {
				keys = append(keys, key)
			}
			walk(field.Type)
		}
	}
	walk(typ)
	slices.Sort(keys)
	return slices.Compact(keys)
}
