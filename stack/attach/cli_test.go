package attach_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
)

// program writes a shell script and returns its path. Another process writes it: one of
// ours that forks meanwhile would keep the file open, and a file that is open for
// writing cannot be run.
func program(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	write := exec.CommandContext(t.Context(), "sh", "-c", `cat >"$0" && chmod +x "$0"`, path)
	write.Stdin = strings.NewReader("#!/bin/sh\n" + body + "\n")
	require.NoError(t, write.Run())
	return path
}

// prints is a script line that prints a text.
func prints(text string) string { return "cat <<'END'\n" + text + "\nEND" }

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestTheCLIIsAskedInTheWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cli := &attach.CLI{Path: program(t, `echo "$PWD $@" >asked; echo "Stopped services: [x]" >&2`+"\n"+prints(newStatus))}
	place, err := cli.Find(t.Context(), dir)
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:54321", place.APIURL)
	assert.Equal(t, "sb_publishable_x", place.Keys.Publishable)
	assert.Equal(t, dir+" status -o json\n", read(t, filepath.Join(dir, "asked")))
	require.NoError(t, cli.Close(t.Context()))
	assert.Equal(t, dir+" status -o json\n", read(t, filepath.Join(dir, "asked")), "nothing was started, so nothing is stopped")
}

func TestACLIThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script  string
		running bool // false: the error is that the stack does not run
		want    string
		hint    string
	}{
		"no container": {`echo "failed to inspect container health: Error response from daemon: No such container: supabase_db_x" >&2; exit 1`, false, "No such container", ""},
		"stopped":      {`echo "supabase_db_x container is not running: exited" >&2; exit 1`, false, "is not running", ""},
		"no Docker":    {`echo "failed to inspect service: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?" >&2; exit 1`, true, "Cannot connect to the Docker daemon", "start Docker"},
		"garbage":      {`echo "<html>"`, true, "there is no JSON of a status", ""},
		"silence":      {`exit 7`, true, "exit status 7", "by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := (&attach.CLI{Path: program(t, test.script)}).Find(t.Context(), t.TempDir())
			require.Error(t, err)
			assert.Equal(t, !test.running, isNotRunning(err), "%v", err)
			assert.ErrorContains(t, err, test.want)
			if test.hint != "" {
				var cli *attach.CLIError
				require.ErrorAs(t, err, &cli)
				assert.Contains(t, cli.Hint(), test.hint)
			}
		})
	}
}

func TestAMissingCLIIsNamed(t *testing.T) {
	t.Parallel()
	_, err := (&attach.CLI{Path: filepath.Join(t.TempDir(), "supabase")}).Find(t.Context(), t.TempDir())
	var cli *attach.CLIError
	require.ErrorAs(t, err, &cli)
	assert.ErrorContains(t, err, "there is no program")
	assert.Contains(t, cli.Hint(), "--api-url")
}

func TestACLIThatHangsIsEndedWithItsChildren(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The child ignores the interrupt that the deadline sends, and holds the output open.
	script := `(trap "" INT; echo $$ >child; exec sleep 300) & echo waiting >&2; wait`
	began := time.Now()
	_, err := (&attach.CLI{Path: program(t, script), StatusTimeout: 300 * time.Millisecond}).Find(t.Context(), dir)
	require.ErrorContains(t, err, "did not end within 300ms")
	assert.ErrorContains(t, err, "waiting")
	assert.Less(t, time.Since(began), 30*time.Second)

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = (&attach.CLI{Path: program(t, "exec sleep 300")}).Find(ctx, dir)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// lifecycle is a CLI whose stack runs when there is a file "up".
const lifecycle = `echo "$1" >>said
case "$1" in
status) test -e up || { echo "No such container: supabase_db_x" >&2; exit 1; }
` + "cat <<'END'\n" + newStatus + "END\n" + `;;
start) touch up ;;
stop) rm up; echo "$@" >stopped ;;
esac`

func TestWhatWasStartedIsStoppedAndNothingElse(t *testing.T) {
	t.Parallel()
	t.Run("a stack that did not run", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		cli := &attach.CLI{Path: program(t, lifecycle), Start: true}
		place, err := cli.Find(t.Context(), dir)
		require.NoError(t, err)
		assert.Equal(t, "sb_publishable_x", place.Keys.Publishable)
		assert.FileExists(t, filepath.Join(dir, "up"))
		require.NoError(t, cli.Close(t.Context()))
		require.NoError(t, cli.Close(t.Context()))
		assert.Equal(t, "status\nstart\nstatus\nstop\n", read(t, filepath.Join(dir, "said")))
		assert.Equal(t, "stop\n", read(t, filepath.Join(dir, "stopped")), "the database is kept")
	})
	t.Run("a stack that ran", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "up"), nil, 0o600))
		cli := &attach.CLI{Path: program(t, lifecycle), Start: true}
		_, err := cli.Find(t.Context(), dir)
		require.NoError(t, err)
		require.NoError(t, cli.Close(t.Context()))
		assert.Equal(t, "status\n", read(t, filepath.Join(dir, "said")))
		assert.FileExists(t, filepath.Join(dir, "up"))
	})
	t.Run("a start that starts nothing", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		cli := &attach.CLI{Path: program(t, strings.Replace(lifecycle, "touch up", "true", 1)), Start: true}
		_, err := cli.Find(t.Context(), dir)
		require.ErrorIs(t, err, attach.ErrNotRunning)
	})
	t.Run("a start that is interrupted half way", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		cli := &attach.CLI{Path: program(t, strings.Replace(lifecycle, "touch up", "touch up; exec sleep 300", 1)), Start: true}
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(filepath.Join(dir, "up")); err == nil {
					cancel()
				}
				time.Sleep(5 * time.Millisecond) // between two looks
			}
		}()
		_, err := cli.Find(ctx, dir)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, cli.Close(ctx), "a cancelled context does not keep it from stopping")
		assert.NoFileExists(t, filepath.Join(dir, "up"))
	})
	t.Run("a workspace that the CLI refuses", func(t *testing.T) {
		t.Parallel()
		script := strings.Replace(lifecycle, "touch up", `echo 'ERROR: relation "x" does not exist (SQLSTATE 42P01)' >&2; exit 1`, 1)
		_, err := (&attach.CLI{Path: program(t, script), Start: true}).Find(t.Context(), t.TempDir())
		var cli *attach.CLIError
		require.ErrorAs(t, err, &cli)
		assert.True(t, cli.Workspace)
		assert.ErrorContains(t, err, "SQLSTATE 42P01")
	})
}
