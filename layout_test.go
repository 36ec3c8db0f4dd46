package supascore_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Hard limits of a file and of a function, in lines. The usual sizes are 300 and 40.
const (
	maxFileLines     = 500
	maxFunctionLines = 90
)

// source is one parsed Go file.
type source struct {
	path string
	fset *token.FileSet
	file *ast.File
}

func (s source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{path, fset, file})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func TestFilesAndFunctionsStayWithinTheirLimits(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		assert.LessOrEqual(t, s.line(s.file.FileEnd), maxFileLines, "%s is too long: split it", s.path)
		for _, decl := range s.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				lines := s.line(fn.End()) - s.line(fn.Pos()) + 1
				assert.LessOrEqual(t, lines, maxFunctionLines, "%s: %s is too long: split it", s.path, fn.Name.Name)
			}
		}
	}
}

func TestNothingRegistersItselfAndOnlyMainExits(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		for _, decl := range s.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				assert.NotEqual(t, "init", fn.Name.Name, "%s: init() runs behind the caller's back; return a value from a function", s.path)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			name := pkg.Name + "." + sel.Sel.Name
			exits := name == "os.Exit" || strings.HasPrefix(name, "log.Fatal")
			isMain := s.path == filepath.Join("cmd", "supascore", "main.go") || strings.HasSuffix(filepath.Dir(s.path), "test")
			assert.False(t, exits && !isMain, "%s:%d: %s outside main", s.path, s.line(sel.Pos()), name)
			return true
		})
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	t.Parallel()
	packages := map[string]bool{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		dir := filepath.Dir(s.path)
		packages[dir] = packages[dir] || s.file.Doc != nil
		for _, decl := range s.file.Decls {
			for _, name := range undocumented(decl) {
				t.Errorf("%s:%d: exported %s has no comment", s.path, s.line(decl.Pos()), name)
			}
		}
	}
	for dir, documented := range packages {
		assert.True(t, documented, "package in %s has no package comment", dir)
	}
}

// undocumented lists the exported names that decl declares without a comment.
func undocumented(decl ast.Decl) []string {
	var names []string
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func exportedReceiver(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return true
	}
	typ := fn.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func TestNoFileSpeaksOfOneMachine(t *testing.T) {
	t.Parallel()
	// Assembled here, so that this file does not contain what it looks for.
	forbidden := []string{"/" + "work/", "/" + "tmp/brief", "oracle" + "/rest", "oracle" + "/auth"}
	for _, s := range sources(t) {
		text, err := os.ReadFile(s.path)
		require.NoError(t, err)
		for _, f := range forbidden {
			assert.NotContains(t, string(text), f, s.path)
		}
	}
}
