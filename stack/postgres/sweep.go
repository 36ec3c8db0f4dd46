package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sweep removes the clusters whose owner is gone, and ends servers that still
// run on them. Several processes may sweep at once: each cluster is swept by
// the one that gets its lock. What cannot be removed is tried again next time.
func sweep(ctx context.Context, runDirs []string) error {
	var errs []error
	for _, dir := range runDirs {
		locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
		if err != nil {
			errs = append(errs, err)
		}
		for _, path := range locks {
			errs = append(errs, sweepCluster(ctx, path))
		}
	}
	return errors.Join(errs...)
}

// sweepCluster removes one cluster unless its owner lives.
func sweepCluster(ctx context.Context, lockPath string) error {
	lock, err := tryLockFile(lockPath)
	if lock == nil {
		return err
	}
	cl := &cluster{dir: strings.TrimSuffix(lockPath, ".lock"), lock: lock}
	if err := endLeftServer(ctx, cl.data()); err != nil {
		return errors.Join(err, lock.Close())
	}
	cl.socket = socketElsewhere(cl.dir)
	return cl.remove()
}

// socketElsewhere is the socket folder outside a cluster's folder that its note names,
// empty when there is none. The note is ours, in a private folder; its form is checked
// all the same, since everything below the path it names is deleted.
func socketElsewhere(dir string) string {
	note, err := os.ReadFile(filepath.Join(dir, socketNote))
	if err != nil {
		return ""
	}
	if path := string(note); filepath.IsAbs(path) && strings.HasPrefix(filepath.Base(path), socketDirPrefix) {
		return path
	}
	return ""
}

// endLeftServer ends the server that runs on the data folder, if one does. A
// process id alone proves nothing, because numbers are used again.
func endLeftServer(ctx context.Context, data string) error {
	pid := postmasterPID(data)
	if pid <= 1 || !runsOn(ctx, pid, data) {
		return nil
	}
	for _, sig := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		if err := syscall.Kill(pid, sig); err != nil {
			return nil //nolint:nilerr // it has just ended
		}
		for deadline := time.Now().Add(stopGrace); time.Now().Before(deadline); {
			if syscall.Kill(pid, 0) != nil || !runsOn(ctx, pid, data) {
				return nil
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	return errors.New("server " + strconv.Itoa(pid) + " on " + data + " cannot be ended")
}

// postmasterPID is the first line of the file that a server keeps in its data
// folder, 0 when there is none.
func postmasterPID(data string) int {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return pid
}
