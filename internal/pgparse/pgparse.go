// Package pgparse reads SQL with PostgreSQL's own parser, compiled into the program:
// as C where the Go toolchain has a C compiler, as WebAssembly otherwise (which takes
// a second or two when it is first used). It promises the syntax trees of one major
// version of PostgreSQL, whatever server is in use, and keeps no state of its own.
package pgparse

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Statement is one statement of a text.
type Statement struct {
	// Text is the statement without its semicolon and the white space around it.
	Text string
	// Offset is where Text starts in the whole, in bytes.
	Offset int
	// Node is its syntax tree.
	Node *pg.Node
}

// Parse cuts a text into statements and parses each. The error is the parser's, with
// its message and position; a text without a statement is no error.
func Parse(sql string) ([]Statement, error) {
	tree, err := parse(sql)
	if err != nil {
		return nil, fmt.Errorf("parse SQL: %w", err)
	}
	list := make([]Statement, 0, len(tree.GetStmts()))
	for _, raw := range tree.GetStmts() {
		start := int(raw.GetStmtLocation())
		end := len(sql)
		if length := int(raw.GetStmtLen()); length > 0 {
			end = start + length
		}
		text := strings.TrimLeft(sql[start:end], " \t\r\n\f;")
		start = end - len(text)
		list = append(list, Statement{
			Text: strings.TrimRight(text, " \t\r\n\f;"), Offset: start, Node: raw.GetStmt(),
		})
	}
	return list, nil
}

// Deparse writes statements as SQL again, each with a semicolon and on a line of its
// own. Comments and layout are not kept.
func Deparse(nodes ...*pg.Node) (string, error) {
	var out strings.Builder
	empty, err := parse("")
	if err != nil {
		return "", fmt.Errorf("write SQL: %w", err)
	}
	for _, node := range nodes {
		// The writer takes trees of the parser's own version only.
		text, err := deparse(&pg.ParseResult{Version: empty.GetVersion(), Stmts: []*pg.RawStmt{{Stmt: node}}})
		if err != nil {
			return "", fmt.Errorf("write SQL: %w", err)
		}
		out.WriteString(text)
		out.WriteString(";\n")
	}
	return out.String(), nil
}
