package translate

import (
	"encoding/json"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// constant is the value of a literal: json.Number, string, bool or nil; an
// expression that is none is errNotConstant.
func constant(node *pg.Node) any {
	if cast := node.GetTypeCast(); cast != nil {
		// A cast of a literal to a type of its own kind says nothing that the column's
		// type does not.
		return castConstant(constant(cast.GetArg()), cast.GetTypeName())
	}
	if minus := node.GetAExpr(); minus != nil && minus.GetLexpr() == nil && nameOf(minus.GetName()) == "-" {
		if n, ok := constant(minus.GetRexpr()).(json.Number); ok && !strings.HasPrefix(n.String(), "-") {
			return json.Number("-" + n.String())
		}
		return notConstant{}
	}
	c := node.GetAConst()
	switch {
	case c == nil:
		return notConstant{}
	case c.GetIsnull():
		return nil
	case c.GetSval() != nil:
		return c.GetSval().GetSval()
	case c.GetFval() != nil:
		return json.Number(c.GetFval().GetFval())
	case c.GetBoolval() != nil:
		return c.GetBoolval().GetBoolval()
	case c.GetBsval() != nil:
		return notConstant{}
	default:
		return json.Number(strconv.Itoa(int(c.GetIval().GetIval())))
	}
}

// notConstant stands for an expression that is no literal.
type notConstant struct{}

// castConstant accepts casts that leave the literal's text as it is for the column.
func castConstant(value any, to *pg.TypeName) any {
	if len(to.GetArrayBounds()) > 0 || len(to.GetTypmods()) > 0 {
		return notConstant{}
	}
	name := strings.TrimPrefix(nameOf(to.GetNames()), "pg_catalog.")
	switch value.(type) {
	case string:
		switch name {
		case "uuid", "text", "date", "timestamptz", "timestamp", "json", "jsonb":
			return value
		}
	case json.Number:
		if name == "int4" || name == "int8" || name == "int2" || name == "numeric" {
			return value
		}
	case nil:
		return value
	}
	return notConstant{}
}
