package mutate

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// policy makes the mutants of a policy.
func (m *mutator) policy(policy *pg.CreatePolicyStmt) error {
	subject := relation(policy.GetTable()) + "." + policy.GetPolicyName()
	m.drop(DropPolicy, subject)
	for _, step := range []func(*pg.CreatePolicyStmt, string) error{m.checks, m.roles, m.negate, m.comparisons} {
		if err := step(policy, subject); err != nil {
			return err
		}
	}
	return nil
}

// checks weakens WITH CHECK.
func (m *mutator) checks(policy *pg.CreatePolicyStmt, subject string) error {
	check := policy.GetWithCheck()
	if check == nil {
		// USING decides about new rows, except for those of an INSERT, which has none.
		if cmd := policy.GetCmdName(); cmd != "all" && cmd != "update" {
			return nil
		}
	} else if policy.GetQual() != nil && !sameExpression(check, policy.GetQual()) {
		if err := m.change(DropCheck, subject, func(n *pg.Node) { n.GetCreatePolicyStmt().WithCheck = nil }); err != nil {
			return err
		}
	}
	if isTrue(check) || check == nil && isTrue(policy.GetQual()) {
		return nil
	}
	return m.change(OpenCheck, subject, func(n *pg.Node) { n.GetCreatePolicyStmt().WithCheck = constTrue() })
}

// roles makes the policy apply to everybody, unless it does already or asks for a
// caller who is signed in anyway.
func (m *mutator) roles(policy *pg.CreatePolicyStmt, subject string) error {
	if reachesAnon(policy) {
		return nil
	}
	for _, predicate := range []*pg.Node{policy.GetQual(), policy.GetWithCheck()} {
		// A restrictive policy that applies to more roles takes from them, whatever it
		// asks for.
		if predicate != nil && needsCaller(predicate) && policy.GetPermissive() {
			return nil
		}
	}
	return m.change(WidenRole, subject, func(n *pg.Node) {
		everybody := &pg.RoleSpec{Roletype: pg.RoleSpecType_ROLESPEC_PUBLIC}
		n.GetCreatePolicyStmt().Roles = []*pg.Node{{Node: &pg.Node_RoleSpec{RoleSpec: everybody}}}
	})
}

// reachesAnon reports whether a policy applies to callers who are not signed in.
func reachesAnon(policy *pg.CreatePolicyStmt) bool {
	for _, role := range policy.GetRoles() {
		spec := role.GetRoleSpec()
		if spec.GetRoletype() == pg.RoleSpecType_ROLESPEC_PUBLIC || spec.GetRolename() == "anon" {
			return true
		}
	}
	return false
}

// negate turns the predicates around.
func (m *mutator) negate(policy *pg.CreatePolicyStmt, subject string) error {
	if policy.GetQual() != nil {
		err := m.change(NegateUsing, subject, func(n *pg.Node) {
			changed := n.GetCreatePolicyStmt()
			changed.Qual = not(changed.GetQual())
		})
		if err != nil {
			return err
		}
	}
	if policy.GetWithCheck() == nil {
		return nil
	}
	return m.change(NegateCheck, subject, func(n *pg.Node) {
		changed := n.GetCreatePolicyStmt()
		changed.WithCheck = not(changed.GetWithCheck())
	})
}

// comparisons changes the comparisons with the caller one at a time.
func (m *mutator) comparisons(policy *pg.CreatePolicyStmt, subject string) error {
	table := m.tables[relation(policy.GetTable())]
	for i, comparison := range callerComparisons(policy) {
		column := comparison.column(policy.GetTable().GetRelname())
		if reachesAnon(policy) && !comparison.agrees(table.required[column]) {
			if err := m.change(NullSafe, subject, func(n *pg.Node) {
				changed := callerComparisons(n.GetCreatePolicyStmt())[i]
				changed.Kind = pg.A_Expr_Kind_AEXPR_NOT_DISTINCT
			}); err != nil {
				return err
			}
		}
		if err := m.swap(i, column, table, subject); err != nil {
			return err
		}
	}
	return nil
}

// swap compares with each other uuid column of the table instead of the one at hand.
func (m *mutator) swap(i int, column string, table table, subject string) error {
	if !table.isUUID(column) {
		return nil
	}
	for _, other := range table.uuids {
		if other == column {
			continue
		}
		err := m.change(SwapColumn, subject, func(n *pg.Node) {
			callerComparisons(n.GetCreatePolicyStmt())[i].rename(other)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func constTrue() *pg.Node {
	value := &pg.A_Const_Boolval{Boolval: &pg.Boolean{Boolval: true}}
	return &pg.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: value}}}
}

func isTrue(n *pg.Node) bool { return n.GetAConst().GetBoolval().GetBoolval() }

// not turns a predicate around, a double negation away.
func not(n *pg.Node) *pg.Node {
	if b := n.GetBoolExpr(); b.GetBoolop() == pg.BoolExprType_NOT_EXPR && len(b.GetArgs()) == 1 {
		return b.GetArgs()[0]
	}
	return pg.MakeBoolExprNode(pg.BoolExprType_NOT_EXPR, []*pg.Node{n}, 0)
}

// sameExpression compares expressions, wherever they stand in the text.
func sameExpression(a, b *pg.Node) bool {
	return proto.Equal(withoutLocations(a), withoutLocations(b))
}
