package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/proc"
)

// helperEnv makes the test binary a parent that starts a child, prints its
// process id and waits to be killed; its value is the watchdog.
const helperEnv = "PROC_TEST_PARENT"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperEnv); mode != "" {
		os.Exit(parent(mode))
	}
	os.Exit(m.Run())
}

func parent(mode string) int {
	cfg := shell("trap '' TERM; echo started; while :; do sleep 0.05; done")
	cfg.StopSignal = syscall.SIGKILL
	if mode == "shell" {
		cfg.Watchdog = proc.WatchdogShell
	}
	p, err := proc.Start(context.Background(), cfg)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(p.PID())
	<-p.Done()
	return 0
}

func shell(script string) proc.Config {
	return proc.Config{Path: "/bin/sh", Args: []string{"-c", script}, Grace: 10 * time.Second}
}

func start(t *testing.T, cfg proc.Config) *proc.Process {
	t.Helper()
	p, err := proc.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	return p
}

func waitEnd(t *testing.T, p *proc.Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the child does not end")
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestAChildDiesWithAParentThatIsKilled(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"auto", "shell"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), helperEnv+"="+mode)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err, line)
			require.True(t, alive(pid), "the child runs while its parent does")

			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			assert.Eventually(t, func() bool { return !alive(pid) }, 20*time.Second, 10*time.Millisecond)
		})
	}
}

func TestStopSendsTheSignalAndWaits(t *testing.T) {
	t.Parallel()
	cfg := shell("trap 'echo got int; exit 0' INT; echo up; while :; do sleep 0.01; done")
	cfg.StopSignal = syscall.SIGINT
	p := start(t, cfg)
	require.Eventually(t, func() bool { return p.Tail(1) == "up" }, 20*time.Second, time.Millisecond)

	require.NoError(t, p.Stop(t.Context()))
	assert.Equal(t, "got int", p.Tail(1))
	assert.False(t, alive(p.PID()))
	assert.NoError(t, p.Err(), "a child that was stopped has no error")
}

func TestStopKillsAChildThatIgnoresTheSignal(t *testing.T) {
	t.Parallel()
	cfg := shell("trap '' TERM; echo up; while :; do sleep 0.01; done")
	cfg.Grace = 50 * time.Millisecond
	p := start(t, cfg)
	require.Eventually(t, func() bool { return p.Tail(1) == "up" }, 20*time.Second, time.Millisecond)

	err := p.Stop(t.Context())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "killed: did not end within 50ms")
	assert.False(t, alive(p.PID()))
}

func TestStopKillsAtOnceWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	p := start(t, shell("trap '' TERM; echo up; while :; do sleep 0.01; done"))
	require.Eventually(t, func() bool { return p.Tail(1) == "up" }, 20*time.Second, time.Millisecond)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no time"))

	err := p.Stop(ctx)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "no time")
	assert.False(t, alive(p.PID()))
}

func TestAChildThatEndsOnItsOwnSaysHow(t *testing.T) {
	t.Parallel()
	p := start(t, shell("echo one; echo two >&2; exit 3"))
	waitEnd(t, p)

	var exit *proc.ExitError
	require.ErrorAs(t, p.Err(), &exit)
	assert.Equal(t, 3, exit.State.ExitCode())
	assert.Equal(t, "one\ntwo", exit.Tail)
	assert.Equal(t, "sh ended: exit status 3; last output:\none\ntwo", exit.Error())
	assert.NoError(t, p.Stop(t.Context()), "there is nothing left to stop")
}

func TestAChildThatEndsWellOnItsOwnIsAnErrorToo(t *testing.T) {
	t.Parallel()
	p := start(t, shell("exit 0"))
	waitEnd(t, p)
	assert.EqualError(t, p.Err(), "sh ended: exit status 0")
	assert.True(t, p.State().Success())
}

func TestOnlyTheEndOfTheOutputIsKept(t *testing.T) {
	t.Parallel()
	cfg := shell("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done")
	cfg.TailBytes = 1000
	p := start(t, cfg)
	waitEnd(t, p)

	assert.LessOrEqual(t, len(p.Output()), 2*1000)
	assert.True(t, strings.HasPrefix(p.Output(), "line "), "cut at a line: %.20q", p.Output())
	assert.Equal(t, "line 1998\nline 1999", p.Tail(2))
}

func TestTheEndDoesNotWaitForGrandchildren(t *testing.T) {
	t.Parallel()
	p := start(t, shell("sleep 60 & echo $!; exit 0"))
	waitEnd(t, p)
	pid, err := strconv.Atoi(p.Tail(1))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestStartRefusesWhatItCannotRun(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]proc.Config{
		"a relative path":  {Path: "sh"},
		"a missing file":   {Path: "/does/not/exist"},
		"a negative grace": {Path: "/bin/sh", Grace: -1},
		"a negative tail":  {Path: "/bin/sh", TailBytes: -1},
		"a missing folder": {Path: "/bin/sh", Dir: "/does/not/exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := proc.Start(t.Context(), cfg)
			assert.Error(t, err)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := proc.Start(ctx, shell("exit 0"))
	assert.ErrorIs(t, err, context.Canceled)
}

// TestStartAndStopUnderStress stops from many goroutines at once, sometimes
// before the child has done anything, and expects every child to be gone.
func TestStartAndStopUnderStress(t *testing.T) {
	t.Parallel()
	for round := range 10 {
		cfg := shell("while :; do sleep 0.01; done")
		if round%2 == 1 {
			cfg.Watchdog = proc.WatchdogShell
		}
		p, err := proc.Start(t.Context(), cfg)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				assert.NoError(t, p.Stop(t.Context()))
				_ = p.Tail(3)
				assert.NoError(t, p.Err())
			})
		}
		wg.Wait()
		assert.False(t, alive(p.PID()))
	}
}
