package arena

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the private memory of a server's processes to be: a process has
// the limits of the one that it was forked from. A process that asks for more gets an
// error of PostgreSQL (53200) and lives on.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil); err != nil {
		return fmt.Errorf("limit the memory of process %d: %w", pid, err)
	}
	return nil
}
