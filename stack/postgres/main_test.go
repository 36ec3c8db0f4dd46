package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// helperEnv makes the test binary a program that starts one server, prints
// where it is, and waits to be killed or told to stop by a line of input.
const helperEnv = "POSTGRES_TEST_HELPER"

// helperKept names the cluster that the helper keeps; without it, it keeps none.
const helperKept = "POSTGRES_TEST_KEPT"

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		os.Exit(helper())
	}
	os.Exit(postgrestest.Main(m))
}

// started is what the helper prints.
type started struct {
	PID    int    `json:"pid"`
	URL    string `json:"url"`
	Socket string `json:"socket"`
	UID    int    `json:"uid"`
	Error  string `json:"error"`
}

func helper() int {
	ctx := context.Background()
	s, err := postgres.Start(ctx, postgres.Config{Kept: os.Getenv(helperKept)})
	if err == nil && os.Getenv(helperKept) != "" {
		err = s.Keep()
	}
	say := started{UID: os.Getuid()}
	if err != nil {
		say.Error = err.Error()
	} else {
		say.PID, say.URL, say.Socket = s.PID(), s.URL("postgres", "postgres"), s.SocketDir()
	}
	if err := json.NewEncoder(os.Stdout).Encode(say); err != nil || say.Error != "" {
		return 1
	}
	_, _ = io.ReadAll(os.Stdin)
	if err := s.Stop(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runHelper starts the helper with folders of its own and waits until its
// server runs. change may alter the command before that.
func runHelper(t *testing.T, dirs dirs, change func(*exec.Cmd)) (*exec.Cmd, io.WriteCloser, started) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=1", "SUPASCORE_CACHE_DIR="+dirs.cache, "SUPASCORE_RUN_DIR="+dirs.run)
	if change != nil {
		change(cmd)
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var say started
	require.NoError(t, json.NewDecoder(out).Decode(&say))
	require.Empty(t, say.Error)
	return cmd, in, say
}

// dirs are the folders of a test that looks into them.
type dirs struct{ cache, run string }

func (d dirs) config() postgres.Config { return postgres.Config{CacheDir: d.cache, RunDir: d.run} }

// newDirs makes empty ones that root's server can reach, which t.TempDir's
// cannot be.
func newDirs(t *testing.T) dirs {
	t.Helper()
	base, err := os.MkdirTemp("", "pgtest-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(base, 0o711))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(base)) })
	return dirs{cache: filepath.Join(base, "cache"), run: filepath.Join(base, "run")}
}

// sharedImage are folders with a run folder of its own and the image that
// other tests use as well, for tests that do not build one.
func sharedImage(t *testing.T) dirs {
	t.Helper()
	postgrestest.Shared(t) // builds the image
	d := newDirs(t)
	d.cache = os.Getenv("SUPASCORE_CACHE_DIR")
	return d
}

// assertNothingLeft checks that no process and no file of a run folder is
// there any more.
func assertNothingLeft(t *testing.T, d dirs) {
	t.Helper()
	assert.EventuallyWithT(t, func(c *assert.CollectT) {
		out, err := exec.CommandContext(t.Context(), "ps", "-A", "-o", "pid=,args=").Output()
		assert.NoError(c, err)
		for line := range strings.Lines(string(out)) {
			for _, dir := range []string{d.run, d.cache} {
				assert.False(c, dir != "" && strings.Contains(line, dir+"/"), line)
			}
		}
	}, 20*time.Second, 20*time.Millisecond)
	left, err := filepath.Glob(filepath.Join(d.run, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var got string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&got), sql)
	return got
}

// fewScripts build an image faster: only what databases need.
func fewScripts(t *testing.T) []bootstrap.Script {
	t.Helper()
	all, err := bootstrap.Scripts(bootstrap.Options{})
	require.NoError(t, err)
	for _, s := range all {
		if s.Name == "10_roles.sql" {
			return []bootstrap.Script{s}
		}
	}
	t.Fatal("no script of roles")
	return nil
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// nobody is the user that tests as a normal user run as when we are root.
func nobody(t *testing.T) (uid, gid int) {
	t.Helper()
	u, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err = strconv.Atoi(u.Uid)
	require.NoError(t, err)
	gid, err = strconv.Atoi(u.Gid)
	require.NoError(t, err)
	return uid, gid
}
