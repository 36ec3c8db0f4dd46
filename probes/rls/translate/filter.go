package translate

import (
	"encoding/json"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// where adds the filters of a WHERE clause. Conditions joined by AND are parameters of
// their own, everything else is a tree in one parameter.
func (b *builder) where(node *pg.Node, names []string) error {
	if node == nil {
		return nil
	}
	if and := node.GetBoolExpr(); and != nil && and.GetBoolop() == pg.BoolExprType_AND_EXPR {
		for _, arg := range and.GetArgs() {
			if err := b.where(arg, names); err != nil {
				return err
			}
		}
		return nil
	}
	if logic := node.GetBoolExpr(); logic != nil {
		text, err := tree(node, names)
		if err != nil {
			return err
		}
		at := strings.IndexByte(text, '(')
		b.param(text[:at], text[at:])
		return nil
	}
	c, err := compare(node, names)
	if err != nil {
		return err
	}
	if isReserved(c.column) {
		return refuse("a filter on column %s, which is a parameter of the API", c.column)
	}
	b.param(c.column, c.operator+"."+c.plain())
	return nil
}

// isReserved reports whether a parameter of that name is no filter (PostgREST
// documentation, "URL grammar").
func isReserved(name string) bool {
	switch name {
	case "select", "order", "limit", "offset", "columns", "on_conflict", "and", "or", "not":
		return true
	}
	return false
}

// condition is one comparison.
type condition struct {
	column, operator string
	value            string
	list             []string
	isList           bool
}

// plain is the value where it stands alone.
func (c condition) plain() string {
	if !c.isList {
		return c.value
	}
	return c.quoted()
}

// quoted is the value where it stands among others.
func (c condition) quoted() string {
	if !c.isList {
		return quote(c.value)
	}
	items := make([]string, len(c.list))
	for i, item := range c.list {
		items[i] = quote(item)
	}
	return "(" + strings.Join(items, ",") + ")"
}

// quote puts a text between quotes, as the API's grammar wants it in lists and trees.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// tree writes a condition as the API's and(), or() and not.
func tree(node *pg.Node, names []string) (string, error) {
	logic := node.GetBoolExpr()
	if logic == nil {
		c, err := compare(node, names)
		if err != nil {
			return "", err
		}
		value := c.quoted()
		if c.operator == "is" || strings.HasSuffix(c.operator, ".is") {
			value = c.value
		}
		return c.column + "." + c.operator + "." + value, nil
	}
	if logic.GetBoolop() == pg.BoolExprType_NOT_EXPR {
		inner := logic.GetArgs()[0]
		if inner.GetBoolExpr().GetBoolop() == pg.BoolExprType_NOT_EXPR && inner.GetBoolExpr() != nil {
			return "", refuse("NOT of NOT")
		}
		text, err := tree(inner, names)
		if err != nil {
			return "", err
		}
		if inner.GetBoolExpr() != nil {
			return "not." + text, nil
		}
		c, err := compare(inner, names)
		if err != nil || strings.HasPrefix(c.operator, "not.") {
			return "", refuse("a condition that is negated twice")
		}
		return "and(" + c.column + ".not." + strings.TrimPrefix(text, c.column+".") + ")", nil
	}
	word := "and"
	if logic.GetBoolop() == pg.BoolExprType_OR_EXPR {
		word = "or"
	}
	parts := make([]string, len(logic.GetArgs()))
	for i, arg := range logic.GetArgs() {
		text, err := tree(arg, names)
		if err != nil {
			return "", err
		}
		parts[i] = text
	}
	return word + "(" + strings.Join(parts, ",") + ")", nil
}

// compare reads a comparison of a column with literals.
func compare(node *pg.Node, names []string) (condition, error) {
	switch {
	case node.GetNullTest() != nil:
		test := node.GetNullTest()
		return isTest(test.GetArg(), names, "null", test.GetNulltesttype() == pg.NullTestType_IS_NOT_NULL)
	case node.GetBooleanTest() != nil:
		test := node.GetBooleanTest()
		for kind, word := range map[pg.BoolTestType]string{
			pg.BoolTestType_IS_TRUE: "true", pg.BoolTestType_IS_FALSE: "false", pg.BoolTestType_IS_UNKNOWN: "unknown",
		} {
			if test.GetBooltesttype() == kind {
				return isTest(test.GetArg(), names, word, false)
			}
		}
	case node.GetAExpr() != nil:
		return compareExpr(node.GetAExpr(), names)
	case node.GetColumnRef() != nil:
		name, err := column(node.GetColumnRef(), names)
		return condition{column: name, operator: "eq", value: "true"}, err
	}
	return condition{}, refuse("a condition that is no comparison of a column with a value")
}

func isTest(arg *pg.Node, names []string, word string, negated bool) (condition, error) {
	if arg.GetColumnRef() == nil {
		return condition{}, refuse("a condition on what is no column")
	}
	name, err := column(arg.GetColumnRef(), names)
	operator := "is"
	if negated {
		operator = "not.is"
	}
	return condition{column: name, operator: operator, value: word}, err
}

func compareExpr(expr *pg.A_Expr, names []string) (condition, error) {
	ref := expr.GetLexpr().GetColumnRef()
	if ref == nil || isStar(ref) {
		return condition{}, refuse("a condition that does not begin with a column")
	}
	name, err := column(ref, names)
	if err != nil {
		return condition{}, err
	}
	c := condition{column: name}
	symbol := nameOf(expr.GetName())
	switch expr.GetKind() {
	case pg.A_Expr_Kind_AEXPR_IN:
		c.operator, c.isList = "in", true
		if symbol == "<>" {
			c.operator = "not.in"
		}
		for _, item := range expr.GetRexpr().GetList().GetItems() {
			text, err := literal(item)
			if err != nil {
				return condition{}, err
			}
			c.list = append(c.list, text)
		}
		return c, nil
	case pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		if c.operator = operatorOf(symbol); c.operator == "" {
			return condition{}, refuse("the operator %s", symbol)
		}
	case pg.A_Expr_Kind_AEXPR_DISTINCT:
		c.operator = "isdistinct"
	default:
		return condition{}, refuse("a comparison with %s", symbol)
	}
	if c.value, err = literal(expr.GetRexpr()); err != nil {
		return condition{}, err
	}
	if strings.HasSuffix(c.operator, "like") && strings.Contains(c.value, "*") {
		return condition{}, refuse("a pattern with *, which the API takes for %%")
	}
	return c, nil
}

func operatorOf(symbol string) string {
	switch symbol {
	case "=":
		return "eq"
	case "<>":
		return "neq"
	case "<":
		return "lt"
	case "<=":
		return "lte"
	case ">":
		return "gt"
	case ">=":
		return "gte"
	case "~~":
		return "like"
	case "~~*":
		return "ilike"
	case "!~~":
		return "not.like"
	case "!~~*":
		return "not.ilike"
	}
	return ""
}

// literal is the text of a literal that is not null.
func literal(node *pg.Node) (string, error) {
	switch v := constant(node).(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		if v {
			return "true", nil
		}
		return "false", nil
	case nil:
		return "", refuse("a comparison with null")
	}
	return "", refuse("a value that is computed")
}
