package mutate

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// grant leaves out a grant for each of its grantees, and each of its privileges, or a
// revoke as a whole.
func (m *mutator) grant(statement *pg.GrantStmt) error {
	subject := objects(statement)
	if !statement.GetIsGrant() {
		m.drop(DropRevoke, subject)
		return nil
	}
	grantees, privileges := statement.GetGrantees(), statement.GetPrivileges()
	if len(grantees) < 2 && len(privileges) < 2 {
		m.drop(DropGrant, subject)
		return nil
	}
	if len(grantees) > 1 {
		for i, grantee := range grantees {
			err := m.change(DropGrant, subject+" to "+role(grantee), func(n *pg.Node) {
				changed := n.GetGrantStmt()
				changed.Grantees = slices.Delete(changed.GetGrantees(), i, i+1)
			})
			if err != nil {
				return err
			}
		}
	}
	if len(privileges) > 1 {
		for i, privilege := range privileges {
			err := m.change(DropGrant, privilege.GetAccessPriv().GetPrivName()+" on "+subject, func(n *pg.Node) {
				changed := n.GetGrantStmt()
				changed.Privileges = slices.Delete(changed.GetPrivileges(), i, i+1)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func role(n *pg.Node) string {
	if spec := n.GetRoleSpec(); spec.GetRoletype() != pg.RoleSpecType_ROLESPEC_PUBLIC {
		return spec.GetRolename()
	}
	return "public"
}

// objects names what a grant is about, for people: tables, functions, schemas.
func objects(statement *pg.GrantStmt) string {
	var names []string
	for _, object := range statement.GetObjects() {
		switch x := object.GetNode().(type) {
		case *pg.Node_RangeVar:
			names = append(names, relation(x.RangeVar))
		case *pg.Node_ObjectWithArgs:
			var parts []string
			for _, part := range x.ObjectWithArgs.GetObjname() {
				parts = append(parts, part.GetString_().GetSval())
			}
			names = append(names, strings.TrimPrefix(strings.Join(parts, "."), "public.")+"()")
		case *pg.Node_String_:
			names = append(names, x.String_.GetSval())
		}
	}
	return strings.Join(names, ", ")
}
