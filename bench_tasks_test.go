package supascore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/scorers/stats"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/samples"
)

// scripted is a grader whose verdict is the candidate's text. before may break a
// grading.
type scripted struct {
	before func(n int) error

	mu     sync.Mutex
	graded []string
}

func (s *scripted) Grade(_ context.Context, task *tasks.Task, candidate tasks.NamedSQL, _ supascore.GradeOptions) (*supascore.TaskGrade, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.graded = append(s.graded, task.ID+" "+candidate.SQL)
	if s.before != nil {
		if err := s.before(len(s.graded)); err != nil {
			return nil, err
		}
	}
	verdict := score.Verdict(strings.Fields(candidate.SQL)[0])
	return &supascore.TaskGrade{
		Task: task.ID, TaskHash: task.Hash, CandidateHash: samples.PromptHash(candidate.SQL), Verdict: verdict, Postgres: "15.1",
		Grades: &score.Grades{Verdict: verdict, Tests: []score.TestGrade{{ID: "t01", Verdict: verdict}, {ID: "t02", Verdict: score.Pass}}},
		MS:     map[string]float64{"clone": 10},
	}, nil
}

// benchTasks are tasks of tiers 1 to 3.
func benchTasks(n int) []*tasks.Task {
	var list []*tasks.Task
	for i := range n {
		id := fmt.Sprintf("T%03d", i+1)
		list = append(list, &tasks.Task{ID: id, Tier: 1 + i%3, Hash: "hash of " + id, Requirement: "R1. " + id})
	}
	return list
}

func benchSample(model, task string, number int, sql string) samples.Sample {
	return samples.Sample{Model: model, Task: task, Number: number, SQL: sql}
}

func benchConfig(t *testing.T, grader supascore.TaskGrader, list []samples.Sample) supascore.BenchConfig {
	t.Helper()
	return supascore.BenchConfig{
		Grader: grader, Tasks: benchTasks(3), Samples: list, Journal: filepath.Join(t.TempDir(), "gradings.jsonl"), Parallel: 1,
	}
}

func TestABenchmarkSumsUpEveryModelByTaskAndTier(t *testing.T) {
	t.Parallel()
	var list []samples.Sample
	for n := 1; n <= 5; n++ {
		list = append(list,
			benchSample("good", "T001", n, "pass"), benchSample("good", "T002", n, "pass"),
			benchSample("bad", "T001", n, "leak"), benchSample("bad", "T003", n, map[bool]string{true: "pass", false: "block"}[n == 1]))
	}
	list = append(list, benchSample("bad", "T002", 1, "error"))
	list[0].Prompt = "another"
	grader := &scripted{}
	report, err := supascore.BenchTasks(t.Context(), benchConfig(t, grader, list))
	require.NoError(t, err)
	assert.Equal(t, 21, report.Samples)
	assert.Equal(t, 6, report.Candidates, "the same text on the same task is one candidate")
	assert.Len(t, grader.graded, 6)
	assert.Equal(t, 6, report.Graded)
	assert.Zero(t, report.Kept+report.Ungraded)
	assert.Equal(t, 1, report.Stale)
	assert.Equal(t, "15.1", report.Postgres)
	assert.InDelta(t, 10, report.Phases["clone"], 1e-9)
	assert.Positive(t, report.PerSecond)

	require.Len(t, report.Models, 2)
	good, bad := report.Models[0], report.Models[1]
	assert.Equal(t, "good", good.Model)
	assert.Equal(t, 2, report.Coverage("good"))
	assert.InDelta(t, 1, good.Pass1.Value, 1e-12)
	assert.Equal(t, 3, report.Coverage("bad"))
	assert.InDelta(t, 0.2/3, bad.Pass1.Value, 1e-12)
	assert.InDelta(t, 0.5, bad.Pass5.Value, 1e-12, "one task of the two with five samples")
	assert.InDelta(t, 1.0/3, bad.Leak.Value, 1e-12)
	assert.InDelta(t, 0.8/3, bad.Block.Value, 1e-12)
	assert.InDelta(t, 0.2, bad.Tiers[3].Pass1.Value, 1e-12)

	require.Len(t, report.Results, 21)
	assert.Equal(t, supascore.BenchResult{
		Model: "bad", Task: "T001", Sample: 1, Verdict: score.Leak, Failed: map[string]score.Verdict{"t01": score.Leak},
	}, report.Results[0])
}

func TestABenchmarkGoesOnWhereAnotherWasKilledAndGradesNothingTwice(t *testing.T) {
	t.Parallel()
	var list []samples.Sample
	for n := 1; n <= 4; n++ {
		list = append(list, benchSample("m", "T001", n, fmt.Sprintf("pass %d", n)))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	killed := errors.New("killed")
	first := &scripted{before: func(n int) error {
		if n == 3 {
			cancel(killed)
			return context.Canceled
		}
		return nil
	}}
	cfg := benchConfig(t, first, list)
	report, err := supascore.BenchTasks(ctx, cfg)
	require.ErrorIs(t, err, killed)
	assert.Equal(t, 2, report.Graded)
	assert.Equal(t, 2, report.Ungraded)
	assert.Empty(t, report.Broken)
	assert.Len(t, report.Results, 2)

	// The last line is torn.
	text, err := os.ReadFile(cfg.Journal)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cfg.Journal, text[:len(text)-9], 0o644))

	second := &scripted{}
	cfg.Grader = second
	report, err = supascore.BenchTasks(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, []string{"T001 pass 2", "T001 pass 3", "T001 pass 4"}, second.graded)
	assert.Equal(t, 1, report.Kept)
	assert.Equal(t, 3, report.Graded)
	assert.Len(t, report.Results, 4)

	third := &scripted{}
	cfg.Grader = third
	again, err := supascore.BenchTasks(t.Context(), cfg)
	require.NoError(t, err)
	assert.Empty(t, third.graded)
	assert.Equal(t, report.Models, again.Models)
	assert.Equal(t, report.Results, again.Results)
}

