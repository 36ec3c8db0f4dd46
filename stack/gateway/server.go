package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/supascore/supascore/stack/proc"
)

// readHeaderTimeout bounds how long a client may take to send its headers.
const readHeaderTimeout = 10 * time.Second

// maxHeaderBytes bounds the request line and headers together.
const maxHeaderBytes = 128 << 10

// Server is a gateway that listens.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan struct{}
	err      error
}

// Listen binds 127.0.0.1:port, port 0 for a free one, and serves handler until
// Stop. The listener is bound when Listen returns, so a busy port is an error here: a
// *proc.PortError that names its owner.
func Listen(ctx context.Context, port int, handler http.Handler, log *slog.Logger) (*Server, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) && port != 0 {
		// An owner that cannot be found is left out of the message.
		owner, _ := proc.Listener(ctx, port)
		return nil, &proc.PortError{Port: port, Owner: owner}
	}
	if err != nil {
		return nil, fmt.Errorf("listen on port %d: %w", port, err)
	}
	s := &Server{listener: ln, done: make(chan struct{}), http: &http.Server{
		Handler: handler, ReadHeaderTimeout: readHeaderTimeout, MaxHeaderBytes: maxHeaderBytes,
	}}
	if log != nil {
		s.http.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
	return s, nil
}

// Port is the TCP port that the server listens on.
func (s *Server) Port() int {
	if addr, ok := s.listener.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	return 0
}

// URL is the address of the gateway, without a trailing slash.
func (s *Server) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", s.Port()) }

// Done is closed when the server serves no more.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err says why the server ended by itself; nil before that, and after Stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Stop lets running requests finish until ctx ends, then cuts them off. It is
// safe to call more than once.
func (s *Server) Stop(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.done
	if err != nil {
		return fmt.Errorf("stop the gateway: %w", err)
	}
	return nil
}
