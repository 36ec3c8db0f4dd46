package supascore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/scorers"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/postgres"
)

// benchFolder is the worked example of the eval, unpacked.
func benchFolder(b *testing.B) string {
	b.Helper()
	f, err := fixtures.Get(rbac, "hook-on")
	require.NoError(b, err)
	dir := filepath.Join(b.TempDir(), "hook-on")
	require.NoError(b, f.Unpack(dir))
	return dir
}

// reportPhases reports each phase's mean time in milliseconds.
func reportPhases(b *testing.B, sums map[string]time.Duration) {
	b.Helper()
	for name, sum := range sums {
		b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), name+"-ms")
	}
}

// BenchmarkBoot is a workspace to a stack that is ready, with the cluster image
// cached. The floor is a bare Postgres on a copy of the same image; "x-floor" says
// how much more a whole stack costs.
func BenchmarkBoot(b *testing.B) {
	dir := benchFolder(b)
	var floor, whole time.Duration
	sums := map[string]time.Duration{}
	for b.Loop() {
		began := time.Now()
		server, err := postgres.Start(b.Context(), postgres.Config{})
		require.NoError(b, err)
		floor += time.Since(began)
		require.NoError(b, server.Stop(b.Context()))

		began = time.Now()
		s, err := stack.Start(b.Context(), stack.Config{Workspace: dir})
		require.NoError(b, err)
		whole += time.Since(began)
		for _, p := range s.Phases() {
			sums[p.Name] += p.Elapsed
		}
		require.NoError(b, s.Stop(b.Context()))
	}
	b.ReportMetric(whole.Seconds()*1000/float64(b.N), "boot-ms")
	b.ReportMetric(floor.Seconds()*1000/float64(b.N), "floor-ms")
	b.ReportMetric(whole.Seconds()/floor.Seconds(), "x-floor")
	reportPhases(b, sums)
}

// BenchmarkEvalRun is one whole `eval run` in process: boot, people, probes,
// verdict, stop.
func BenchmarkEvalRun(b *testing.B) {
	e, err := evals.Find(evals.Builtin(), rbac, scorers.Library{})
	require.NoError(b, err)
	dir := benchFolder(b)
	sums := map[string]time.Duration{}
	for b.Loop() {
		result, err := supascore.Score(b.Context(), supascore.ScoreConfig{Eval: e, Workspace: dir})
		require.NoError(b, err)
		require.True(b, result.Passed)
		for _, p := range result.Phases {
			sums[p.Name] += time.Duration(p.MS * float64(time.Millisecond))
		}
	}
	reportPhases(b, sums)
}

// program builds the command once for the benchmarks that measure processes.
func program(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "supascore")
	out, err := exec.CommandContext(b.Context(), "go", "build", "-o", path, "./cmd/supascore").CombinedOutput()
	require.NoError(b, err, string(out))
	return path
}

// BenchmarkProcess is `supascore eval run` as a user waits for it, from the start of
// the process to its end.
func BenchmarkProcess(b *testing.B) {
	path, dir := program(b), benchFolder(b)
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), path, "eval", "run", rbac, "--workspace", dir).CombinedOutput()
		require.NoError(b, err, string(out))
	}
}

// BenchmarkFirstRun is the first run on a machine that has Postgres and nothing of
// ours: the cluster image is built too.
func BenchmarkFirstRun(b *testing.B) {
	path, dir := program(b), benchFolder(b)
	for i := 0; b.Loop(); i++ {
		// Not b.TempDir: the server's user has to be able to enter the folder.
		cache, err := os.MkdirTemp("/tmp", "supascore-bench-")
		require.NoError(b, err)
		require.NoError(b, os.Chmod(cache, 0o755)) //nolint:gosec // the server's user passes through
		cmd := exec.CommandContext(b.Context(), path, "eval", "run", rbac, "--workspace", dir)
		cmd.Env = append(os.Environ(), "SUPASCORE_CACHE_DIR="+cache)
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, string(out))
		require.NoError(b, os.RemoveAll(cache))
	}
}

// BenchmarkIdleMemory is the resident memory of the process that serves one idle
// stack, Postgres apart, in MiB.
func BenchmarkIdleMemory(b *testing.B) {
	path, dir := program(b), benchFolder(b)
	var sum float64
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), path, "stack", "start", "--workspace", dir, "--random-ports").CombinedOutput()
		require.NoError(b, err, string(out))
		var state struct{ PID int }
		text, err := exec.CommandContext(b.Context(), path, "stack", "status", "--workspace", dir, "--output", "json").Output()
		require.NoError(b, err)
		require.NoError(b, json.NewDecoder(bytes.NewReader(text)).Decode(&state))
		sum += residentMiB(b, state.PID)
		require.NoError(b, exec.CommandContext(context.WithoutCancel(b.Context()), path, "stack", "stop", "--workspace", dir).Run())
	}
	b.ReportMetric(sum/float64(b.N), "MiB")
}

func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("needs /proc: %s", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			require.NoError(b, err)
			return kib / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
