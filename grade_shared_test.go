package supascore_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

func TestACandidateInASharedCopyGetsTheGradeThatItGetsInItsOwn(t *testing.T) {
	t.Parallel()
	all, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	g := newGrader(t)
	for i, task := range all {
		candidates := []tasks.NamedSQL{{Name: "solution", SQL: task.Solution}}
		candidates = append(candidates, supascore.Baselines()[i%3])
		for j, trap := range task.TrapFiles {
			if j%3 == i%3 { // all of them take minutes
				candidates = append(candidates, trap)
			}
		}
		for _, candidate := range candidates {
			own, err := g.Grade(t.Context(), task, candidate, supascore.GradeOptions{OwnCopy: true, KeepRun: true})
			require.NoError(t, err)
			assert.False(t, own.Shared)
			shared, err := g.Grade(t.Context(), task, candidate, supascore.GradeOptions{KeepRun: true})
			require.NoError(t, err)
			assert.True(t, shared.Shared || candidate.Name != "solution", "%s: the reference shares a copy", task.ID)
			assert.Equal(t, timeless(t, own), timeless(t, shared), "%s %s", task.ID, candidate.Name)
		}
	}
}

func TestACandidateThatTurnsOutToNeedItsOwnCopyGetsOne(t *testing.T) {
	t.Parallel()
	g, task := newGrader(t), notesTask(t, nil)
	for name, sql := range map[string]string{
		"renames a table":     "alter table notes rename to letters;",
		"brings a table":      "create schema mine create table helpers (id int);",
		"controls a database": "commit; select 1;",
	} {
		grade, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: name, SQL: task.Solution + sql}, supascore.GradeOptions{})
		require.NoError(t, err, name)
		assert.False(t, grade.Shared, name)
		assert.NotNil(t, grade.Grades, "%s: %s", name, grade.Reason)
		next, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: "next", SQL: task.Solution}, supascore.GradeOptions{})
		require.NoError(t, err, name)
		assert.True(t, next.Shared, name)
		assert.Equal(t, score.Pass, next.Verdict, "after a candidate that %s: %s", name, wordsOf(next))
	}
}

func TestResettingTheRoleGivesNobodyTheOwnersRights(t *testing.T) {
	t.Parallel()
	g := newGrader(t)
	task := notesTask(t, map[string]string{"tests.yaml": `users:
  alice: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000a"}
tests:
  - {id: t01, as: alice, rules: [R1], query: "select id from everything()", expect: {denied: true, sqlstate: "42501"}}
`})
	const function = `alter table notes enable row level security; revoke all on notes from public, anon, authenticated;
		create function everything() returns setof notes language plpgsql as $$ begin reset role; return query select * from notes; end $$;`
	for _, own := range []bool{true, false} {
		grade, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: "resets", SQL: function}, supascore.GradeOptions{OwnCopy: own})
		require.NoError(t, err)
		assert.Equal(t, score.Pass, grade.Verdict, "own copy %t: %s", own, wordsOf(grade))
	}
}

// timeless is a grade as JSON without what differs from one run to the next.
func timeless(t *testing.T, grade *supascore.TaskGrade) string {
	t.Helper()
	grade.MS, grade.Shared = nil, false
	text, err := json.MarshalIndent(grade, "", " ")
	require.NoError(t, err)
	return timePattern.ReplaceAllString(string(text), "")
}

// timePattern finds the fields of a grade that hold times.
var timePattern = regexp.MustCompile(`(?m)^ *"(ms|started|Started|MS)": .*\n`)
