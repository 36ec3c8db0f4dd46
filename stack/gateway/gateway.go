// Package gateway owns the one address of a stack: it routes /auth/v1/, /rest/v1/,
// /rest-admin/v1/ and /graphql/v1 to their services, turns API keys into the JWTs
// behind them, and answers cross-origin preflights, as the gateway of the Supabase
// CLI does (internal/start/templates/kong.yml there). It knows services only as
// handlers, so engines in process and reverse proxies to executables are served alike.
package gateway

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/supascore/supascore/stack/keys"
)

// Config is what a gateway needs.
type Config struct {
	// Keys are the API keys that requests may carry; their JWTs replace them.
	Keys keys.Set
	// Auth, REST and RESTAdmin serve their paths with the public prefix taken off,
	// as if they were mounted at "/". A nil one is a service that is switched off:
	// its paths answer 503.
	Auth, REST, RESTAdmin http.Handler
	// Mail serves /mail/v1/, the stack's local mailbox, to who sends the secret key
	// as apikey: its messages are as good as passwords, and a web page can reach
	// loopback too. Nil means no such path.
	Mail http.Handler
	// Log receives one line for each panic of a service; nil means slog.Default.
	Log *slog.Logger
}

// route is one line of the routing table.
type route struct {
	prefix  string // public path, matched as a prefix; ends in "/" unless exact
	target  string // what the prefix becomes
	handler http.Handler
	service string
	bearer  bool // whether API keys are turned into JWTs
	profile string
}

// Handler routes and rewrites requests.
type Handler struct {
	keys   keys.Set
	routes []route
	log    *slog.Logger
}

// New makes the handler of a gateway.
func New(cfg Config) *Handler {
	log := cfg.Log
	if log == nil {
		log = slog.Default()
	}
	return &Handler{keys: cfg.Keys, log: log, routes: routesOf(cfg)}
}

// routesOf lists the routes, the more special ones first. That the paths which a
// browser opens by itself (verify, callback, authorize) carry no rewritten
// Authorization is the CLI's rule.
func routesOf(cfg Config) []route {
	routes := []route{
		{prefix: "/auth/v1/verify", target: "/verify", handler: cfg.Auth, service: "auth"},
		{prefix: "/auth/v1/callback", target: "/callback", handler: cfg.Auth, service: "auth"},
		{prefix: "/auth/v1/authorize", target: "/authorize", handler: cfg.Auth, service: "auth"},
		{prefix: "/auth/v1/", target: "/", handler: cfg.Auth, service: "auth", bearer: true},
		{
			prefix: "/.well-known/oauth-authorization-server", target: "/.well-known/oauth-authorization-server",
			handler: cfg.Auth, service: "auth",
		},
		{prefix: "/rest/v1/", target: "/", handler: cfg.REST, service: "rest", bearer: true},
		{prefix: "/rest-admin/v1/", target: "/", handler: cfg.RESTAdmin, service: "rest"},
		{
			prefix: "/graphql/v1", target: "/rpc/graphql", handler: cfg.REST, service: "rest",
			bearer: true, profile: "graphql_public",
		},
	}
	if cfg.Mail != nil {
		guarded := secretOnly(cfg.Keys.Secret, cfg.Mail)
		routes = append(routes, route{prefix: "/mail/v1/", target: "/", handler: guarded, service: "mail"})
	}
	return routes
}

