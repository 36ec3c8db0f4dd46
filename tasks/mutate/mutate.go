// Package mutate makes wrong answers out of a task's reference solution, each by one
// small change of the kind that people make: a policy left out, a predicate turned
// around, a role too wide. A set of tests that matters fails every one of them. The
// changes are made in PostgreSQL's own syntax trees, in a fixed order, so that a
// mutant keeps its name from run to run. Changes that provably change nothing are not
// made; whether any other is noticed, only running the tests can tell.
package mutate

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/supascore/supascore/internal/pgparse"
)

// Kind is the kind of change that a mutant has.
type Kind string

// The kinds of change.
const (
	// DropPolicy leaves a policy out.
	DropPolicy Kind = "drop-policy"
	// DropCheck leaves out a WITH CHECK that differs from USING, which then decides
	// about new rows too (PostgreSQL documentation, CREATE POLICY).
	DropCheck Kind = "drop-check"
	// OpenCheck makes a WITH CHECK accept every row.
	OpenCheck Kind = "open-check"
	// WidenRole makes a policy apply to every role.
	WidenRole Kind = "widen-role"
	// NegateUsing turns the predicate of USING around.
	NegateUsing Kind = "negate-using"
	// NegateCheck turns the predicate of WITH CHECK around.
	NegateCheck Kind = "negate-check"
	// NullSafe compares with the caller's id or claims by "is not distinct from",
	// which holds for a caller without an id and a row without an owner.
	NullSafe Kind = "null-safe"
	// SwapColumn compares the caller's id with another uuid column of the table.
	SwapColumn Kind = "swap-column"
	// LeaveOff does not enable row level security on a table.
	LeaveOff Kind = "leave-off"
	// DropGrant leaves out a grant, or one grantee or one privilege of it.
	DropGrant Kind = "drop-grant"
	// DropRevoke leaves a revoke out.
	DropRevoke Kind = "drop-revoke"
)

// Mutant is a reference solution with one change.
type Mutant struct {
	// Name is unique in a solution: the kind, what it is about, and a number where
	// there are several: "drop-policy notes.own", "null-safe notes.own 2".
	Name string
	// Kind is the kind of change.
	Kind Kind
	// SQL is the whole candidate.
	SQL string

	facts facts
}

// Mutants returns the mutants of a solution in the order of its statements. The schema
// tells the columns' types. The error says where one of the texts is no SQL.
func Mutants(schema, solution string) ([]Mutant, error) {
	before, err := pgparse.Parse(schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	statements, err := pgparse.Parse(solution)
	if err != nil {
		return nil, fmt.Errorf("solution: %w", err)
	}
	m := &mutator{solution: solution, tables: readTables(before), names: map[string]int{}}
	m.facts.rules, m.facts.known = rules(before, statements)
	m.facts.at = len(m.facts.rules) - countPolicies(statements) - 1
	for _, statement := range statements {
		m.at = statement
		if err := m.statement(); err != nil {
			return nil, err
		}
	}
	return m.mutants, nil
}

// mutator makes the mutants of one solution.
type mutator struct {
	solution string
	tables   map[string]table
	// at is the statement being changed.
	at      pgparse.Statement
	names   map[string]int
	mutants []Mutant
	// facts are those of the statement being changed.
	facts facts
}

func countPolicies(statements []pgparse.Statement) int {
	n := 0
	for _, statement := range statements {
		if statement.Node.GetCreatePolicyStmt() != nil {
			n++
		}
	}
	return n
}

// statement makes the mutants that change the statement at hand.
func (m *mutator) statement() error {
	switch node := m.at.Node.GetNode().(type) {
	case *pg.Node_CreatePolicyStmt:
		m.facts.table = fullName(node.CreatePolicyStmt.GetTable())
		m.facts.at++
		return m.policy(node.CreatePolicyStmt)
	case *pg.Node_GrantStmt:
		return m.grant(node.GrantStmt)
	case *pg.Node_AlterTableStmt:
		m.facts.table = fullName(node.AlterTableStmt.GetRelation())
		return m.alterTable(node.AlterTableStmt)
	}
	return nil
}

// drop leaves the statement at hand out.
func (m *mutator) drop(kind Kind, subject string) {
	m.add(kind, subject, "")
}

// change puts a changed copy in the place of the statement at hand. The change gets
// the copy of the whole statement.
func (m *mutator) change(kind Kind, subject string, change func(*pg.Node)) error {
	copied, ok := proto.Clone(m.at.Node).(*pg.Node)
	if !ok {
		return fmt.Errorf("%s of %s: the statement cannot be copied", kind, subject)
	}
	change(copied)
	text, err := pgparse.Deparse(copied)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", kind, subject, err)
	}
	m.add(kind, subject, strings.TrimRight(text, ";\n"))
	return nil
}

// add puts text in the place of the statement at hand.
func (m *mutator) add(kind Kind, subject, text string) {
	name := string(kind) + " " + subject
	m.names[name]++
	if n := m.names[name]; n > 1 {
		name = fmt.Sprintf("%s %d", name, n)
	}
	end := m.at.Offset + len(m.at.Text)
	m.mutants = append(m.mutants, Mutant{
		Name: name, Kind: kind, SQL: m.solution[:m.at.Offset] + text + m.solution[end:], facts: m.facts,
	})
}

// alterTable leaves row level security off.
func (m *mutator) alterTable(statement *pg.AlterTableStmt) error {
	enables := 0
	for _, command := range statement.GetCmds() {
		if command.GetAlterTableCmd().GetSubtype() == pg.AlterTableType_AT_EnableRowSecurity {
			enables++
		}
	}
	switch {
	case enables == 0:
	case enables == len(statement.GetCmds()):
		m.drop(LeaveOff, relation(statement.GetRelation()))
	default:
		return m.change(LeaveOff, relation(statement.GetRelation()), func(n *pg.Node) {
			var kept []*pg.Node
			for _, command := range n.GetAlterTableStmt().GetCmds() {
				if command.GetAlterTableCmd().GetSubtype() != pg.AlterTableType_AT_EnableRowSecurity {
					kept = append(kept, command)
				}
			}
			n.GetAlterTableStmt().Cmds = kept
		})
	}
	return nil
}

// relation names a table as the solution does, without the schema public.
func relation(r *pg.RangeVar) string {
	if schema := r.GetSchemaname(); schema != "" && schema != "public" {
		return schema + "." + r.GetRelname()
	}
	return r.GetRelname()
}
