package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/supascore/supascore/stack/proc"
)

// PortError says that the port of Config.Port is taken.
type PortError struct {
	// Port is the TCP port on 127.0.0.1.
	Port int
	// Owner is who listens there; its zero value when that cannot be found
	// out.
	Owner proc.Owner
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

// portAttempts is how many free ports are tried: between our looking for one
// and the server's taking it somebody else may be faster.
const portAttempts = 10

// startOnPort starts the server on the port, or on a free one for 0.
func startOnPort(ctx context.Context, b *backend, port int) error {
	for attempt := 1; ; attempt++ {
		free, err := bindable(ctx, port)
		if err != nil {
			return err
		}
		b.port = free
		err = b.start(ctx, listenLoopback)
		if err == nil || b.child == nil || !b.portTaken() || ctx.Err() != nil {
			return err
		}
		if port != 0 {
			return portError(ctx, port)
		}
		if attempt == portAttempts {
			return fmt.Errorf("no free port in %d attempts: %w", attempt, err)
		}
	}
}

// bindable is the port when it can be bound, or one that the kernel chooses
// for 0. The server cannot ask for one: PostgreSQL takes 0 for an error.
func bindable(ctx context.Context, port int) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if port != 0 && isInUse(err) {
			return 0, portError(ctx, port)
		}
		return 0, fmt.Errorf("find a port: %w", err)
	}
	defer l.Close()
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("find a port: unexpected address %s", l.Addr())
	}
	return addr.Port, nil
}

func portError(ctx context.Context, port int) error {
	owner, _ := proc.Listener(ctx, port)
	return &PortError{Port: port, Owner: owner}
}

func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
