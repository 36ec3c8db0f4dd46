package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/proc"
)

// backend is one postgres process on one data folder.
type backend struct {
	install install
	id      identity
	data    string
	socket  string
	port    int
	// save is true when somebody may want the data back.
	save  bool
	child *proc.Process
}

// listen says where a server listens beside its socket.
type listen int

const (
	// listenNowhere is for the server that builds an image; it is asked in the
	// template, because it has nothing else yet.
	listenNowhere listen = iota
	listenLoopback
)

const (
	// stopGrace is how long a server gets for its shutdown before it is killed.
	stopGrace = 10 * time.Second
	// readyTimeout is how long a server may take to answer. Starting from a
	// cleanly stopped copy takes a fraction of a second; a busy machine more.
	readyTimeout = 60 * time.Second
)

// start runs the server and waits until it answers a query. On an error
// nothing is left running.
func (b *backend) start(ctx context.Context, where listen) error {
	end := syscall.SIGQUIT // immediate shutdown: nobody wants the data
	if b.save {
		end = syscall.SIGINT // fast shutdown: sessions end, a checkpoint is written
	}
	child, err := proc.Start(ctx, proc.Config{
		Path:       b.install.postgres(),
		Args:       serverArgs(b, where),
		Env:        append(serverEnv(), allocator()...),
		Dir:        b.data,
		Credential: b.id.cred,
		StopSignal: end,
		Grace:      stopGrace,
	})
	if err != nil {
		return err
	}
	b.child = child
	database := "postgres"
	if where == listenNowhere {
		database = template
	}
	if err := b.waitReady(ctx, database); err != nil {
		return errors.Join(err, child.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// waitReady waits until the server says that it takes connections, and then
// until it has answered a query. The child's death ends the wait at once.
func (b *backend) waitReady(ctx context.Context, database string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout,
		fmt.Errorf("no answer within %s", readyTimeout))
	defer cancel()
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !b.saysReady() {
		select {
		case <-b.child.Done():
			return b.child.Err()
		case <-ctx.Done():
			return fmt.Errorf("postgres is not ready: %w; last output:\n%s", context.Cause(ctx), b.child.Tail(20))
		case <-poll.C:
		}
	}
	if err := b.ping(ctx, database); err != nil {
		return fmt.Errorf("postgres does not answer: %w; last output:\n%s", err, b.child.Tail(20))
	}
	return nil
}

// saysReady reads the status line that the server keeps in its data folder,
// as pg_ctl does. Asking by connecting would cost the server a process each
// time while it is busy starting.
func (b *backend) saysReady() bool {
	text, err := os.ReadFile(filepath.Join(b.data, "postmaster.pid"))
	if err != nil {
		return false
	}
	// Line 8 is the status; src/include/utils/pidfile.h, LOCK_FILE_LINE_PM_STATUS.
	lines := strings.Split(string(text), "\n")
	return len(lines) >= 8 && strings.TrimSpace(lines[7]) == "ready"
}

func (b *backend) ping(ctx context.Context, database string) error {
	conn, err := b.connect(ctx, bootstrap.Superuser, database)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, "select 1", pgx.QueryExecModeSimpleProtocol)
	return err
}

// stopClean is the fast shutdown: sessions end, a checkpoint is written.
func (b *backend) stopClean(ctx context.Context) error {
	if err := syscall.Kill(b.child.PID(), syscall.SIGINT); err != nil {
		return fmt.Errorf("stop postgres: %w", err)
	}
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-b.child.Done():
		if b.child.State().Success() {
			return nil
		}
		return b.child.Err()
	case <-ctx.Done():
		return fmt.Errorf("stop postgres: %w", context.Cause(ctx))
	case <-grace.C:
		return fmt.Errorf("stop postgres: no end within %s; last output:\n%s", stopGrace, b.child.Tail(20))
	}
}

// url is the address over the private socket.
func (b *backend) url(role, database string) string {
	q := url.Values{"host": {b.socket}, "port": {strconv.Itoa(b.port)}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: q.Encode()}
	return u.String()
}

func (b *backend) connect(ctx context.Context, role, database string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, b.url(role, database))
}

// portTaken says that the server ended because somebody else has its port.
// The text is PostgreSQL's, in the language that we chose for it.
func (b *backend) portTaken() bool {
	return strings.Contains(b.child.Output(), "could not bind IPv4 address")
}
