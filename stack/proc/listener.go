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

// PortError says that a port that somebody wants to listen on is taken.
type PortError struct {
	// Port is the TCP port on 127.0.0.1.
	Port int
	// Owner is who listens there; its zero value when that cannot be found
	// out.
	Owner Owner
}

// Error names the port and, where known, its owner.
func (e *PortError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("port %d is in use", e.Port)
	}
	return fmt.Sprintf("port %d is in use by %s", e.Port, e.Owner)
}

// Hint says how to get rid of the conflict.
func (e *PortError) Hint() string {
	return "stop whoever listens there, or choose another port; port 0 takes a free one"
}