func TestOtherSettingsOrAnotherTextOfATaskAreGradedAnew(t *testing.T) {
	t.Parallel()
	grader := &scripted{}
	cfg := benchConfig(t, grader, []samples.Sample{benchSample("m", "T001", 1, "pass")})
	run := func() {
		_, err := supascore.BenchTasks(t.Context(), cfg)
		require.NoError(t, err)
	}
	run()
	cfg.Options.Readings = tasks.Readings{Count: tasks.CountRows}
	run()
	expose := true
	cfg.Options.Expose = &expose
	run()
	cfg.Tasks[0].Hash = "edited"
	run()
	assert.Len(t, grader.graded, 4)
	run()
	assert.Len(t, grader.graded, 4)
}

func TestAGradingThatBreaksIsNobodysFaultAndIsTriedAgainInTheNextRun(t *testing.T) {
	t.Parallel()
	grader := &scripted{before: func(n int) error {
		if n == 2 {
			return errors.New("the disk is full")
		}
		return nil
	}}
	cfg := benchConfig(t, grader, []samples.Sample{
		benchSample("m", "T001", 1, "pass"), benchSample("m", "T002", 1, "leak"), benchSample("n", "T002", 7, "leak"), benchSample("m", "T003", 1, "block"),
	})
	report, err := supascore.BenchTasks(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, []supascore.BrokenGrading{
		{Model: "m", Task: "T002", Sample: 1, Error: "the disk is full"}, {Model: "n", Task: "T002", Sample: 7, Error: "the disk is full"},
	}, report.Broken)
	assert.Equal(t, 1, report.Ungraded)
	require.Len(t, report.Models, 1)
	assert.InDelta(t, 0, report.Models[0].Leak.Value, 1e-12)
	report, err = supascore.BenchTasks(t.Context(), cfg)
	require.NoError(t, err)
	assert.Empty(t, report.Broken)
	assert.Equal(t, 1, report.Graded)
	assert.Len(t, report.Models, 2)
}

func TestABenchmarkGivesUpWhenEverythingBreaks(t *testing.T) {
	t.Parallel()
	grader := &scripted{before: func(int) error { return errors.New("no server") }}
	var list []samples.Sample
	for n := 1; n <= 20; n++ {
		list = append(list, benchSample("m", "T001", n, fmt.Sprintf("pass %d", n)))
	}
	report, err := supascore.BenchTasks(t.Context(), benchConfig(t, grader, list))
	require.ErrorContains(t, err, "5 gradings broke one after the other: no server")
	assert.Less(t, len(grader.graded), 10)
	assert.Equal(t, 20, report.Ungraded)
}

func TestABenchmarkThatCannotBeginSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := supascore.BenchTasks(t.Context(), supascore.BenchConfig{Parallel: -1})
	require.ErrorContains(t, err, "a benchmark needs a grader, a journal, tasks and samples")
	require.ErrorContains(t, err, "-1 candidates cannot be graded at once")
	cfg := benchConfig(t, &scripted{}, []samples.Sample{benchSample("m", "T999", 1, "pass")})
	_, err = supascore.BenchTasks(t.Context(), cfg)
	var unknown *tasks.UnknownTaskError
	require.ErrorAs(t, err, &unknown)
	cfg = benchConfig(t, &scripted{}, []samples.Sample{benchSample("m", "T001", 1, "pass"), benchSample("m", "T001", 1, "leak")})
	_, err = supascore.BenchTasks(t.Context(), cfg)
	var twice *samples.Error
	assert.ErrorAs(t, err, &twice)
	cfg = benchConfig(t, &scripted{}, []samples.Sample{benchSample("m", "T001", 1, "pass")})
	cfg.Stats = stats.Config{Level: 2}
	_, err = supascore.BenchTasks(t.Context(), cfg)
	assert.ErrorContains(t, err, "level between 0 and 1")
}

func TestABenchmarkGradesOnRealDatabasesSideBySide(t *testing.T) {
	t.Parallel()
	g, task := newGrader(t), notesTask(t, nil)
	list := []samples.Sample{benchSample("reference", task.ID, 1, task.Solution), benchSample("nothing", task.ID, 1, "")}
	for _, trap := range task.TrapFiles {
		list = append(list, benchSample("trap "+trap.Name, task.ID, 1, trap.SQL))
	}
	list = append(list, benchSample("typo", task.ID, 1, "creat policy"))
	cfg := supascore.BenchConfig{
		Grader: g, Tasks: []*tasks.Task{task}, Samples: list, Journal: filepath.Join(t.TempDir(), "j"), Parallel: 2,
	}
	report, err := supascore.BenchTasks(t.Context(), cfg)
	require.NoError(t, err)
	assert.Empty(t, report.Broken)
	got := map[string]score.Verdict{}
	for _, r := range report.Results {
		got[r.Model] = r.Verdict
	}
	assert.Equal(t, map[string]score.Verdict{
		"reference": score.Pass, "nothing": score.Block, "trap no-rls": score.Leak, "trap add-any": score.Leak, "typo": score.Error,
	}, got)
	assert.Positive(t, report.Phases["sql"])
	assert.Positive(t, report.Phases["api"])
}
