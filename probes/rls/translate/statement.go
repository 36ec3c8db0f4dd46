// Package translate reads a test's SQL and, where the Data API can say the same, writes
// it as a request. It promises that a request means exactly what the SQL means, and
// refuses with a reason where it would have to guess. It is pure: it asks no database.
package translate

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/supascore/supascore/internal/pgparse"
	"github.com/supascore/supascore/probes"
)

// Describe says what a statement does, by its syntax alone.
func Describe(node *pg.Node) probes.RLSStatement {
	s := probes.RLSStatement{Verb: probes.RLSVerbOther}
	switch {
	case node.GetSelectStmt() != nil:
		describeSelect(node.GetSelectStmt(), &s)
	case node.GetInsertStmt() != nil:
		insert := node.GetInsertStmt()
		s.Verb, s.Returning = probes.RLSVerbInsert, len(insert.GetReturningList()) > 0
		if conflict := insert.GetOnConflictClause(); conflict != nil {
			if conflict.GetAction() == pg.OnConflictAction_ONCONFLICT_UPDATE {
				s.Verb = probes.RLSVerbUpsert
			}
			s.Arbiter = conflict.GetInfer() != nil
		}
		s.Relations = []string{rangeName(insert.GetRelation())}
	case node.GetUpdateStmt() != nil:
		update := node.GetUpdateStmt()
		s.Verb, s.Returning = probes.RLSVerbUpdate, len(update.GetReturningList()) > 0
		s.Filtered = update.GetWhereClause() != nil
		s.Relations = []string{rangeName(update.GetRelation())}
	case node.GetDeleteStmt() != nil:
		del := node.GetDeleteStmt()
		s.Verb, s.Returning = probes.RLSVerbDelete, len(del.GetReturningList()) > 0
		s.Filtered = del.GetWhereClause() != nil
		s.Relations = []string{rangeName(del.GetRelation())}
	}
	return s
}

func describeSelect(sel *pg.SelectStmt, s *probes.RLSStatement) {
	s.Verb = probes.RLSVerbSelect
	s.Ordered = len(sel.GetSortClause()) > 0
	s.Aggregate = isAggregate(sel)
	for _, with := range sel.GetWithClause().GetCtes() {
		if inner := Describe(with.GetCommonTableExpr().GetCtequery()); inner.Verb != probes.RLSVerbSelect {
			s.Verb = inner.Verb // a WITH that writes
			s.Returning = true
		}
	}
	s.Relations = relationsOf(sel.GetFromClause())
	if call := soleCall(sel); call != nil {
		s.Verb = probes.RLSVerbCall
		s.Relations = []string{nameOf(call.GetFuncname())}
	}
}

// soleCall is the function of "select f(…)" and "select * from f(…)".
func soleCall(sel *pg.SelectStmt) *pg.FuncCall {
	from := sel.GetFromClause()
	switch {
	case len(from) == 0 && len(sel.GetTargetList()) == 1:
		call := sel.GetTargetList()[0].GetResTarget().GetVal().GetFuncCall()
		if call == nil || slices.Contains(builtinNames(), nameOf(call.GetFuncname())) {
			return nil
		}
		return call
	case len(from) == 1:
		functions := from[0].GetRangeFunction().GetFunctions()
		if len(functions) == 1 {
			if items := functions[0].GetList().GetItems(); len(items) > 0 {
				return items[0].GetFuncCall()
			}
		}
	}
	return nil
}

// builtinNames are functions that a test's SELECT uses as an expression. Calling them is
// no call of the candidate's.
func builtinNames() []string {
	return []string{
		"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every", "array_agg", "string_agg", "json_agg",
		"jsonb_agg", "coalesce", "current_setting", "has_table_privilege", "has_column_privilege",
		"has_function_privilege", "has_schema_privilege", "row_security_active",
	}
}

// isAggregate reports whether the result is one aggregate over all rows.
func isAggregate(sel *pg.SelectStmt) bool {
	if len(sel.GetTargetList()) != 1 || len(sel.GetGroupClause()) > 0 || len(sel.GetFromClause()) == 0 || sel.GetOp() != pg.SetOperation_SETOP_NONE {
		return false
	}
	value := sel.GetTargetList()[0].GetResTarget().GetVal()
	for value.GetTypeCast() != nil {
		value = value.GetTypeCast().GetArg()
	}
	switch nameOf(value.GetFuncCall().GetFuncname()) {
	case "count", "sum", "min", "max":
		return value.GetFuncCall().GetOver() == nil
	default:
		return false
	}
}

func relationsOf(from []*pg.Node) []string {
	var names []string
	for _, item := range from {
		switch {
		case item.GetRangeVar() != nil:
			names = append(names, rangeName(item.GetRangeVar()))
		case item.GetJoinExpr() != nil:
			names = append(names, relationsOf([]*pg.Node{item.GetJoinExpr().GetLarg(), item.GetJoinExpr().GetRarg()})...)
		case item.GetRangeSubselect() != nil:
			names = append(names, relationsOf(item.GetRangeSubselect().GetSubquery().GetSelectStmt().GetFromClause())...)
		}
	}
	return names
}

func rangeName(r *pg.RangeVar) string {
	if r.GetSchemaname() == "" {
		return r.GetRelname()
	}
	return r.GetSchemaname() + "." + r.GetRelname()
}

// nameOf joins the parts of a qualified name.
func nameOf(parts []*pg.Node) string {
	names := make([]string, 0, len(parts))
	for _, part := range parts {
		names = append(names, part.GetString_().GetSval())
	}
	return strings.Join(names, ".")
}

// Query is a test's SQL, taken apart.
type Query struct {
	// Before and After are the statements around the one whose result counts, each with
	// its semicolon; may be empty.
	Before, After string
	// Text is the statement whose result counts.
	Text string
	// Statement says what it does.
	Statement probes.RLSStatement
	// Node is its syntax tree; nil when the parser does not understand the SQL.
	Node *pg.Node
}

// Single says whether the SQL is one statement for certain.
func (q Query) Single() bool { return q.Node != nil && q.Before == "" && q.After == "" }

// Cut takes SQL apart. first takes the first statement's result, else the last
// statement's counts. SQL that the parser does not understand is one statement whose
// Problem says why: the server, of another version, may understand it.
func Cut(sql string, first bool) Query {
	list, err := pgparse.Parse(sql)
	if err != nil || len(list) == 0 {
		problem := "it has no statement"
		if err != nil {
			problem = err.Error()
		}
		text := strings.TrimRight(strings.TrimSpace(sql), "; \t\r\n")
		return Query{Text: text, Statement: probes.RLSStatement{Verb: guess(text), Problem: problem}}
	}
	at := len(list) - 1
	if first {
		at = 0
	}
	q := Query{Text: list[at].Text, Node: list[at].Node, Statement: Describe(list[at].Node)}
	for i, s := range list {
		switch {
		case i < at:
			q.Before += s.Text + ";\n"
		case i > at:
			q.After += s.Text + ";\n"
		}
	}
	return q
}

// guess is the verb of SQL that cannot be parsed.
func guess(sql string) probes.RLSVerb {
	word, _, _ := strings.Cut(strings.ToLower(sql), " ")
	switch verb := probes.RLSVerb(word); verb {
	case probes.RLSVerbSelect, probes.RLSVerbInsert, probes.RLSVerbUpdate, probes.RLSVerbDelete:
		return verb
	default:
		return probes.RLSVerbOther
	}
}
