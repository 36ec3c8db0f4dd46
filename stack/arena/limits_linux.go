package arena

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the private memory of a server's processes to be: a process has
// the limits of the one that it was forked from. A process that asks for more gets an
// error of PostgreSQL (53200) and lives on.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	set := func() error { return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil) }
	err := set()
	if errors.Is(err, unix.EPERM) {
		// Root in a container often may not do this to somebody else's process
		// (CAP_SYS_RESOURCE), but whoever owns one may (prlimit(2)).
		err = asOwner(pid, set)
	}
	if err != nil {
		return fmt.Errorf("limit the memory of process %d: %w", pid, err)
	}
	return nil
}

// asOwner runs do in a thread whose real ids are those of a process's owner. What it may
// do otherwise stays as it is.
func asOwner(pid int, do func() error) error {
	var owner unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d", pid), &owner); err != nil {
		return err
	}
	done := make(chan error)
	go func() {
		// Never unlocked: the thread ends with the goroutine, and its ids with it.
		runtime.LockOSThread()
		for _, change := range [][2]uintptr{{unix.SYS_SETRESGID, uintptr(owner.Gid)}, {unix.SYS_SETRESUID, uintptr(owner.Uid)}} {
			// The call itself changes one thread; the library's would change all.
			const same = ^uintptr(0)
			if _, _, errno := unix.RawSyscall(change[0], change[1], same, same); errno != 0 {
				done <- errno
				return
			}
		}
		done <- do()
	}()
	return <-done
}
