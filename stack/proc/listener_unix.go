//go:build unix && !linux

package proc

import (
	"context"
	"os/exec"
	"strconv"
)

// listener asks lsof, which every macOS has.
func listener(ctx context.Context, port int) (Owner, error) {
	out, err := exec.CommandContext(ctx, "lsof", "-nP", "-iTCP:"+strconv.Itoa(port), "-sTCP:LISTEN", "-Fpc").Output()
	if err != nil {
		return Owner{}, ErrNoListener // lsof exits with 1 when it finds nothing
	}
	return parseLsof(string(out))
}
