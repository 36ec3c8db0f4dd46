package nativetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/smtp"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/joho/godotenv"
	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/rest"
)

// serve answers requests until ctx ends.
func (s *server) serve(ctx context.Context) error {
	if s.does(Flood) {
		go s.flood(ctx)
	}
	if s.role == "auth" {
		return s.serveAuth(ctx)
	}
	return s.serveREST(ctx)
}

// flood prints lines of all lengths, some without an end for long.
func (s *server) flood(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		s.log("info", strings.Repeat("x", i%200_000))
	}
}

// environment is the process's own, by name.
func environment(prefixes ...string) map[string]string {
	env := map[string]string{}
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				env[name] = value
			}
		}
	}
	return env
}

func (s *server) serveAuth(ctx context.Context) error {
	first, err := startAuth(ctx, environment("GOTRUE_", "API_", "DB_"))
	if err != nil {
		return err
	}
	current := &engines{list: []*auth.Server{first}}
	defer current.stop(context.WithoutCancel(ctx))
	for i, arg := range s.args {
		if arg == "--config-dir" && i+1 < len(s.args) {
			go s.watch(ctx, filepath.Join(s.args[i+1], "settings.env"), current)
		}
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/health":
			s.health(w)
		case r.URL.Path == "/crash" && s.does(CrashOnRequest):
			s.crash()
		default:
			s.answer(w, r, current.last())
		}
	})
	return listen(ctx, "GOTRUE_API_HOST", "GOTRUE_API_PORT", handler)
}

func startAuth(ctx context.Context, env map[string]string) (*auth.Server, error) {
	cfg, err := auth.FromEnv(env)
	if err != nil {
		return nil, err
	}
	// As the real one logs.
	cfg.Log = slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.LevelKey {
				return slog.String("level", strings.ToLower(a.Value.String()))
			}
			return a
		},
	}))
	// The state that every recording but one begins in.
	cfg.FirstTokenIssued = true
	return auth.Start(ctx, cfg)
}

// engines are those of all settings so far.
type engines struct {
	mu   sync.Mutex
	list []*auth.Server
}

func (e *engines) last() *auth.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.list[len(e.list)-1]
}

func (e *engines) add(server *auth.Server) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, server)
}

func (e *engines) stop(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, server := range e.list {
		_ = server.Stop(ctx) // the process ends with it
	}
}

// watch reads settings again when their file appears, as the real server does.
func (s *server) watch(ctx context.Context, file string, current *engines) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		settings, err := godotenv.Read(file)
		if err != nil {
			continue
		}
		env := environment("GOTRUE_", "API_", "DB_")
		maps.Copy(env, settings)
		next, err := startAuth(ctx, env)
		if err != nil {
			fmt.Fprintf(os.Stderr, `{"level":"error","msg":"reloader: error loading config","error":%q}`+"\n", err)
			return
		}
		current.add(next)
		s.log("info", "reloading api with new configuration")
		return
	}
}

// answer lets the engine answer, sends the mails that it would have sent, and logs the
// request's end before the answer is gone, as the real server does.
func (s *server) answer(w http.ResponseWriter, r *http.Request, engine *auth.Server) {
	seen := &statusWriter{ResponseWriter: w}
	engine.ServeHTTP(seen, r)
	for _, m := range takeMail(engine) {
		if err := send(m); err != nil {
			s.log("error", "mail: "+err.Error())
		}
	}
	line := map[string]any{
		"level": "info", "msg": "request completed", "status": seen.status, "path": r.URL.Path,
		"request_id": r.Header.Get(os.Getenv("GOTRUE_API_REQUEST_ID_HEADER")), "time": time.Now().UTC(),
	}
	text, err := json.Marshal(line)
	if err != nil {
		return
	}
	fmt.Fprintln(os.Stderr, string(text))
}

// takeMail empties the engine's own mailbox.
func takeMail(engine *auth.Server) []mailbox.Message {
	box := engine.Mailbox()
	list := box.List("")
	box.Clear()
	return list
}

// send sends a mail as Auth does: with the text that the template's address has.
func send(m mailbox.Message) error {
	variable := map[string]string{
		"signup": "CONFIRMATION", "invite": "INVITE", "recovery": "RECOVERY", "magiclink": "MAGIC_LINK",
		"email_change": "EMAIL_CHANGE", "reauthentication": "REAUTHENTICATION",
	}[m.Kind]
	body, err := template(os.Getenv("GOTRUE_MAILER_TEMPLATES_" + variable))
	if err != nil {
		return err
	}
	body = strings.NewReplacer(
		"{{ .Token }}", m.Code, "{{ .ConfirmationURL }}", strings.ReplaceAll(m.Link, "&", "&amp;"),
	).Replace(body)
	from := os.Getenv("GOTRUE_SMTP_ADMIN_EMAIL")
	text := "From: " + from + "\r\nTo: " + m.To + "\r\nSubject: " + m.Subject +
		"\r\nX-Message-Type: " + strings.ToLower(variable) + "\r\nContent-Type: text/html\r\n\r\n" + body + "\r\n"
	address := os.Getenv("GOTRUE_SMTP_HOST") + ":" + os.Getenv("GOTRUE_SMTP_PORT")
	return smtp.SendMail(address, nil, from, []string{m.To}, []byte(text))
}

func template(url string) (string, error) {
	resp, err := http.Get(url) //nolint:noctx,gosec // a test's own server
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func (s *server) health(w http.ResponseWriter) {
	version := "v2.196.0"
	switch {
	case s.does(OldVersion):
		version = "v2.60.1"
	case s.does(NoVersion):
		version = "unknown"
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"version":%q,"name":"GoTrue","description":"GoTrue is a user registration and authentication API"}`, version)
}

// crash ends the process with a word.
func (s *server) crash() {
	s.log("fatal", "out of luck")
	os.Exit(4)
}

func (s *server) serveREST(ctx context.Context) error {
	cfg, err := rest.FromEnv(environment("PGRST_"))
	if err != nil {
		return err
	}
	engine, err := rest.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer engine.Stop(context.WithoutCancel(ctx))
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.does(OldVersion):
			w.Header().Set("Server", "postgrest/12.2.3")
		case !s.does(NoVersion):
			w.Header().Set("Server", "postgrest/14.17")
		}
		if r.URL.Path == "/crash" && s.does(CrashOnRequest) {
			s.crash()
		}
		engine.ServeHTTP(w, r)
	})
	s.log("info", "Starting PostgREST 14.17...")
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return listen(ctx, "PGRST_SERVER_HOST", "PGRST_SERVER_PORT", api) })
	both.Go(func() error {
		return listen(ctx, "PGRST_SERVER_HOST", "PGRST_ADMIN_SERVER_PORT", s.admin(ctx, engine))
	})
	return both.Wait()
}

// admin adds what is needed to see the schema being read again, which SIGUSR1 asks for.
func (s *server) admin(ctx context.Context, engine *rest.Server) http.Handler {
	var loads atomic.Int64
	loads.Store(1)
	asked := make(chan os.Signal, 8)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			if engine.Reload(ctx) == nil {
				loads.Add(1)
			}
		}
	}()
	mux := http.NewServeMux()
	mux.Handle("/", engine.Admin())
	if s.does(Unready) {
		mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	}
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "# TYPE pgrst_schema_cache_loads_total counter\n"+
			"pgrst_schema_cache_loads_total{status=\"FAIL\"} 7.0\n"+
			"pgrst_schema_cache_loads_total{status=\"SUCCESS\"} %d.0\n", loads.Load())
	})
	return mux
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}
