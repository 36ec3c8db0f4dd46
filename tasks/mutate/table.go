package mutate

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/supascore/supascore/internal/pgparse"
)

// table is what mutants need to know of a table.
type table struct {
	// uuids are its columns of type uuid, in order.
	uuids []string
	// required are its columns that cannot be null.
	required map[string]bool
}

func (t table) isUUID(column string) bool { return slices.Contains(t.uuids, column) }

// readTables reads the tables that a schema creates, by name, without the schema
// public. What is altered later is not seen: a mutant more or less is no fault.
func readTables(statements []pgparse.Statement) map[string]table {
	tables := map[string]table{}
	for _, statement := range statements {
		if create := statement.Node.GetCreateStmt(); create != nil {
			tables[relation(create.GetRelation())] = readTable(create)
		}
	}
	return tables
}

func readTable(create *pg.CreateStmt) table {
	t := table{required: map[string]bool{}}
	for _, element := range create.GetTableElts() {
		if column := element.GetColumnDef(); column != nil {
			types := column.GetTypeName().GetNames()
			// An array of uuids is no uuid.
			if len(types) > 0 && types[len(types)-1].GetString_().GetSval() == "uuid" && len(column.GetTypeName().GetArrayBounds()) == 0 {
				t.uuids = append(t.uuids, column.GetColname())
			}
			for _, constraint := range column.GetConstraints() {
				t.require(constraint.GetConstraint(), column.GetColname())
			}
		}
		if constraint := element.GetConstraint(); constraint != nil {
			for _, key := range constraint.GetKeys() {
				t.require(constraint, key.GetString_().GetSval())
			}
		}
	}
	return t
}

// require notes a column that a constraint keeps from being null.
func (t table) require(constraint *pg.Constraint, column string) {
	switch constraint.GetContype() {
	case pg.ConstrType_CONSTR_NOTNULL, pg.ConstrType_CONSTR_PRIMARY:
		t.required[column] = true
	}
}
