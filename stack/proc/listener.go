package proc

import (
	"context"
	"errors"
	"fmt"
)

// Owner is a process that listens on a port.
type Owner struct {
	// PID is its process id.
	PID int
	// Name is its command, such as "postgres"; empty when it may not be read.
	Name string
}

// String is the owner as people write it: "postgres (process 4711)".
func (o Owner) String() string {
	if o.Name == "" {
		return fmt.Sprintf("process %d", o.PID)
	}
	return fmt.Sprintf("%s (process %d)", o.Name, o.PID)
}

// ErrNoListener says that no listening process was found: nobody listens, or
// it is somebody else's process and we may not look.
var ErrNoListener = errors.New("no listening process found")

// Listener finds who listens on a TCP port of this machine, on any address.
// The error is ErrNoListener, or why the system could not be asked.
func Listener(ctx context.Context, port int) (Owner, error) { return listener(ctx, port) }
