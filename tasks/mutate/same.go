package mutate

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/supascore/supascore/internal/pgparse"
)

// State is what a database with a solution lets whom do, as its catalogs say.
type State struct {
	// Fingerprint is the same for databases with the same policies and privileges,
	// Requests for those that are the same apart from TRUNCATE, REFERENCES and TRIGGER.
	Fingerprint, Requests string
	// Rights are the privileges on tables that roles bound by policies have.
	Rights []Right
	// Triggered are the tables ("public.notes") with code that can change rows before
	// they are written.
	Triggered []string
}

// Right is a privilege of a role on a table.
type Right struct {
	// Table is "schema.table".
	Table string
	Role  string
	// Verb is "select", "insert", "update" or "delete".
	Verb string
	// Columns are those that an update can change.
	Columns []string
}

// rule is a policy of the reference.
type rule struct {
	table, command string
	permissive     bool
	roles          []string
	// reads are the names that its predicates use as columns; "*" for whole rows.
	reads []string
	// open says that it lets every row through, usingOnly that USING decides about new
	// rows, too.
	open, usingOnly bool
}

// rules are the policies that a schema and a solution make. known is false when they
// are changed in a way that is not followed.
func rules(schema, solution []pgparse.Statement) (list []rule, known bool) {
	known = true
	for _, statement := range slices.Concat(schema, solution) {
		switch node := statement.Node.GetNode().(type) {
		case *pg.Node_CreatePolicyStmt:
			list = append(list, ruleOf(node.CreatePolicyStmt))
		case *pg.Node_AlterPolicyStmt, *pg.Node_DoStmt:
			known = false
		case *pg.Node_DropStmt:
			known = known && node.DropStmt.GetRemoveType() != pg.ObjectType_OBJECT_POLICY
		}
	}
	return list, known
}

func ruleOf(policy *pg.CreatePolicyStmt) rule {
	qual, check := policy.GetQual(), policy.GetWithCheck()
	r := rule{
		table: fullName(policy.GetTable()), command: policy.GetCmdName(), permissive: policy.GetPermissive(),
		open:      (qual == nil || isTrue(qual)) && (check == nil || isTrue(check)),
		usingOnly: check == nil || qual != nil && sameExpression(check, qual),
	}
	for _, spec := range policy.GetRoles() {
		r.roles = append(r.roles, role(spec))
	}
	for _, predicate := range []*pg.Node{qual, check} {
		if predicate != nil {
			r.reads = append(r.reads, reads(predicate, policy.GetTable().GetRelname())...)
		}
	}
	return r
}

// reads are the names that an expression uses as columns, whoever's they are.
func reads(n *pg.Node, table string) []string {
	var names []string
	walk(n.ProtoReflect(), func(m protoreflect.Message) bool {
		ref, ok := m.Interface().(*pg.ColumnRef)
		if !ok {
			return true
		}
		last := ref.GetFields()[len(ref.GetFields())-1]
		name := last.GetString_().GetSval()
		if last.GetAStar() != nil || name == table {
			name = "*"
		}
		names = append(names, name)
		return true
	})
	return names
}

// fullName names a table with its schema.
func fullName(r *pg.RangeVar) string {
	if r.GetSchemaname() == "" {
		return "public." + r.GetRelname()
	}
	return r.GetSchemaname() + "." + r.GetRelname()
}

// concerns says whether a policy applies to a role and a verb.
func (r rule) concerns(role, verb string) bool {
	return (r.command == verb || r.command == "all") && (slices.Contains(r.roles, role) || slices.Contains(r.roles, "public"))
}

// facts is what a mutant's change can be judged by.
type facts struct {
	rules []rule
	known bool
	// table is what the change is about, at the policy's place among the rules, -1 for no
	// policy.
	table string
	at    int
}

// Same says why the change of a mutant provably changes nothing, given the states of
// the reference's and the mutant's database; empty when it may change something. It
// looks at catalogs and syntax alone.
func (m Mutant) Same(reference, mutant State) string {
	switch {
	case reference.Fingerprint == mutant.Fingerprint:
		return "the policies and privileges are the same"
	case reference.Requests == mutant.Requests:
		return "nothing differs but TRUNCATE, REFERENCES or TRIGGER, which no request can use"
	case !m.facts.known:
		return ""
	}
	switch m.Kind {
	case WidenRole:
		return m.facts.widened(reference)
	case OpenCheck:
		return m.facts.opened(reference)
	case LeaveOff:
		return m.facts.leftOff(reference)
	}
	return ""
}

// widened: a policy does nothing for roles without the privilege that it is about.
func (f facts) widened(s State) string {
	policy := f.rules[f.at]
	for _, right := range s.Rights {
		if right.Table == f.table && (policy.command == "all" || policy.command == right.Verb) && !slices.Contains(policy.roles, right.Role) {
			return ""
		}
	}
	return "no other role has the privilege that the policy is about"
}

// opened: an UPDATE whose USING was true of the old row is true of the new one when the
// caller can change no column that it reads.
func (f facts) opened(s State) string {
	policy := f.rules[f.at]
	if policy.command != "update" && policy.command != "all" || slices.Contains(s.Triggered, f.table) {
		return ""
	}
	for _, right := range s.Rights {
		if right.Table != f.table || !policy.concerns(right.Role, right.Verb) {
			continue
		}
		if right.Verb == "insert" || right.Verb == "update" && !f.unaffected(policy, right) {
			return ""
		}
	}
	return "nobody can change what the policy reads"
}

// unaffected says whether an update cannot change what lets it happen: the policy
// itself, and, where one of several is enough, each of the others.
func (f facts) unaffected(policy rule, right Right) bool {
	for _, other := range f.rules {
		if other.table != f.table || !other.concerns(right.Role, "update") || !other.permissive {
			continue
		}
		if policy.permissive && !other.keeps(right.Columns) {
			return false
		}
	}
	return policy.keeps(right.Columns)
}

// keeps says whether a policy says the same of a row whose columns are changed.
func (r rule) keeps(columns []string) bool {
	return r.usingOnly && !slices.ContainsFunc(r.reads, func(name string) bool { return name == "*" || slices.Contains(columns, name) })
}

// leftOff: row level security takes nothing from those who are allowed everything, and
// nothing from those who have no privilege.
func (f facts) leftOff(s State) string {
	if slices.ContainsFunc(f.rules, func(r rule) bool { return r.table == f.table && !r.permissive }) {
		return ""
	}
	for _, right := range s.Rights {
		open := func(r rule) bool { return r.table == f.table && r.open && r.concerns(right.Role, right.Verb) }
		if right.Table == f.table && !slices.ContainsFunc(f.rules, open) {
			return ""
		}
	}
	return "whoever has a privilege on " + strings.TrimPrefix(f.table, "public.") + " is allowed everything"
}
