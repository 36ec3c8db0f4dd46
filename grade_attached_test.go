package supascore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/attach/ground"
	"github.com/supascore/supascore/tasks"
)

// runningStack is the place of a stack of an empty project, as somebody else's; it runs
// until the test ends.
func runningStack(t testing.TB, cfg stack.Config) attach.Place {
	t.Helper()
	cfg.Workspace = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(cfg.Workspace, "supabase"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Workspace, "supabase", "config.toml"), []byte("project_id = \"attached\"\n"), 0o600))
	s, err := stack.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	e := s.Endpoints()
	place, err := attach.Place{APIURL: e.APIURL, DBURL: e.DBURL, Keys: e.Keys}.Complete()
	require.NoError(t, err)
	return place
}

// attachedGrader is a grader on a running stack.
func attachedGrader(t testing.TB, place attach.Place, limits arena.Limits) *supascore.Grader {
	t.Helper()
	g, err := ground.Open(t.Context(), ground.Config{Place: place, Limits: limits})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.Background())) })
	return supascore.NewAttachedGrader(g)
}

// runName is the function's name that is another one for each candidate.
var runName = regexp.MustCompile(`run_[0-9a-f]{8}`)

// unordered are a grade's verdicts, with rows that nobody has ordered in an order of their
// own: rows that were put back may lie in another one.
func unordered(grade *supascore.TaskGrade) map[string]string {
	verdicts := verdictsOf(grade)
	for what, words := range verdicts {
		head, rows, found := strings.Cut(words, ": ")
		if list := strings.Split(rows, ": "); found {
			parts := strings.Split(list[len(list)-1], "; ")
			slices.Sort(parts)
			list[len(list)-1] = strings.Join(parts, "; ")
			verdicts[what] = head + ": " + strings.Join(list, ": ")
		}
	}
	return verdicts
}

// onClone is an observation as it would be on a clone.
func onClone(o probes.RLSObservation) probes.RLSObservation {
	o = steady(o)
	if o.Result != nil && !o.Statement.Ordered {
		result := *o.Result
		result.Rows = slices.Clone(result.Rows)
		slices.SortFunc(result.Rows, func(a, b []any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		o.Result = &result
	}
	o.Sent = runName.ReplaceAllString(o.Sent, "run")
	if o.Answer != nil {
		answer := *o.Answer
		answer.Path = runName.ReplaceAllString(answer.Path, "run")
		o.Answer = &answer
	}
	return o
}

// agree grades the references and the traps of tasks on both graders and compares all
// that is seen and judged.
func agree(t *testing.T, attached *supascore.Grader) {
	t.Helper()
	embedded := newGrader(t)
	for _, task := range realTasks(t) {
		for _, candidate := range answersOf(task)[:1+len(task.TrapFiles)] {
			want, err := embedded.Grade(t.Context(), task, candidate, supascore.GradeOptions{KeepRun: true})
			require.NoError(t, err, "%s %s", task.ID, candidate.Name)
			got, err := attached.Grade(t.Context(), task, candidate, supascore.GradeOptions{KeepRun: true})
			require.NoError(t, err, "%s %s", task.ID, candidate.Name)
			assert.Equal(t, unordered(want), unordered(got), "%s %s", task.ID, candidate.Name)
			assert.Equal(t, want.Changes, got.Changes, "%s %s", task.ID, candidate.Name)
			assert.Equal(t, "attach", got.Engine)
			t.Log(task.ID, candidate.Name, got.MS)
			if want.Run == nil || got.Run == nil {
				assert.Equal(t, want.Run, got.Run)
				continue
			}
			for i, seen := range want.Run.Observations {
				assert.Equal(t, onClone(seen), onClone(got.Run.Observations[i]), "%s %s", task.ID, candidate.Name)
			}
		}
	}
}

func TestARunningStackOfTheRealServersGivesTheVerdictsOfTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	programs := realPrograms(t)
	agree(t, attachedGrader(t, runningStack(t, stack.Config{
		Engine: stack.EngineNative, PostgREST: programs.PostgREST.Path, AuthServer: programs.Auth.Path,
	}), arena.Limits{}))
}

func TestARunningStackGivesTheVerdictsOfTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	agree(t, attachedGrader(t, runningStack(t, stack.Config{Engine: stack.EngineEmbedded}), arena.Limits{}))
}

func TestAHostileCandidateLeavesARunningStackAsItWas(t *testing.T) {
	t.Parallel()
	place := runningStack(t, stack.Config{Engine: stack.EngineEmbedded})
	g := attachedGrader(t, place, arena.Limits{Statement: 2 * time.Second, Apply: 4 * time.Second, Request: 3 * time.Second})
	task := notesTask(t, nil)
	names := []string{
		"sleeps without a limit", "runs a program", "replaces auth.uid", "makes a role", "changes the seed", "blinds the grader", "prepares a transaction",
		"keeps its transaction open", "switches policies off", "a policy forges claims", "a helper becomes the service role",
		"a helper lifts the time limit and sleeps", "a helper loops without a limit", "a helper cannot be cancelled", "a trigger waits at the end",
	}
	for _, h := range slices.Concat(hostiles(), hostilePolicies()) {
		if !slices.Contains(names, h.name) {
			continue
		}
		sql := strings.ReplaceAll(h.sql, "{solution}", task.Solution)
		grade, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: h.name, SQL: sql}, supascore.GradeOptions{})
		require.NoError(t, err, h.name)
		want := h.verdict
		if h.name == "makes a role" { // which the owner of a project may do
			want = score.Block
		}
		assert.Equal(t, want, grade.Verdict, "%s: %s", h.name, wordsOf(grade))
	}
	for _, signIn := range []bool{true, false} { // who has signed in is not there for the next one
		next, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: "next", SQL: task.Solution}, supascore.GradeOptions{RealSignIn: signIn})
		require.NoError(t, err)
		assert.Equal(t, score.Pass, next.Verdict, wordsOf(next))
		assert.Empty(t, next.Changes)
	}
}
