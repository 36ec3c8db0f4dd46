package supascore_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/tasks"
)

// BenchmarkGrade grades the reference of a task with about fifteen tests on both
// paths. Beside the time it reports the processor time of this process and of all its
// servers, and how it is shared between the phases, each in milliseconds a candidate.
func BenchmarkGrade(b *testing.B) {
	g, task := newGrader(b), builtin(b, "T001")
	solution := tasks.NamedSQL{Name: "solution", SQL: task.Solution}
	_, err := g.Grade(b.Context(), task, solution, supascore.GradeOptions{})
	require.NoError(b, err)
	phases := map[string]float64{}
	before := processorTime(b)
	for b.Loop() {
		grade, err := g.Grade(b.Context(), task, solution, supascore.GradeOptions{})
		require.NoError(b, err)
		require.True(b, grade.Passed())
		for name, ms := range grade.MS {
			phases[name] += ms
		}
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms")
	for name, ms := range phases {
		b.ReportMetric(ms/float64(b.N), name+"-ms")
	}
	b.ReportMetric(float64(len(task.Tests)), "tests")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "gradings/s")
}

// BenchmarkGradeFloor makes a copy of the same database, opens a session in it and gives
// both up again: what PostgreSQL takes for a candidate about whom nothing is asked.
// On a loaded machine the share of BenchmarkGrade that is above it says more than times.
func BenchmarkGradeFloor(b *testing.B) {
	a, err := arena.New(arena.Config{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, a.Stop(context.Background())) })
	task := builtin(b, "T001")
	empty := func() {
		clone, err := a.Clone(b.Context(), arena.Setup{Schema: task.Schema, Seed: task.Seed})
		require.NoError(b, err)
		require.NoError(b, clone.Apply(b.Context(), "nothing", "select 1"))
		require.NoError(b, clone.Close(b.Context()))
	}
	empty()
	before := processorTime(b)
	for b.Loop() {
		empty()
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms")
}

// BenchmarkGradeOnAllCores grades as many candidates at a time as there are cores.
func BenchmarkGradeOnAllCores(b *testing.B) {
	a, err := arena.New(arena.Config{Clusters: runtime.GOMAXPROCS(0)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, a.Stop(context.Background())) })
	g, task := supascore.NewGrader(a), builtin(b, "T001")
	solution := tasks.NamedSQL{Name: "solution", SQL: task.Solution}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := g.Grade(b.Context(), task, solution, supascore.GradeOptions{}); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "gradings/s")
}

// processorTime is what this process and its descendants have used so far; 0 where
// /proc is not there to say.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	children := map[string][]string{}
	used := map[string]int64{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name of the program, in parentheses, may hold spaces.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		children[fields[1]] = append(children[fields[1]], entry.Name())
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			ticks, err := strconv.ParseInt(field, 10, 64)
			require.NoError(b, err)
			used[entry.Name()] += ticks
		}
	}
	var total int64
	for todo := []string{fmt.Sprint(syscall.Getpid())}; len(todo) > 0; todo = todo[1:] {
		total += used[todo[0]]
		todo = append(todo, children[todo[0]]...)
	}
	return time.Duration(total) * (time.Second / 100) // USER_HZ is 100 on every Linux
}
