// Package postbox takes in the mails that the real Auth sends and puts them into a
// mailbox: an SMTP server on loopback, and the templates that make every mail say its
// code and its link. Nothing of it leaves the machine. It sends nothing and reads
// nobody's mail but Auth's.
package postbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/supascore/supascore/stack/auth/mailbox"
)

// maxMessage bounds a mail in bytes; Auth's are a few hundred.
const maxMessage = 1 << 20

// Server takes mails in.
type Server struct {
	box       *mailbox.Box
	log       *slog.Logger
	smtp      *smtp.Server
	mails     net.Listener
	templates *http.Server
	pages     net.Listener
	running   sync.WaitGroup
}

// Listen starts a server on free loopback ports that fills the box. log is told of mails
// that cannot be read; nil discards that.
func Listen(ctx context.Context, box *mailbox.Box, to *slog.Logger) (*Server, error) {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	s := &Server{box: box, log: to}
	var err error
	if s.mails, err = listen(ctx); err != nil {
		return nil, err
	}
	if s.pages, err = listen(ctx); err != nil {
		return nil, errors.Join(err, s.mails.Close())
	}
	s.smtp = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	s.smtp.Domain, s.smtp.MaxMessageBytes, s.smtp.MaxRecipients = "localhost", maxMessage, 100
	s.smtp.ReadTimeout, s.smtp.WriteTimeout = time.Minute, time.Minute
	s.smtp.ErrorLog = log.New(slog.NewLogLogger(to.Handler(), slog.LevelDebug).Writer(), "", 0)
	s.templates = &http.Server{Handler: http.HandlerFunc(serveTemplate), ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() { s.served("mails", s.smtp.Serve(s.mails), smtp.ErrServerClosed) })
	s.running.Go(func() { s.served("templates", s.templates.Serve(s.pages), http.ErrServerClosed) })
	return s, nil
}

func listen(ctx context.Context) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for mails: %w", err)
	}
	return l, nil
}

func (s *Server) served(what string, err, closed error) {
	if err != nil && !errors.Is(err, closed) && !errors.Is(err, net.ErrClosed) {
		s.log.Warn("the mailbox takes nothing in any more", "what", what, "error", err)
	}
}

// Stop ends the server. Mails that are being sent are waited for until ctx ends, whose
// error it then returns. It may be called again.
func (s *Server) Stop(ctx context.Context) error {
	var err error
	if err = s.smtp.Shutdown(ctx); errors.Is(err, smtp.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	err = errors.Join(err, s.templates.Close())
	// A server that was stopped before it began to serve knows of no listener.
	for _, l := range []net.Listener{s.mails, s.pages} {
		if cerr := l.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) {
			err = errors.Join(err, cerr)
		}
	}
	s.running.Wait()
	return err
}

// kindHeader is the header by which a mail says what it is.
const kindHeader = "X-Message-Type"

// Env are the settings that make Auth send its mails here, as from the address. The
// rest of its settings for mails, such as subjects, stays in force.
func (s *Server) Env(from string) map[string]string {
	env := map[string]string{
		"GOTRUE_SMTP_HOST": "127.0.0.1", "GOTRUE_SMTP_PORT": strconv.Itoa(portOf(s.mails)),
		"GOTRUE_SMTP_ADMIN_EMAIL": from, "GOTRUE_SMTP_USER": "", "GOTRUE_SMTP_PASS": "",
		"GOTRUE_SMTP_HEADERS": headers(),
	}
	base := fmt.Sprintf("http://127.0.0.1:%d/", portOf(s.pages))
	for _, k := range kinds() {
		if k.body != "" {
			env["GOTRUE_MAILER_TEMPLATES_"+k.variable] = base + k.template
		}
	}
	return env
}

// headers asks Auth to name the template of a mail in it.
func headers() string {
	text, err := json.Marshal(map[string][]string{kindHeader: {"$messageType"}})
	if err != nil {
		return "" // it is a constant
	}
	return string(text)
}

func portOf(l net.Listener) int {
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	return 0
}

// session is one client that sends mails.
type session struct {
	server *Server
	to     []string
}

// Reset forgets the mail that was begun.
func (s *session) Reset() { s.to = nil }

// Logout ends the session.
func (s *session) Logout() error { return nil }

// Mail begins a mail.
func (s *session) Mail(string, *smtp.MailOptions) error {
	s.to = nil
	return nil
}

// Rcpt adds an address.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data takes the mail in, once for each address.
func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := read(text)
	if err != nil {
		s.server.log.Warn("a mail cannot be read", "error", err)
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: err.Error()}
	}
	for _, to := range s.to {
		message.To = to
		s.server.box.Add(message)
	}
	return nil
}
