//go:build unix

package rest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// usage tells the processor time that the processes of a benchmark have used so far: this one, which is the client, and
// those whose parent is among the parents or that are among the others. Unlike requests a second it says the same on a
// machine that does other things as well.
type usage struct{ parents, others []int }

// newUsage looks at PostgreSQL's processes and others.
func newUsage(b *testing.B, s *Server, others ...int) usage {
	conn, err := pgx.Connect(b.Context(), s.config.DatabaseURI)
	require.NoError(b, err)
	defer conn.Close(context.Background())
	stat, ok := readStat(strconv.FormatUint(uint64(conn.PgConn().PID()), 10))
	if !ok {
		return usage{} // no /proc here
	}
	return usage{parents: []int{stat.parent}, others: append(others, os.Getpid())}
}

// measurable reports whether the system tells.
func (u usage) measurable() bool { return len(u.parents) > 0 }

// soFar is the sum of all.
func (u usage) soFar() time.Duration {
	var sum time.Duration
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		name := filepath.Base(dir)
		stat, ok := readStat(name)
		if !ok {
			continue // ended meanwhile
		}
		pid, _ := strconv.Atoi(name)
		if slices.Contains(u.parents, stat.parent) || slices.Contains(u.others, pid) {
			sum += stat.used
		}
	}
	return sum
}

// processStat is what is read of /proc/PID/stat.
type processStat struct {
	parent int
	used   time.Duration // of all threads, in user and kernel mode
}

// tick is the unit of times in /proc/PID/stat on all usual builds of Linux (USER_HZ, proc_pid_stat(5)).
const tick = 10 * time.Millisecond

func readStat(pid string) (processStat, bool) {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return processStat{}, false
	}
	// The name may have blanks and brackets in it; what follows it has not.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return processStat{}, false
	}
	var numbers [3]int
	for i, field := range []string{fields[1], fields[11], fields[12]} {
		if numbers[i], err = strconv.Atoi(field); err != nil {
			return processStat{}, false
		}
	}
	return processStat{parent: numbers[0], used: time.Duration(numbers[1]+numbers[2]) * tick}, true
}
