package proc

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listener finds the sockets that listen on the port in the kernel's tables
// and then the process that has one of them open.
func listener(ctx context.Context, port int) (Owner, error) {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // no IPv6 here
		}
		for _, inode := range listeningInodes(string(text), port) {
			inodes["socket:["+inode+"]"] = true
		}
	}
	if len(inodes) == 0 {
		return Owner{}, ErrNoListener
	}
	dirs, err := filepath.Glob("/proc/[0-9]*/fd")
	if err != nil {
		return Owner{}, err
	}
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return Owner{}, context.Cause(ctx)
		}
		if hasOpen(dir, inodes) {
			return ownerOf(filepath.Dir(dir))
		}
	}
	return Owner{}, ErrNoListener
}

// listeningInodes reads a table of proc_net_tcp(5): field 2 is the local
// address with the port in hexadecimal, field 4 the state (0A is "listen"),
// field 10 the socket's inode.
func listeningInodes(table string, port int) []string {
	want := ":" + strings.ToUpper(strconv.FormatInt(int64(port)|0x10000, 16)[1:])
	var inodes []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) > 9 && strings.HasSuffix(fields[1], want) && fields[3] == "0A" {
			inodes = append(inodes, fields[9])
		}
	}
	return inodes
}

// hasOpen says whether a process has one of the files open; a process that may
// not be looked at has none.
func hasOpen(fdDir string, files map[string]bool) bool {
	entries, err := os.ReadDir(fdDir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(fdDir, e.Name())); err == nil && files[target] {
			return true
		}
	}
	return false
}

func ownerOf(procDir string) (Owner, error) {
	pid, err := strconv.Atoi(filepath.Base(procDir))
	if err != nil {
		return Owner{}, err
	}
	name, _ := os.ReadFile(filepath.Join(procDir, "comm"))
	return Owner{PID: pid, Name: strings.TrimSpace(string(name))}, nil
}
