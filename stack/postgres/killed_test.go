package postgres_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestAKilledProcessLeavesNoServerAndTheNextStartSweepsItsFolder(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	cmd, _, say := runHelper(t, d, nil)
	require.True(t, alive(say.PID))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	assert.Eventually(t, func() bool { return !alive(say.PID) }, 20*time.Second, 10*time.Millisecond)
	require.DirExists(t, filepath.Dir(say.Socket), "a killed process cannot remove its folder")

	s := postgrestest.Start(t, d.config())
	assert.NoDirExists(t, filepath.Dir(say.Socket))
	require.NoError(t, s.Stop(t.Context()))
	assertNothingLeft(t, d)
}

func TestAStartDoesNotSweepTheClustersOfTheLiving(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	cmd, in, say := runHelper(t, d, nil)
	s := postgrestest.Start(t, d.config())
	require.NoError(t, s.Stop(t.Context()))

	assert.Equal(t, "1", query(t, say.URL, "select '1'"))
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	assertNothingLeft(t, d)
}

// TestAServerThatOutlivedItsOwnerIsEnded starts a server by hand in a cluster
// folder whose lock is free, as a machine without any watchdog would leave it.
func TestAServerThatOutlivedItsOwnerIsEnded(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	cmd, _, say := runHelper(t, d, nil)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool { return !alive(say.PID) }, 20*time.Second, 10*time.Millisecond)

	data := filepath.Join(filepath.Dir(say.Socket), "data")
	info, err := os.Stat(data)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	left := exec.CommandContext(t.Context(), filepath.Join(postgrestest.Shared(t).BinDir(), "postgres"),
		"-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories="+say.Socket)
	if os.Getuid() == 0 {
		left.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	left.Dir = data
	require.NoError(t, left.Start())
	exited := make(chan error, 1)
	go func() { exited <- left.Wait() }()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return err == nil && strings.HasPrefix(string(text), strconv.Itoa(left.Process.Pid)+"\n")
	}, 20*time.Second, 10*time.Millisecond)

	s := postgrestest.Start(t, d.config())
	select {
	case <-exited:
	case <-time.After(20 * time.Second):
		t.Fatal("the left server still runs")
	}
	assert.NoDirExists(t, data)
	require.NoError(t, s.Stop(t.Context()))
	assertNothingLeft(t, d)
}

func TestANormalUserNeedsNoRoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("all other tests show it")
	}
	uid, gid := nobody(t)
	d := newDirs(t)
	base := filepath.Dir(d.cache)
	require.NoError(t, os.Chown(base, uid, gid))
	// The test binary lies in a folder of root's.
	binary := filepath.Join(base, "helper")
	content, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, content, 0o755))

	cmd, in, say := runHelper(t, d, func(cmd *exec.Cmd) {
		cmd.Path, cmd.Dir = binary, base
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	})
	assert.Equal(t, uid, say.UID)
	info, err := os.Stat(say.Socket)
	require.NoError(t, err)
	assert.Equal(t, uint32(uid), info.Sys().(*syscall.Stat_t).Uid)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	assertNothingLeft(t, d)
}
