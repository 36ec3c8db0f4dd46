package pgparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/pgparse"
)

func TestATextIsCutIntoItsStatements(t *testing.T) {
	t.Parallel()
	sql := "-- first\nselect 'a;b' ;\n\n update notes set body = $$x;$$ where id = 1"
	list, err := pgparse.Parse(sql)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "-- first\nselect 'a;b'", list[0].Text)
	assert.NotNil(t, list[0].Node.GetSelectStmt())
	assert.Equal(t, "update notes set body = $$x;$$ where id = 1", list[1].Text)
	assert.NotNil(t, list[1].Node.GetUpdateStmt())
	for _, s := range list {
		assert.Equal(t, s.Text, sql[s.Offset:s.Offset+len(s.Text)])
	}
}

func TestWhatIsNoSQLIsAnError(t *testing.T) {
	t.Parallel()
	_, err := pgparse.Parse("select from from")
	assert.ErrorContains(t, err, `syntax error at or near "from"`)
	list, err := pgparse.Parse(" -- nothing\n")
	require.NoError(t, err)
	assert.Empty(t, list)
}

func TestATreeIsWrittenAsSQLAgain(t *testing.T) {
	t.Parallel()
	list, err := pgparse.Parse("create policy p on notes using ((select auth.uid()) = owner); drop table x")
	require.NoError(t, err)
	text, err := pgparse.Deparse(list[0].Node, list[1].Node)
	require.NoError(t, err)
	assert.Equal(t, "CREATE POLICY p ON notes TO public USING ((SELECT auth.uid()) = owner);\nDROP TABLE x;\n", text)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"select 1; select 2", ";;", "/* x", "select $a$b$a$", "é;ü", "create function f() returns int begin atomic select 1; end; select 2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		list, err := pgparse.Parse(sql)
		if err != nil {
			return
		}
		for _, s := range list {
			assert.Equal(t, s.Text, sql[s.Offset:s.Offset+len(s.Text)])
			assert.NotNil(t, s.Node)
		}
	})
}
