package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// guardScript is what the shell watchdog runs. It reads the child's process id
// and the stop signal from its standard input, then waits for a second line.
// That line means that the child was waited for and there is nothing to do;
// the end of the input without it means that the parent is dead. It ignores
// the terminal's signals because it has to outlive the parent by a moment.
const guardScript = `trap '' INT HUP TERM QUIT
read -r pid signal || exit 0
read -r word && exit 0
kill -s "$signal" "$pid" 2>/dev/null || exit 0
n=0
while kill -0 "$pid" 2>/dev/null; do
  n=$((n+1))
  if [ "$n" -gt 50 ]; then kill -s KILL "$pid" 2>/dev/null; exit 0; fi
  sleep 0.1
done`

// guard ends the child when this process is killed. The zero value does
// nothing: the kernel does the work there.
type guard struct {
	cmd    *exec.Cmd
	pipe   *os.File
	signal syscall.Signal
}

// newGuard starts the shell watchdog where it is needed. It starts before the
// child, so that the moment in which the child is unguarded is one write long.
func newGuard(cfg Config) (*guard, error) {
	if hasDeathSignal && cfg.Watchdog == WatchdogAuto {
		return &guard{}, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	defer read.Close()
	cmd := exec.Command("/bin/sh", "-c", guardScript) //nolint:noctx // it has to outlive this process
	cmd.Stdin = read
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	// Its own process group: a signal to the terminal's group must not end it
	// before it has done its duty.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	return &guard{cmd: cmd, pipe: write, signal: cfg.StopSignal}, nil
}

// watch tells the watchdog whom to watch. A watchdog that is gone is no reason
// to fail: the child runs, and Stop does not need the watchdog.
func (g *guard) watch(pid int) {
	if g.pipe != nil {
		_, _ = fmt.Fprintf(g.pipe, "%s %s\n", strconv.Itoa(pid), signalName(g.signal))
	}
}

// release lets the watchdog go and waits for it. It is called after the child
// was waited for, so the watchdog cannot hit a recycled process id.
func (g *guard) release() {
	if g.pipe == nil {
		return
	}
	_, _ = g.pipe.WriteString("done\n")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}

// signalName is the name that kill -s takes; POSIX knows no numbers there.
func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "INT"
	case syscall.SIGQUIT:
		return "QUIT"
	case syscall.SIGKILL:
		return "KILL"
	case syscall.SIGHUP:
		return "HUP"
	default:
		return "TERM"
	}
}
