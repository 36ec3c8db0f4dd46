// Package nativetest gives tests executables that behave like PostgREST and Auth, well
// or badly. They are the test binary itself, started again: its TestMain calls Main,
// which plays the server that the environment of the process names. They answer with the
// engines of this module, so whole stacks can be booted on them.
package nativetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Behaviour is what an executable does, in words of the environment variable Variable,
// joined by commas.
type Behaviour string

// The behaviours. None is a good server.
const (
	// SlowStart answers only after some hundred milliseconds.
	SlowStart Behaviour = "slow-start"
	// NeverReady runs and never listens.
	NeverReady Behaviour = "never-ready"
	// Unready listens and says that it cannot serve its database.
	Unready Behaviour = "unready"
	// CrashAtStart ends at once with status 3 after some lines, one of them with its secrets.
	CrashAtStart Behaviour = "crash-at-start"
	// FailMigration lets `auth migrate` fail.
	FailMigration Behaviour = "fail-migration"
	// HangMigration lets `auth migrate` never end.
	HangMigration Behaviour = "hang-migration"
	// RefuseSettings ends as the real servers do when a setting is wrong.
	RefuseSettings Behaviour = "refuse-settings"
	// CrashOnRequest dies in the middle of a request to /crash.
	CrashOnRequest Behaviour = "crash-on-request"
	// IgnoreTerm takes no notice of SIGTERM.
	IgnoreTerm Behaviour = "ignore-term"
	// OldVersion says that it is an old version; NoVersion says nothing.
	OldVersion Behaviour = "old-version"
	NoVersion  Behaviour = "no-version"
	// PortTaken gives up once, as if its port had been taken just before it.
	PortTaken Behaviour = "port-taken"
	// AlwaysTaken gives up each time.
	AlwaysTaken Behaviour = "always-taken"
	// Flood writes its log without end, lines of all lengths.
	Flood Behaviour = "flood"
	// Forked runs as the child of a shell, as a wrapper script has it.
	Forked Behaviour = "forked"
)

const (
	// roleVariable says that a process is such an executable and which one.
	roleVariable = "SUPASCORE_FAKE_SERVER"
	// behaviourVariable and folderVariable are the executable's behaviour, and a folder
	// where it may leave traces.
	behaviourVariable = "SUPASCORE_FAKE_BEHAVIOUR"
	folderVariable    = "SUPASCORE_FAKE_FOLDER"
)

// Main plays a server and ends the process when the process is one; otherwise it returns.
// It is the first thing that a TestMain does.
func Main() {
	role := os.Getenv(roleVariable)
	if role == "" {
		return
	}
	s := &server{role: role, args: os.Args[1:], folder: os.Getenv(folderVariable)}
	for name := range strings.SplitSeq(os.Getenv(behaviourVariable), ",") {
		s.behaviour = append(s.behaviour, Behaviour(name))
	}
	os.Exit(s.run())
}

// Play plays the server "postgrest" or "auth" with a behaviour, and ends the process. It
// is for programs whose name alone says what they are.
func Play(role string, behaviour ...Behaviour) {
	s := &server{role: role, args: os.Args[1:], behaviour: behaviour}
	os.Exit(s.run())
}

// PostgREST and Auth write an executable with a behaviour and return its path. It is a
// script that starts the test binary: children get nothing of our environment.
func PostgREST(t testing.TB, behaviour ...Behaviour) string { return write(t, "postgrest", behaviour) }

// Auth is PostgREST's counterpart.
func Auth(t testing.TB, behaviour ...Behaviour) string { return write(t, "auth", behaviour) }

func write(t testing.TB, role string, behaviour []Behaviour) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir, names := t.TempDir(), make([]string, len(behaviour))
	start := "exec"
	for i, b := range behaviour {
		names[i] = string(b)
		if b == Forked {
			start = ""
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nexport %s=%s %s=%s %s='%s'\n%s '%s' \"$@\"\n",
		roleVariable, role, behaviourVariable, strings.Join(names, ","), folderVariable, dir, start, self)
	path := filepath.Join(dir, role)
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700)) //nolint:gosec // it is to be run
	return path
}

