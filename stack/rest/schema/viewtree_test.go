package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTargetListsAreReadFromTheOuterQuery(t *testing.T) {
	t.Parallel()
	inner := `{QUERY :targetList ({TARGETENTRY :expr 1 :resno 1 :resname x :resorigtbl 7 :resorigcol 7 :resjunk false})}`
	tree := `({QUERY :commandType 1 :rtable ({RTE :subquery ` + inner + `}) :targetList (` +
		`{TARGETENTRY :expr {VAR :varno 1} :resno 1 :resname id :ressortgroupref 0 :resorigtbl 16385 :resorigcol 2 :resjunk false} ` +
		`{TARGETENTRY :expr {SUBLINK :subselect ` + inner + `} :resno 2 :resname a\ \(b\} :resorigtbl 0 :resorigcol 0 :resjunk false} ` +
		`{TARGETENTRY :expr {VAR :varno 1} :resno 3 :resname <> :resorigtbl 16385 :resorigcol 3 :resjunk true}` +
		`) :override 0})`
	assert.Equal(t, []viewColumn{{name: "id", number: 1, table: 16385, column: 2}}, targetColumns(tree, []string{"id", "a (b}", "c"}))
}

func FuzzTargetColumns(f *testing.F) {
	f.Add(`({QUERY :targetList ({TARGETENTRY :resno 1 :resorigtbl 1 :resorigcol 1 :resjunk false})})`)
	f.Add(`({QUERY :targetList <>})`)
	f.Add(`({QUERY :targetList ({TARGETENTRY :resno 99999 :resorigtbl -1 :resorigcol 1`)
	f.Add(`\`)
	f.Fuzz(func(t *testing.T, tree string) {
		names := []string{"a", "b"}
		for _, c := range targetColumns(tree, names) {
			assert.True(t, c.number >= 1 && int(c.number) <= len(names))
			assert.Equal(t, names[c.number-1], c.name)
			assert.Positive(t, c.table)
			assert.Positive(t, c.column)
		}
	})
}
