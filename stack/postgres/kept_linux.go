package postgres

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// bootID names this run of the machine; empty when it cannot be told.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// syncTree has everything below dir written to disk, with one call for its file
// system instead of one for each of a thousand files.
func syncTree(dir string) (err error) {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return unix.Syncfs(int(f.Fd()))
}
