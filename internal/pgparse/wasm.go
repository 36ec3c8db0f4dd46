//go:build !cgo

package pgparse

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	wasm "github.com/wasilibs/go-pgquery"
)

func parse(sql string) (*pg.ParseResult, error)    { return wasm.Parse(sql) }
func deparse(tree *pg.ParseResult) (string, error) { return wasm.Deparse(tree) }