// Traces are what an executable was started with: one line for each start, its
// arguments; and the names and values of its last start's environment.
func Traces(t testing.TB, executable string) (starts []string, env map[string]string) {
	t.Helper()
	dir := filepath.Dir(executable)
	text, err := os.ReadFile(filepath.Join(dir, "starts"))
	require.NoError(t, err)
	starts = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	list, err := os.ReadFile(filepath.Join(dir, "env"))
	require.NoError(t, err)
	env = map[string]string{}
	for setting := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	return starts, env
}

// server is the executable from within.
type server struct {
	role      string
	args      []string
	folder    string
	behaviour []Behaviour
}

func (s *server) does(b Behaviour) bool {
	for _, own := range s.behaviour {
		if own == b {
			return true
		}
	}
	return false
}

// log writes a line as the real server does.
func (s *server) log(level, message string) {
	if s.role == "auth" {
		fmt.Fprintf(os.Stderr, `{"level":%q,"msg":%q,"time":%q}`+"\n", level, message, time.Now().UTC().Format(time.RFC3339))
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", time.Now().Format("02/Jan/2006:15:04:05 -0700"), message)
}

// secret is what the executable knows and must not tell.
func (s *server) secret() string {
	if s.role == "auth" {
		return os.Getenv("GOTRUE_JWT_SECRET")
	}
	return os.Getenv("PGRST_JWT_SECRET")
}

func (s *server) run() int {
	if err := s.trace(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		for range terminated {
			s.log("info", "received a signal")
			if !s.does(IgnoreTerm) {
				stop()
			}
		}
	}()
	if code, over := s.misbehave(ctx); over {
		return code
	}
	if err := s.serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
		s.log("fatal", err.Error())
		return 1
	}
	return 0
}

// trace leaves the arguments and the environment for Traces.
func (s *server) trace() error {
	if s.folder == "" {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(s.folder, "starts"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, strings.Join(s.args, " "))
	env := append(os.Environ(), "CWD="+here)
	return errors.Join(err, file.Close(),
		os.WriteFile(filepath.Join(s.folder, "env"), []byte(strings.Join(env, "\x00")), 0o600))
}

// starts counts how often the executable was started, this time included.
func (s *server) starts() int {
	text, err := os.ReadFile(filepath.Join(s.folder, "starts"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

// misbehave does what keeps the server from serving.
func (s *server) misbehave(ctx context.Context) (code int, over bool) {
	migrating := len(s.args) > 0 && s.args[0] == "migrate"
	switch {
	case migrating && s.does(FailMigration):
		s.log("fatal", "running db migrations: permission denied for schema auth")
		return 1, true
	case migrating && s.does(HangMigration):
		<-ctx.Done()
		return 0, true
	case s.does(RefuseSettings) && s.role == "auth":
		fmt.Fprintf(os.Stderr, `{"error":"invalid table name: 1f","level":"fatal","msg":"unable to load config"}`+"\n")
		return 1, true
	case s.does(RefuseSettings):
		fmt.Fprintln(os.Stderr, "postgrest: Error in config The JWT secret must be at least 32 characters long.")
		return 1, true
	case migrating:
		s.log("info", "GoTrue migrations applied successfully")
		return 0, true
	case s.does(CrashAtStart):
		s.log("info", "starting")
		s.log("error", "the secret is "+s.secret())
		s.log("fatal", "nothing works")
		return 3, true
	case s.does(AlwaysTaken), s.does(PortTaken) && s.starts() <= s.firstStarts():
		s.log("fatal", "listen tcp 127.0.0.1:1: bind: address already in use")
		return 1, true
	case s.does(NeverReady):
		<-ctx.Done()
		return 0, true
	}
	if s.does(SlowStart) {
		slow := time.NewTimer(700 * time.Millisecond)
		defer slow.Stop()
		select {
		case <-slow.C:
		case <-ctx.Done():
			return 0, true
		}
	}
	return 0, false
}

// firstStarts is how many starts there are until the first one that serves is over; Auth
// migrates before.
func (s *server) firstStarts() int {
	if s.role == "auth" {
		return 2
	}
	return 1
}

// listen serves a handler on the port of a variable until ctx ends.
func listen(ctx context.Context, host, port string, handler http.Handler) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort(os.Getenv(host), os.Getenv(port)))
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
