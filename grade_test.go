package supascore_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/tasks"
)

// newGrader is a grader with an arena of its own, stopped when the test ends.
func newGrader(t testing.TB) *supascore.Grader {
	t.Helper()
	a, err := arena.New(arena.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return supascore.NewGrader(a)
}

// builtin is one of the tasks that come along.
func builtin(t testing.TB, id string) *tasks.Task {
	t.Helper()
	list, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	for _, task := range list {
		if task.ID == id {
			return task
		}
	}
	require.Fail(t, "no task "+id)
	return nil
}

func TestTheReferenceAndTheWrongAnswersOfATaskGetTheirVerdictsOnBothPaths(t *testing.T) {
	t.Parallel()
	g, task := newGrader(t), builtin(t, "T002")
	traps := map[string]string{}
	for _, trap := range task.TrapFiles {
		traps[trap.Name] = trap.SQL
	}
	for name, want := range map[string]struct {
		sql     string
		verdict score.Verdict
		failing []string
	}{
		"reference":              {sql: task.Solution, verdict: score.Pass},
		"everything-but-private": {sql: traps["everything-but-private"], verdict: score.Leak, failing: []string{"t01", "t03", "t04", "t05"}},
		"own-only":               {sql: traps["own-only"], verdict: score.Block, failing: []string{"t01", "t02", "t03"}},
		"broken":                 {sql: "alter table recipes enable row level security;\n select nothing from recipes", verdict: score.Error},
	} {
		grade, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: name, SQL: want.sql}, supascore.GradeOptions{})
		require.NoError(t, err)
		assert.Equal(t, want.verdict, grade.Verdict, name)
		if grade.Grades == nil {
			assert.Equal(t, "42703", grade.Apply.SQLState)
			assert.Contains(t, grade.Reason, `broken:2:9: column "nothing" does not exist`)
			continue
		}
		var failing []string
		for _, test := range grade.Grades.Tests {
			require.Len(t, test.Findings, 2, "both paths")
			if test.Verdict != score.Pass {
				failing = append(failing, test.ID)
				for _, finding := range test.Findings {
					assert.Equal(t, want.verdict, finding.Verdict, "%s %s by %s", name, test.ID, finding.Path)
				}
			}
		}
		assert.Equal(t, want.failing, failing, name)
	}
}

func TestUsersReallySignInWhenAskedTo(t *testing.T) {
	t.Parallel()
	task := notesTask(t, map[string]string{"tests.yaml": `users:
  alice: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000a"}
  boss: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000c", app_metadata: {boss: true}}
  quick: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000b"}
  careful: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000b", aal: aal2}
  guest: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000d", is_anonymous: true}
  organised: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000e", claims: {org: 7}}
  clone: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000a", app_metadata: {boss: true}}
tests:
  - {as: alice, rules: [R1], query: "select id from notes", expect: {rows: [[1]]}}
  - {as: alice, rules: [R1], query: "select auth.email() is not null", expect: {rows: [[true]]}}
  - {as: alice, rules: [R1], query: "select auth.jwt() ? 'session_id' and auth.jwt() ->> 'iss' like '%/auth/v1'", expect: {rows: [[true]]}}
  - {as: boss, rules: [R1], query: "select id from notes", expect: {rows: []}}
  - {as: boss, rules: [R2], query: "select auth.jwt() -> 'app_metadata' -> 'boss'", expect: {rows: [[true]]}}
  - {as: quick, rules: [R2], query: "select auth.jwt() ->> 'aal'", expect: {rows: [[aal1]]}}
  - {as: careful, rules: [R2], query: "select auth.jwt() ->> 'aal', (auth.jwt() -> 'amr')::text like '%totp%'", expect: {rows: [[aal2, true]]}}
  - {as: guest, rules: [R2], query: "select auth.jwt() -> 'is_anonymous'", expect: {rows: [[true]]}}
  - {as: organised, rules: [R2], query: "select auth.jwt() -> 'org'", expect: {rows: [[7]]}}
  - {as: clone, rules: [R2], query: "select auth.jwt() -> 'app_metadata' -> 'boss'", expect: {rows: [[true]]}}
  - {as: service_role, rules: [R2], query: "select auth.role()", expect: {rows: [[service_role]]}}
`})
	candidate := tasks.NamedSQL{Name: "reference", SQL: task.Solution}
	for _, g := range []*supascore.Grader{newGrader(t), apartGrader(t)} {
		grade, err := g.Grade(t.Context(), task, candidate, supascore.GradeOptions{
			RealSignIn: true, Paths: []probes.RLSPath{probes.RLSPathAPI},
		})
		require.NoError(t, err)
		assert.Equal(t, score.Pass, grade.Verdict, wordsOf(grade))
		signed := map[string]string{}
		for _, test := range grade.Grades.Tests {
			if test.SignedToken != "" {
				signed[test.User] = test.SignedToken
			}
		}
		assert.Equal(t, map[string]string{
			"guest":     "Auth gives anonymous users ids of its own choice",
			"organised": "signing in does not give the claim org",
			"clone":     "another user of the tests has the same id and other claims",
		}, signed, "everybody else has a token of Auth's")
	}
}
