package native

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"
)

// REST is a running PostgREST.
type REST struct {
	*child
	api, admin http.Handler
	transport  *http.Transport
	version    string
}

// The variables of PostgREST's addresses.
const (
	restPort  = "PGRST_SERVER_PORT"
	adminPort = "PGRST_ADMIN_SERVER_PORT"
)

// StartREST starts PostgREST and returns when it has loaded its schema cache. The
// environment has the PGRST_ variables without addresses. ctx bounds the start only.
// Errors are *Error; ErrRefused is in those about its settings.
func StartREST(ctx context.Context, cfg Config) (*REST, error) {
	transport := newTransport()
	client := &http.Client{Transport: transport}
	c, err := program{
		Config: cfg, service: "rest", args: cfg.Args, parse: restRecord,
		ports: []string{restPort, adminPort}, host: []string{"PGRST_SERVER_HOST"},
	}.start(ctx, func(ctx context.Context, c *child) error { return restReady(ctx, client, c) })
	if err != nil {
		transport.CloseIdleConnections()
		return nil, err
	}
	r := &REST{child: c, transport: transport}
	if err := r.finish(ctx, client); err != nil {
		_ = r.Stop(context.WithoutCancel(ctx)) // the start's error is the one to report
		return nil, err
	}
	return r, nil
}

func (r *REST) finish(ctx context.Context, client *http.Client) error {
	api, err := r.newProxy(restPort, r.transport)
	if err != nil {
		return err
	}
	admin, err := r.newProxy(adminPort, r.transport)
	if err != nil {
		return err
	}
	api.ModifyResponse = keepReason
	r.api, r.admin = withReason(api), admin
	// Any answer has the header that names the server; this one needs no rights.
	resp, err := get(ctx, client, http.MethodHead, r.url(restPort)+"/")
	if err != nil {
		return err
	}
	r.version = versionOf(resp.Header.Get("Server"))
	return resp.Body.Close()
}

// restReady is PostgREST's own word that it can serve.
func restReady(ctx context.Context, client *http.Client, c *child) error {
	resp, err := get(ctx, client, http.MethodGet, c.url(adminPort)+"/ready")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET /ready: %s: %w", resp.Status, ErrNotReady)
	}
	return nil
}

// ErrNotReady is wrapped by the error of a PostgREST that runs and says that it cannot
// serve its database.
var ErrNotReady = errors.New("its schema cache is not loaded")

// ServeHTTP passes a request on to the API.
func (r *REST) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.api.ServeHTTP(w, req) }

// Admin serves /live and /ready.
func (r *REST) Admin() http.Handler { return r.admin }

// Version is PostgREST's version, such as "14.17"; "unknown" when it does not tell.
func (r *REST) Version() string { return nonEmpty(r.version, "unknown") }

// Warnings say what is wrong with the server that runs.
func (r *REST) Warnings() []string { return warnings(warnOld("PostgREST", r.version, oldestPostgREST)) }

// URL is the address of the API itself, without the gateway and without a final slash.
func (r *REST) URL() string { return r.url(restPort) }

// Reload makes PostgREST read the settings of roles and its schema cache again, and waits
// until it says that it has, for as long as a start may take.
func (r *REST) Reload(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.StartTimeout, errNoReload)
	defer cancel()
	client := &http.Client{Transport: r.transport}
	before, err := r.loads(ctx, client)
	if err != nil {
		return err
	}
	// SIGUSR2 is the settings', SIGUSR1 the schema cache's signal
	// (documentation, "Configuration" and "Schema Cache").
	for _, signal := range []syscall.Signal{syscall.SIGUSR2, syscall.SIGUSR1} {
		if err := syscall.Kill(r.process.PID(), signal); err != nil {
			return fmt.Errorf("signal rest: %w", err)
		}
	}
	tick := time.NewTicker(askInterval)
	defer tick.Stop()
	for {
		now, err := r.loads(ctx, client)
		if err != nil {
			return err
		}
		if now > before && restReady(ctx, client, r.child) == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-r.ended:
			return r.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errNoReload = errors.New("rest does not say that it has read its schema again")

// Stop ends PostgREST. It is idempotent.
func (r *REST) Stop(ctx context.Context) error {
	err := r.stop(ctx)
	r.transport.CloseIdleConnections()
	return err
}

// warnings leaves out the empty ones.
func warnings(list ...string) []string {
	var out []string
	for _, w := range list {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

func nonEmpty(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
