package proc

import "syscall"

// hasDeathSignal says that the kernel signals the child when its parent dies.
const hasDeathSignal = true

// sysProcAttr sets the identity, the parent-death signal and an own process
// group: a Ctrl-C in the terminal is ours to handle, not the child's.
func sysProcAttr(cfg Config) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if cfg.Watchdog == WatchdogAuto {
		attr.Pdeathsig = cfg.StopSignal
	}
	if c := cfg.Credential; c != nil {
		attr.Credential = &syscall.Credential{Uid: c.UID, Gid: c.GID}
	}
	return attr
}
