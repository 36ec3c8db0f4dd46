package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/supascore/supascore/stack/proc"
)

// Config says how a server is started.
type Config struct {
	// Path is the absolute path of the executable.
	Path string
	// Env is the server's environment, without ports. Nothing else of this process's
	// environment reaches it but PATH, HOME, TZ and LANG.
	Env map[string]string
	// Args are further arguments of the server.
	Args []string
	// Log gets what the server logs, secrets taken out; nil discards it.
	Log *slog.Logger
	// StartTimeout bounds how long the server may take until it answers. Default 30
	// seconds: what Auth and PostgREST do before they answer is a few queries.
	StartTimeout time.Duration
	// Grace is how long the server gets to end by itself when it is stopped. Default 5
	// seconds.
	Grace time.Duration
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.StartTimeout == 0 {
		c.StartTimeout = 30 * time.Second
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	return c
}

func (c Config) validate() error {
	if !filepath.IsAbs(c.Path) {
		return fmt.Errorf("the path of an executable has to be absolute, got %q", c.Path)
	}
	if c.StartTimeout < 0 || c.Grace < 0 {
		return errors.New("a time limit is negative")
	}
	return nil
}

// ErrRefused is wrapped by the error of a server that refuses its settings.
var ErrRefused = errors.New("the server refuses its settings")

// Error is a server that did not start, or that ended.
type Error struct {
	// Service is "auth" or "rest".
	Service string
	// Path is the executable.
	Path string
	// What happened, such as "ended: exit status 1".
	What string
	// Tail is the end of its log, up to 20 lines, without secrets.
	Tail string
	// Err is the cause behind it; may be nil. It is ErrRefused for settings that the
	// server refuses.
	Err error
}

// Error says what happened and quotes the end of the log.
func (e *Error) Error() string {
	text := e.Path + " " + e.What
	if e.Tail != "" {
		text += "; its log ends with:\n" + e.Tail
	}
	return text
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// program is an executable with what makes it one of the two servers.
type program struct {
	Config
	service string // "auth" or "rest"
	args    []string
	// ports names the variables that take a free port each.
	ports []string
	// host names the variables that take the address to listen on.
	host []string
	// parse reads a line of the log.
	parse func(line string) record
	// heard is told every line; may be nil.
	heard func(record)
}

// child is a program that runs.
type child struct {
	program
	process *proc.Process
	lines   *lines
	// port has the ports by their variables.
	port map[string]int
	// dir is the empty folder that it was started in.
	dir string
	// fatal is the last line with which the program said that it gives up.
	fatal *record
	// ended is closed when the process is gone and its last line was read.
	ended chan struct{}
}

// loopback is where children listen.
const loopback = "127.0.0.1"

// spawn runs the program with free ports and returns at once.
func (p program) spawn(ctx context.Context) (*child, error) {
	ports, err := freePorts(ctx, p.ports)
	if err != nil {
		return nil, err
	}
	c := &child{program: p, port: ports, ended: make(chan struct{})}
	env := maps.Clone(p.Env)
	for _, name := range p.host {
		env[name] = loopback
	}
	for name, port := range ports {
		env[name] = fmt.Sprint(port)
	}
	c.lines = &lines{hide: hider(env), each: c.note}
	// An empty folder: Auth reads a file .env in the one that it starts in.
	dir, err := os.MkdirTemp("", "supascore-"+p.service+"-")
	if err != nil {
		return nil, err
	}
	c.process, err = proc.Start(ctx, proc.Config{
		Path: p.Path, Args: p.args, Env: environ(env), Dir: dir, Grace: p.Grace, Output: c.lines,
	})
	if err != nil {
		return nil, errors.Join(&Error{Service: p.service, Path: p.Path, What: "cannot be started: " + err.Error(), Err: err}, os.Remove(dir))
	}
	c.dir = dir
	go func() {
		<-c.process.Done()
		// What a wrapper script started and left behind is in its group. That there is
		// nobody is the usual case, and no error.
		_ = syscall.Kill(-c.process.PID(), syscall.SIGKILL)
		c.lines.flush()
		if err := os.RemoveAll(dir); err != nil {
			p.Log.Warn("the folder of a child cannot be removed", "service", p.service, "error", err)
		}
		close(c.ended)
	}()
	return c, nil
}

// note logs a line of the child.
func (c *child) note(text string) {
	line := c.parse(text)
	if line.fatal {
		c.fatal = &line
	}
	line.log(c.Log)
	if c.heard != nil {
		c.heard(line)
	}
}

// environ is the whole environment of a child. The language matters: without one the
// runtime of PostgREST cannot write what is not ASCII.
func environ(env map[string]string) []string {
	list := make([]string, 0, len(env)+4)
	for _, name := range []string{"PATH", "HOME", "TZ", "LANG"} {
		value := os.Getenv(name)
		if name == "LANG" && value == "" {
			value = "C.UTF-8"
		}
		if _, given := env[name]; !given && value != "" {
			list = append(list, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// freePorts finds a port for each name. They are held together, so that none is found
// twice, and let go: the servers cannot be handed a socket.
func freePorts(ctx context.Context, names []string) (map[string]int, error) {
	ports := make(map[string]int, len(names))
	for _, name := range names {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", loopback+":0")
		if err != nil {
			return nil, fmt.Errorf("find a port: %w", err)
		}
		defer l.Close()
		addr, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("find a port: unexpected address %s", l.Addr())
		}
		ports[name] = addr.Port
	}
	return ports, nil
}

// portAttempts is how many sets of ports are tried: between our looking for one and the
// server's taking it somebody else may be faster.
const portAttempts = 5

// start runs the program until it answers. ready asks it; its error is the last one when
// it never does.
func (p program) start(ctx context.Context, ready func(context.Context, *child) error) (*child, error) {
	p.Config = p.withDefaults()
	if err := p.validate(); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		c, err := p.spawn(ctx)
		if err != nil {
			return nil, err
		}
		if err = c.await(ctx, ready); err == nil {
			// It has read what there is; a killed process cannot tidy up.
			return c, os.Remove(c.dir)
		}
		lost := c.lostPort()
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.Grace)
		stopErr := c.stop(stopCtx)
		cancel()
		if !lost || attempt == portAttempts || ctx.Err() != nil {
			return nil, errors.Join(err, stopErr)
		}
		p.Log.Info("a port was taken meanwhile; another one is tried", "service", p.service)
	}
}

// askInterval is how often a starting server is asked.
const askInterval = 10 * time.Millisecond

// await asks until the answer is right, the child ends or the time is over.
func (c *child) await(ctx context.Context, ready func(context.Context, *child) error) error {
	limit, cancel := context.WithTimeout(ctx, c.StartTimeout)
	defer cancel()
	tick := time.NewTicker(askInterval)
	defer tick.Stop()
	var last error
	for {
		err := ready(limit, c)
		select {
		case <-c.ended:
			return c.Err()
		default:
		}
		if err == nil {
			err = c.mine(limit)
		}
		if err == nil {
			return nil
		}
		if limit.Err() == nil || last == nil { // that the time is over says less than the answer before
			last = err
		}
		select {
		case <-tick.C:
		case <-c.ended:
			return c.Err()
		case <-limit.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &Error{
				Service: c.service, Path: c.Path, Tail: c.lines.tail(), Err: last,
				What: fmt.Sprintf("does not answer within %s: %s", c.StartTimeout, last),
			}
		}
	}
}

// errForeign is an answer that came from somebody else's server.
var errForeign = errors.New("another process has the port")

// mine makes sure that it is the child that answers, and nobody who took the port just
// before it. Where that cannot be found out the answer counts.
func (c *child) mine(ctx context.Context) error {
	for _, port := range c.port {
		owner, err := proc.Listener(ctx, port)
		if err != nil || owner.PID == c.process.PID() {
			continue
		}
		// A wrapper's child is in the group of the wrapper.
		if group, err := syscall.Getpgid(owner.PID); err == nil && group != c.process.PID() {
			return errForeign
		}
	}
	return nil
}

// lostPort says that the child gave up because somebody has its port. The texts are
// those of strerror(3), which both servers quote.
func (c *child) lostPort() bool {
	tail := strings.ToLower(c.lines.tail())
	return strings.Contains(tail, "address already in use") || strings.Contains(tail, "resource busy")
}

// Done is closed when the server has ended.
func (c *child) Done() <-chan struct{} { return c.ended }

// Err is nil while the server runs and after Stop. When it ended by itself it is an
// *Error with the end of its log.
func (c *child) Err() error {
	select {
	case <-c.ended:
	default:
		return nil
	}
	cause := c.process.Err()
	if cause == nil {
		return nil
	}
	e := &Error{Service: c.service, Path: c.Path, What: "ended", Tail: c.lines.tail(), Err: cause}
	if state := c.process.State(); state != nil {
		e.What += ": " + state.String()
	}
	if c.fatal != nil && c.fatal.refuses {
		e.What, e.Err = "refuses its settings: "+c.fatal.reason(), ErrRefused
	}
	return e
}

// stop ends the child; it is idempotent. Having to kill it is logged and no failure.
func (c *child) stop(ctx context.Context) error {
	if err := c.process.Stop(ctx); err != nil {
		c.Log.Warn("a server had to be killed", "service", c.service, "error", err)
	}
	<-c.ended
	return nil
}

// url is the address of one of the child's ports, without a slash at the end.
func (c *child) url(port string) string {
	return fmt.Sprintf("http://%s:%d", loopback, c.port[port])
}

// get asks the child; the answer's body is closed by the caller.
func get(ctx context.Context, client *http.Client, method, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}