// secretOnly lets requests with the secret key through and refuses all others.
func secretOnly(secret string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Apikey")), []byte(secret)) != 1 {
			writeMessage(w, http.StatusUnauthorized, "the mailbox is read with the secret key as apikey")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// notProvided maps the paths of services that a Supabase project has and this
// stack has not to the names of those services.
func notProvided(path string) (service string, ok bool) {
	for _, s := range [...]struct{ prefix, service string }{
		{"/storage/v1/", "storage"},
		{"/realtime/v1/", "realtime"},
		{"/functions/v1/", "functions"},
		{"/pg/", "postgres-meta"},
		{"/analytics/v1/", "analytics"},
		{"/pooler/v2/", "pooler"},
		{"/mcp", "mcp"},
	} {
		if strings.HasPrefix(path, s.prefix) {
			return s.service, true
		}
	}
	return "", false
}

// ServeHTTP routes one request. A path of no service answers 404, one of a service
// that the stack does not provide 501, one of a service that is off 503, each with
// a JSON body {"message": …}.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	for i := range h.routes {
		if strings.HasPrefix(path, h.routes[i].prefix) {
			h.serve(w, r, &h.routes[i])
			return
		}
	}
	if service, ok := notProvided(path); ok {
		writeMessage(w, http.StatusNotImplemented, fmt.Sprintf(
			"%s is not provided by this stack; it provides auth (/auth/v1/) and rest (/rest/v1/)", service))
		return
	}
	writeMessage(w, http.StatusNotFound, "no Route matched with those values")
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request, rt *route) {
	if isPreflight(r) {
		answerPreflight(w, r)
		return
	}
	w = newCORSWriter(w)
	if rt.handler == nil {
		writeMessage(w, http.StatusServiceUnavailable, rt.service+" is not running: it is switched off in config.toml, or was left out at the start")
		return
	}
	defer h.recover(w, rt.service, r)
	rt.handler.ServeHTTP(w, h.rewrite(r, rt))
}

// recover turns a panic of a service into a logged 500. A panic that means
// "abort the response" goes on to net/http.
func (h *Handler) recover(w http.ResponseWriter, service string, r *http.Request) {
	cause := recover()
	switch cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause)
	default:
		h.log.Error("a service panicked", "service", service, "method", r.Method, "path", r.URL.Path, "cause", cause)
		writeMessage(w, http.StatusInternalServerError, service+" failed unexpectedly")
	}
}

// rewrite makes the request that the service sees; the caller's stays as it is.
func (h *Handler) rewrite(r *http.Request, rt *route) *http.Request {
	out := new(http.Request)
	*out = *r
	out.Header = r.Header.Clone()
	raw := rt.target + r.URL.EscapedPath()[len(rt.prefix):]
	u := *r.URL
	u.RawPath = raw
	if path, err := url.PathUnescape(raw); err == nil {
		u.Path = path
	}
	out.URL = &u
	out.RequestURI = u.RequestURI()
	if rt.bearer {
		h.setBearer(out.Header)
	}
	if rt.profile != "" && out.Header.Get("Content-Profile") == "" {
		out.Header.Set("Content-Profile", rt.profile)
	}
	setForwarded(out.Header, r)
	return out
}

// setBearer applies the CLI's rule for Authorization: a caller's own token stays;
// an opaque key there, or none, is replaced by the JWT of the key in apikey; any
// other apikey is copied as it is.
func (h *Handler) setBearer(header http.Header) {
	if own := header.Get("Authorization"); own != "" && !strings.HasPrefix(own, "Bearer sb_") {
		return
	}
	apikey := header.Get("Apikey")
	switch apikey {
	case "":
		header.Del("Authorization")
	case h.keys.Secret:
		header.Set("Authorization", "Bearer "+h.keys.ServiceRole)
	case h.keys.Publishable:
		header.Set("Authorization", "Bearer "+h.keys.Anon)
	default:
		header.Set("Authorization", apikey)
	}
}

// setForwarded adds what a proxy tells a service about the caller; policies and
// functions can read it from request.headers.
func setForwarded(header http.Header, r *http.Request) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	forwardedFor := host
	if before := header.Get("X-Forwarded-For"); before != "" {
		forwardedFor = before + ", " + host
	}
	header.Set("X-Forwarded-For", forwardedFor)
	header.Set("X-Real-Ip", host)
	for name, value := range map[string]string{
		"X-Forwarded-Proto": "http", "X-Forwarded-Host": r.Host, "X-Forwarded-Path": r.URL.EscapedPath(),
	} {
		if header.Get(name) == "" {
			header.Set(name, value)
		}
	}
}
