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
	return &proc.PortError{Port: port, Owner: owner}
}

func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
