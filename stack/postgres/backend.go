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
	child   *proc.Process
}

// stopGrace is how long a server gets for its shutdown before it is killed.
const stopGrace = 10 * time.Second

// start runs the server and waits until it answers a query. On an error
// nothing is left running.
func (b *backend) start(ctx context.Context, tcp bool) error {
	child, err := proc.Start(ctx, proc.Config{
		Path:       b.install.postgres(),
		Args:       serverArgs(b.data, b.socket, b.port, tcp),
		Env:        serverEnv(),
		Dir:        b.data,
		Credential: b.id.cred,
		StopSignal: syscall.SIGQUIT, // immediate shutdown: nobody wants the data
		Grace:      stopGrace,
	})
	if err != nil {
		return err
	}
	b.child = child
	if err := b.waitReady(ctx); err != nil {
		return errors.Join(err, child.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// waitReady polls with a real query: an open socket only says that the
// process exists. The child's death ends the wait at once.
func (b *backend) waitReady(ctx context.Context) error {
	delay := time.Millisecond
	var last error
	for {
		if _, err := os.Stat(b.socketPath()); err == nil {
			if last = b.ping(ctx); last == nil {
				return nil
			}
		}
		timer := time.NewTimer(delay)
		select {
		case <-b.child.Done():
			timer.Stop()
			return b.child.Err()
		case <-ctx.Done():
			timer.Stop()
			if last != nil {
				return fmt.Errorf("postgres is not ready: %w (last answer: %w)", context.Cause(ctx), last)
			}
			return fmt.Errorf("postgres is not ready: %w", context.Cause(ctx))
		case <-timer.C:
		}
		delay = min(delay*3/2, 20*time.Millisecond)
	}
}

func (b *backend) ping(ctx context.Context) error {
	conn, err := b.connect(ctx, bootstrap.Superuser, template)
	if databaseIsClosed(err) {
		conn, err = b.connect(ctx, bootstrap.Superuser, "postgres")
	}
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, "select 1")
	return err
}

// stopClean is the fast shutdown: sessions end, a checkpoint is written.
func (b *backend) stopClean(ctx context.Context) error {
	if err := syscall.Kill(b.child.PID(), syscall.SIGINT); err == nil {
		select {
		case <-b.child.Done():
			return nil
		case <-ctx.Done():
		case <-time.After(stopGrace):
		}
	}
	return b.child.Stop(context.WithoutCancel(ctx))
}

func (b *backend) socketPath() string {
	return filepath.Join(b.socket, ".s.PGSQL."+strconv.Itoa(b.port))
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
func (b *backend) portTaken() bool {
	return strings.Contains(b.child.Output(), "could not bind")
}
