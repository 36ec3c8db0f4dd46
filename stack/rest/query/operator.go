package query

import (
	"strings"

	"github.com/supascore/supascore/stack/rest/request"
)

// operator is the SQL of an operator between a column and a value (PostgREST documentation, "Operators").
func operator(op request.Operator) string {
	switch op {
	case request.OpEq:
		return "="
	case request.OpNeq:
		return "<>"
	case request.OpGt:
		return ">"
	case request.OpGte:
		return ">="
	case request.OpLt:
		return "<"
	case request.OpLte:
		return "<="
	case request.OpLike:
		return "like"
	case request.OpILike:
		return "ilike"
	case request.OpMatch:
		return "~"
	case request.OpIMatch:
		return "~*"
	default:
		return rangeOperator(op)
	}
}

// rangeOperator is the SQL of the operators on arrays, ranges and JSON.
func rangeOperator(op request.Operator) string {
	switch op {
	case request.OpContains:
		return "@>"
	case request.OpContained:
		return "<@"
	case request.OpOverlap:
		return "&&"
	case request.OpStrictlyLeft:
		return "<<"
	case request.OpStrictlyRight:
		return ">>"
	case request.OpNotExtendsRight:
		return "&<"
	case request.OpNotExtendsLeft:
		return "&>"
	case request.OpAdjacent:
		return "-|-"
	default:
		return "="
	}
}

// queryFunction is the function that reads the query of a full text operator.
func queryFunction(op request.Operator) string {
	switch op {
	case request.OpFullTextPlain:
		return "plainto_tsquery"
	case request.OpFullTextPhrase:
		return "phraseto_tsquery"
	case request.OpFullTextWebsite:
		return "websearch_to_tsquery"
	default:
		return "to_tsquery"
	}
}

// isKeyword is the right side of IS, which cannot be an argument.
func isKeyword(v request.IsValue) string {
	switch v {
	case request.IsNotNull:
		return "NOT NULL"
	case request.IsTrue:
		return "TRUE"
	case request.IsFalse:
		return "FALSE"
	case request.IsUnknown:
		return "UNKNOWN"
	default:
		return "NULL"
	}
}

// starToPercent replaces every star: there is no way to mean a star itself.
func starToPercent(pattern string) string { return strings.ReplaceAll(pattern, "*", "%") }
