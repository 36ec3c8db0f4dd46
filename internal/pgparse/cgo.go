//go:build cgo

package pgparse

import pg "github.com/pganalyze/pg_query_go/v6"

func parse(sql string) (*pg.ParseResult, error)    { return pg.Parse(sql) }
func deparse(tree *pg.ParseResult) (string, error) { return pg.Deparse(tree) }
