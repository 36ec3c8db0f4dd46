//go:build unix && !linux

package proc

import "syscall"

// hasDeathSignal says that the kernel signals the child when its parent dies.
const hasDeathSignal = false

// sysProcAttr sets the identity and an own process group: a Ctrl-C in the
// terminal is ours to handle, not the child's.
func sysProcAttr(cfg Config) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if c := cfg.Credential; c != nil {
		attr.Credential = &syscall.Credential{Uid: c.UID, Gid: c.GID}
	}
	return attr
}
