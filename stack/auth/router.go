package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/auth/apierr"
)

// maxBody is the size of a request body beyond which the answer is 413.
const maxBody = 1 << 20

// methods are the handlers of one path by HTTP method. ServeMux could tell them apart, but it answers
// a wrong method with a body, and GET handlers serve HEAD; the real server does neither.
type methods map[string]handler

// routes is the table of paths. A path that ends in a slash covers everything below it.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.publicRoutes(mux)
	s.userRoutes(mux)
	s.adminRoutes(mux)
	s.mailRoutes(mux)
	s.mfaRoutes(mux)
	return onlyCleanPaths(mux)
}

// onlyCleanPaths answers 404 for paths with empty or dotted segments. ServeMux redirects them to what
// they might mean; the real server has no such path.
func onlyCleanPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := r.URL.EscapedPath()
		if clean := path.Clean(text); text != clean && text != clean+"/" {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// publicRoutes are the paths that need no token. A token that is sent along is not looked at, so a bad
// one does no harm (recording settings_and_health).
func (s *Server) publicRoutes(mux *http.ServeMux) {
	s.route(mux, "/health", methods{"GET": health}.serve)
	s.route(mux, "/settings", methods{"GET": s.settings}.serve)
	s.route(mux, "/.well-known/jwks.json", methods{"GET": s.jwks}.serve)
	s.route(mux, "/.well-known/openid-configuration", methods{"GET": s.openIDConfiguration}.serve)
	s.route(mux, "/signup", methods{"POST": s.signup}.serve)
	s.route(mux, "/token", methods{"POST": s.token}.serve)
	s.route(mux, "/authorize", methods{"GET": authorize}.serve)
	s.route(mux, "/callback", s.callback)
	s.route(mux, "/callback/", s.callback)
	s.absentRoutes(mux)
}

// userRoutes need a user's token. The token is checked before the method and before what is below a
// path exists, except for paths of a single method (recording error_api_version).
func (s *Server) userRoutes(mux *http.ServeMux) {
	s.route(mux, "/logout", methods{"POST": s.signedIn(s.logout)}.serve)
	s.route(mux, "/user", s.signedIn(methods{"GET": s.userGet, "PUT": s.userUpdate}.serve))
	s.route(mux, "/user/", s.signedIn(notFound))
	identities := func(next handler) handler { return s.signedIn(s.manualLinking(next)) }
	s.route(mux, "/user/identities", identities(notFound))
	s.route(mux, "/user/identities/", identities(notFound))
	s.route(mux, "/user/identities/authorize", identities(methods{"GET": authorize, "DELETE": s.unlinkIdentity}.serve))
	s.route(mux, "/user/identities/{identity_id}", identities(methods{"DELETE": s.unlinkIdentity}.serve))
}

// adminRoutes need an administrator's token, unknown paths below /admin included.
func (s *Server) adminRoutes(mux *http.ServeMux) {
	s.route(mux, "/admin", s.asAdmin(notFound))
	s.route(mux, "/admin/", s.asAdmin(notFound))
	s.route(mux, "/admin/audit", s.asAdmin(methods{"GET": s.adminAudit}.serve))
	s.route(mux, "/admin/users", s.asAdmin(methods{"GET": s.adminUsers, "POST": s.adminUserCreate}.serve))
	s.route(mux, "/admin/users/{user_id}", s.asAdmin(s.namedUser(methods{
		"GET": adminUserGet, "PUT": s.adminUserUpdate, "DELETE": s.adminUserDelete,
	}.serve)))
	s.route(mux, "/admin/users/{user_id}/passkeys", s.asAdmin(s.namedUser(methods{"GET": s.adminPasskeys}.serve)))
	s.route(mux, "/admin/users/{user_id}/passkeys/{passkey_id}",
		s.asAdmin(s.namedUser(methods{"DELETE": s.adminPasskeyDelete}.serve)))
	s.route(mux, "/admin/users/{user_id}/", s.asAdmin(s.namedUser(notFound)))
}

// serve picks the handler of the request's method, or answers 405 without a body.
func (m methods) serve(ctx context.Context, c *call) error {
	if h, ok := m[c.r.Method]; ok {
		return h(ctx, c)
	}
	c.w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(m)), ", "))
	c.w.WriteHeader(http.StatusMethodNotAllowed)
	return nil
}

// notFound answers like a path that no route has.
func notFound(_ context.Context, c *call) error {
	http.NotFound(c.w, c.r)
	return nil
}

// route serves a path, with and without a slash at its end.
func (s *Server) route(mux *http.ServeMux, pattern string, h handler) {
	serve := func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, id: uuid.NewString()}
		// The id is only told when something breaks, but the log has it from the start.
		if err := h(r.Context(), c); err != nil {
			s.fail(c, err)
		}
	}
	mux.HandleFunc(pattern, serve)
	if !strings.HasSuffix(pattern, "/") {
		mux.HandleFunc(pattern+"/{$}", serve)
	}
}

// ServeHTTP implements http.Handler. Every request has a deadline, so that one that waits for a lock
// gives its connection back, and a limit on its body, which is read into memory.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, errStopped.Error(), http.StatusServiceUnavailable)
		return
	}
	defer s.inFlight.Done()
	if allowOrigin(w, r) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	}
	answer := &answerWriter{ResponseWriter: w}
	defer s.recover(answer, r)
	s.handler.ServeHTTP(answer, r)
}

// answerWriter remembers whether an answer has begun.
type answerWriter struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

// recover answers a request whose handler panicked, so that the other requests live on.
func (s *Server) recover(w *answerWriter, r *http.Request) {
	caught := recover()
	if caught == nil {
		return
	}
	s.cfg.Log.Error("request panicked", "method", r.Method, "path", r.URL.Path,
		"error", fmt.Sprint(caught), "stack", string(debug.Stack()))
	if !w.begun {
		apierr.Write(w, r, "", apierr.Crashed())
	}
}

// fail logs an error and answers with it.
func (s *Server) fail(c *call, err error) {
	// Whatever failed then failed because of it, or might as well have.
	if errors.Is(c.r.Context().Err(), context.DeadlineExceeded) {
		err = apierr.New(http.StatusGatewayTimeout, apierr.RequestTimeout,
			"Processing this request timed out, please retry after a moment.").Because(err)
	}
	// A client's mistakes are not the operator's business; what broke here is.
	status := apierr.Status(err)
	level := slog.LevelDebug
	attrs := []any{"method", c.r.Method, "path", c.r.URL.Path, "status", status, "request_id", c.id, "error", err.Error()}
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		attrs = append(attrs, "sqlstate", pg.Code, "context", pg.Where)
	}
	s.cfg.Log.Log(c.r.Context(), level, "request failed", attrs...)
	apierr.Write(c.w, c.r, c.id, err)
}
