package postgres

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A cluster takes some 60 MiB; the rest is room for a workspace's data and for
// other clusters. Below this the disk is the better place.
const (
	memoryDirFree = 1 << 30
	memoryFree    = 2 << 30
)

// memoryDir is where Linux has its shared memory file system.
const memoryDir = "/dev/shm"

// roomyMemoryDir is a folder in memory with room to spare, or empty.
func roomyMemoryDir() string {
	var st unix.Statfs_t
	if unix.Statfs(memoryDir, &st) != nil || st.Type != unix.TMPFS_MAGIC {
		return ""
	}
	if st.Bavail*uint64(st.Bsize) < memoryDirFree || availableMemory() < memoryFree {
		return ""
	}
	return memoryDir
}

// availableMemory is what the machine, and every control group that we are
// in, still gives, in bytes; 0 when unknown.
func availableMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	free := memAvailable(text)
	for _, dir := range controlGroups() {
		free = min(free, groupFree(filepath.Join(dir, "memory.max"), filepath.Join(dir, "memory.current")))
	}
	// A container on a machine with version 1 sees its own group here.
	const v1 = "/sys/fs/cgroup/memory"
	return min(free, groupFree(filepath.Join(v1, "memory.limit_in_bytes"), filepath.Join(v1, "memory.usage_in_bytes")))
}

// groupFree is what a control group still gives; without a limit, everything.
func groupFree(limitPath, usedPath string) uint64 {
	limit, okLimit := readNumber(limitPath)
	used, okUsed := readNumber(usedPath)
	if !okLimit || !okUsed {
		return math.MaxUint64
	}
	return limit - min(used, limit)
}

// memAvailable reads the line "MemAvailable:  123 kB" of /proc/meminfo.
func memAvailable(meminfo []byte) uint64 {
	for line := range bytes.Lines(meminfo) {
		fields := bytes.Fields(line)
		if len(fields) >= 2 && string(fields[0]) == "MemAvailable:" {
			kib, _ := strconv.ParseUint(string(fields[1]), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// controlGroups are the folders of our control group (version 2) and all above
// it, each of which may have a limit.
func controlGroups() []string {
	const root = "/sys/fs/cgroup"
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "0::")
	if !ok {
		return nil
	}
	var dirs []string
	for dir := filepath.Join(root, path); len(dir) >= len(root); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// readNumber is false for a file that is not there and for "max".
func readNumber(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
