package supascore_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/tasks"
)

// realPrograms are the real servers that the environment names; without PostgREST the
// test is skipped.
func realPrograms(t *testing.T) native.Programs {
	t.Helper()
	var programs native.Programs
	for variable, program := range map[string]*native.Program{native.EnvPostgREST: &programs.PostgREST, native.EnvAuth: &programs.Auth} {
		path := os.Getenv(variable)
		if path == "" {
			t.Skipf("%s names no real server", variable)
		}
		abs, err := filepath.Abs(path)
		require.NoError(t, err)
		program.Path = abs
	}
	return programs
}

// nativeGrader grades on the real servers.
func nativeGrader(t *testing.T) *supascore.Grader {
	t.Helper()
	a, err := arena.New(arena.Config{Engine: arena.Native{Programs: realPrograms(t)}, Clusters: 2})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return supascore.NewGrader(a)
}

// realTasks are the tasks that are graded on the real servers: one of each tier, or those
// that the environment names, such as "T001,T029" or "all".
func realTasks(t *testing.T) []*tasks.Task {
	t.Helper()
	names := cmp.Or(os.Getenv("SUPASCORE_REAL_TASKS"), "T001,T016,T030")
	var list []*tasks.Task
	all, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	for _, task := range all {
		if names == "all" || strings.Contains(","+names+",", ","+task.ID+",") {
			list = append(list, task)
		}
	}
	require.NotEmpty(t, list, "no task is called one of %s", names)
	return list
}

// verdictsOf are a grade's verdicts by test and path, and of each path that differs the
// cause.
func verdictsOf(grade *supascore.TaskGrade) map[string]string {
	verdicts := map[string]string{"candidate": string(grade.Verdict)}
	if grade.Grades == nil {
		return verdicts
	}
	for _, test := range grade.Grades.Tests {
		for _, finding := range test.Findings {
			verdicts[test.ID+" by "+string(finding.Path)] = string(finding.Verdict) + " " + volatile.ReplaceAllString(finding.Note, "*")
		}
		if test.Difference != nil {
			verdicts[test.ID+" differs"] = string(test.Difference.Cause)
		}
	}
	return verdicts
}

func TestTheRealServersGiveTheVerdictsOfTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	real, embedded := nativeGrader(t), newGrader(t)
	for _, task := range realTasks(t) {
		for _, candidate := range answersOf(task) {
			on := map[*supascore.Grader]*supascore.TaskGrade{}
			for _, g := range []*supascore.Grader{real, embedded} {
				var err error
				on[g], err = g.Grade(t.Context(), task, candidate, supascore.GradeOptions{KeepRun: true})
				require.NoError(t, err, "%s %s", task.ID, candidate.Name)
			}
			assert.Equal(t, verdictsOf(on[embedded]), verdictsOf(on[real]), "%s %s", task.ID, candidate.Name)
			assert.Equal(t, "native", on[real].Engine)
			if on[real].Run == nil {
				continue
			}
			for i, seen := range on[embedded].Run.Observations {
				assert.Equal(t, steady(seen), steady(on[real].Run.Observations[i]), "%s %s", task.ID, candidate.Name)
			}
			assert.Regexp(t, `^\d+\.\d+`, on[real].PostgREST)
		}
	}
}

func TestUsersSignInToTheAuthOfTheRealServers(t *testing.T) {
	t.Parallel()
	real := nativeGrader(t)
	for _, task := range realTasks(t) {
		grade, err := real.Grade(t.Context(), task, tasks.NamedSQL{Name: "solution.sql", SQL: task.Solution},
			supascore.GradeOptions{RealSignIn: true})
		require.NoError(t, err, task.ID)
		assert.Equal(t, score.Pass, grade.Verdict, "%s: %v", task.ID, verdictsOf(grade))
		assert.NotEmpty(t, grade.Auth)
	}
}

func TestTasksAreSoundOnTheRealServers(t *testing.T) {
	t.Parallel()
	real := nativeGrader(t)
	for _, task := range realTasks(t) {
		t.Run(task.ID, func(t *testing.T) {
			t.Parallel()
			// Servers for each of some hundred mutants take minutes.
			plain := task.Tier > 1 && os.Getenv("SUPASCORE_REAL_TASKS") == ""
			v, err := real.Validate(t.Context(), task, supascore.ValidateOptions{NoMutants: plain})
			require.NoError(t, err)
			assert.True(t, v.Accepted, "%+v", v.Demands)
			assert.Regexp(t, `^native engine, PostgREST \d+\.\d+, postgres \d+`, v.By)
			for _, trap := range v.Traps {
				assert.False(t, trap.Missed(), trap.Name)
			}
			assert.Equal(t, plain, len(v.Mutants) == 0)
		})
	}
}
