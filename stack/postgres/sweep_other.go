//go:build unix && !linux

package postgres

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
)

// runsOn says that the process is a server of the data folder: we name the
// folder on the server's command line.
func runsOn(ctx context.Context, pid int, data string) bool {
	out, err := exec.CommandContext(ctx, "ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "postgres") && strings.Contains(string(out), data)
}
