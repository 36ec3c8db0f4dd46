package mutate

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// walk visits a syntax tree in the order of its definition, parents first, and does
// not go below where visit says no.
func walk(m protoreflect.Message, visit func(protoreflect.Message) bool) {
	if !m.IsValid() || !visit(m) {
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() == nil || !m.Has(field) {
			continue
		}
		if !field.IsList() {
			walk(m.Get(field).Message(), visit)
			continue
		}
		list := m.Get(field).List()
		for j := range list.Len() {
			walk(list.Get(j).Message(), visit)
		}
	}
}

// withoutLocations is a copy that does not know where its parts stood in the text.
func withoutLocations(n *pg.Node) proto.Message {
	copied := proto.Clone(n)
	walk(copied.ProtoReflect(), func(m protoreflect.Message) bool {
		if field := m.Descriptor().Fields().ByName("location"); field != nil && field.Kind() == protoreflect.Int32Kind {
			m.Clear(field)
		}
		return true
	})
	return copied
}

// comparison is "a = b" where one side is the caller's id or claims.
type comparison struct {
	*pg.A_Expr
	// plain says that null and false are the same for it: nothing but and, or and exists
	// stands above it.
	plain bool
}

// agrees says whether the two ways of comparing let the same callers through: the side
// that is not the caller's is never null.
func (c comparison) agrees(required bool) bool {
	for _, side := range []*pg.Node{c.GetLexpr(), c.GetRexpr()} {
		if constant := side.GetAConst(); constant != nil && !constant.GetIsnull() {
			required = true
		}
	}
	return c.plain && required
}

// plainParts are the parts of a predicate that are joined by nothing but and, or and
// exists.
func plainParts(n *pg.Node) []*pg.A_Expr {
	switch x := n.GetNode().(type) {
	case *pg.Node_AExpr:
		return []*pg.A_Expr{x.AExpr}
	case *pg.Node_BoolExpr:
		var parts []*pg.A_Expr
		if x.BoolExpr.GetBoolop() != pg.BoolExprType_NOT_EXPR {
			for _, arg := range x.BoolExpr.GetArgs() {
				parts = append(parts, plainParts(arg)...)
			}
		}
		return parts
	case *pg.Node_SubLink:
		if kind := x.SubLink.GetSubLinkType(); kind == pg.SubLinkType_EXISTS_SUBLINK || kind == pg.SubLinkType_ANY_SUBLINK {
			if where := x.SubLink.GetSubselect().GetSelectStmt().GetWhereClause(); where != nil {
				return plainParts(where)
			}
		}
	}
	return nil
}

// callerComparisons finds the comparisons with the caller in a policy's predicates.
func callerComparisons(policy *pg.CreatePolicyStmt) []comparison {
	var found []comparison
	var plain []*pg.A_Expr
	for _, predicate := range []*pg.Node{policy.GetQual(), policy.GetWithCheck()} {
		if predicate != nil {
			plain = append(plain, plainParts(predicate)...)
		}
	}
	walk(policy.ProtoReflect(), func(m protoreflect.Message) bool {
		expr, ok := m.Interface().(*pg.A_Expr)
		if ok && isEquals(expr) && (isCaller(expr.GetLexpr()) || isCaller(expr.GetRexpr())) {
			found = append(found, comparison{expr, slices.Contains(plain, expr)})
		}
		return true
	})
	return found
}

func isEquals(expr *pg.A_Expr) bool {
	return expr.GetKind() == pg.A_Expr_Kind_AEXPR_OP && len(expr.GetName()) == 1 &&
		expr.GetName()[0].GetString_().GetSval() == "="
}

// isCaller reports whether an expression is made of the caller's id or claims: a call
// of a function of schema auth or of current_setting, also in a sub-select of its own
// or with a cast or an operator around it.
func isCaller(n *pg.Node) bool {
	caller, fallback := false, false
	if n == nil {
		return false
	}
	walk(n.ProtoReflect(), func(m protoreflect.Message) bool {
		switch x := m.Interface().(type) {
		case *pg.FuncCall:
			names := x.GetFuncname()
			first := names[0].GetString_().GetSval()
			caller = caller || first == "auth" && len(names) == 2 || first == "current_setting"
		case *pg.CoalesceExpr, *pg.CaseExpr:
			fallback = true // it has a value for everybody
		case *pg.SelectStmt:
			// A sub-select that reads tables is something else.
			return len(x.GetFromClause()) == 0
		}
		return true
	})
	return caller && !fallback
}

// reference is the side of the comparison that is a plain column; nil when none is.
func (c comparison) reference() *pg.ColumnRef {
	for _, side := range []*pg.Node{c.GetLexpr(), c.GetRexpr()} {
		if ref := side.GetColumnRef(); ref != nil {
			return ref
		}
	}
	return nil
}

// column is the column of the policy's table that is compared with; empty when it is
// no plain column, or one of another table.
func (c comparison) column(table string) string {
	fields := c.reference().GetFields()
	switch {
	case len(fields) == 1:
		return fields[0].GetString_().GetSval()
	case len(fields) == 2 && fields[0].GetString_().GetSval() == table:
		return fields[1].GetString_().GetSval()
	}
	return ""
}

// rename makes the comparison one with another column.
func (c comparison) rename(column string) {
	fields := c.reference().GetFields()
	fields[len(fields)-1] = pg.MakeStrNode(column)
}

// needsCaller reports whether a predicate can only hold for a caller who has an id or
// claims: in it, something is compared with them in a way that is not true of null.
// It says no when it cannot tell.
func needsCaller(n *pg.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg.Node_AExpr:
		return isEquals(x.AExpr) && (isCaller(x.AExpr.GetLexpr()) || isCaller(x.AExpr.GetRexpr()))
	case *pg.Node_BoolExpr:
		return boolNeedsCaller(x.BoolExpr)
	case *pg.Node_SubLink:
		switch x.SubLink.GetSubLinkType() {
		case pg.SubLinkType_ANY_SUBLINK:
			where := x.SubLink.GetSubselect().GetSelectStmt().GetWhereClause()
			return isCaller(x.SubLink.GetTestexpr()) || where != nil && needsCaller(where)
		case pg.SubLinkType_EXISTS_SUBLINK:
			selected := x.SubLink.GetSubselect().GetSelectStmt()
			return selected.GetWhereClause() != nil && needsCaller(selected.GetWhereClause())
		}
	}
	return false
}

// boolNeedsCaller is needsCaller for "and", of which one part is enough, and "or", of
// which every part must.
func boolNeedsCaller(b *pg.BoolExpr) bool {
	needing := 0
	for _, arg := range b.GetArgs() {
		if needsCaller(arg) {
			needing++
		}
	}
	switch b.GetBoolop() {
	case pg.BoolExprType_AND_EXPR:
		return needing > 0
	case pg.BoolExprType_OR_EXPR:
		return needing == len(b.GetArgs())
	}
	return false
}
