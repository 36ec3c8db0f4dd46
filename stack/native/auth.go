package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/native/postbox"
)

// Auth is a running Auth server with the mailbox of what it sends.
type Auth struct {
	*child
	api       http.Handler
	transport *http.Transport
	version   string
	box       *mailbox.Box
	post      *postbox.Server
}

const (
	authPort = "GOTRUE_API_PORT"
	// sender is who mails come from when the settings do not say; the Supabase CLI's.
	sender = "admin@email.com"
)

// StartAuth brings the schema auth to what the executable wants, by its own migrations,
// starts it, and returns when it has answered. The environment has Auth's variables
// without addresses; where mails go is overwritten. ctx bounds the start only. Errors
// are *Error; ErrRefused is in those about its settings.
func StartAuth(ctx context.Context, cfg Config) (*Auth, error) {
	cfg = cfg.withDefaults()
	a := &Auth{box: mailbox.New(mailbox.Config{}), transport: newTransport()}
	var err error
	if a.post, err = postbox.Listen(ctx, a.box, cfg.Log); err != nil {
		return nil, err
	}
	if err := a.boot(ctx, cfg); err != nil {
		_ = a.Stop(context.WithoutCancel(ctx)) // the start's error is the one to report
		return nil, err
	}
	return a, nil
}

func (a *Auth) boot(ctx context.Context, cfg Config) error {
	env := maps.Clone(cfg.Env)
	maps.Copy(env, a.post.Env(nonEmpty(cfg.Env["GOTRUE_SMTP_ADMIN_EMAIL"], sender)))
	echo := newEcho()
	env["GOTRUE_API_REQUEST_ID_HEADER"] = echoHeader
	cfg.Env = env
	serve := program{
		Config: cfg, service: "auth", args: append([]string{"serve"}, cfg.Args...), parse: authRecord,
		ports: []string{authPort}, host: []string{"GOTRUE_API_HOST"}, heard: echo.heard,
	}
	if err := serve.migrate(ctx); err != nil {
		return err
	}
	client := &http.Client{Transport: a.transport}
	var err error
	a.child, err = serve.start(ctx, func(ctx context.Context, c *child) error {
		a.version, err = authHealth(ctx, client, c)
		return err
	})
	if err != nil {
		return err
	}
	proxy, err := a.newProxy(authPort, a.transport)
	if err != nil {
		return err
	}
	a.api = echo.around(proxy)
	return nil
}

// migrate runs Auth's own migrations and waits for their end.
func (p program) migrate(ctx context.Context) error {
	p.args, p.heard = []string{"migrate"}, nil
	if err := p.validate(); err != nil {
		return err
	}
	c, err := p.spawn(ctx)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, p.StartTimeout)
	defer cancel()
	select {
	case <-c.ended:
	case <-limit.Done():
		_ = c.stop(context.WithoutCancel(ctx)) // it never fails
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &Error{
			Service: p.service, Path: p.Path, Tail: c.lines.tail(), Err: limit.Err(),
			What: fmt.Sprintf("migrate does not end within %s", p.StartTimeout),
		}
	}
	if state := c.process.State(); state != nil && state.Success() {
		return nil
	}
	failed := c.Err()
	var e *Error
	if errors.As(failed, &e) && !errors.Is(e, ErrRefused) {
		e.What = "migrate " + e.What
	}
	return failed
}

// authHealth asks a starting Auth for its version.
func authHealth(ctx context.Context, client *http.Client, c *child) (string, error) {
	resp, err := get(ctx, client, http.MethodGet, c.url(authPort)+"/health")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET /health: %s: %s", resp.Status, c.lines.hide(string(body)))
	}
	var health struct{ Version string }
	if err := json.Unmarshal(body, &health); err != nil {
		return "", fmt.Errorf("GET /health: %w", err)
	}
	return versionOf(health.Version), nil
}

// ServeHTTP passes a request on.
func (a *Auth) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.api.ServeHTTP(w, r) }

// Mailbox serves the mails that Auth has sent.
func (a *Auth) Mailbox() http.Handler { return a.box }

// Version is Auth's version, such as "2.196.0"; "unknown" when it does not tell.
func (a *Auth) Version() string { return nonEmpty(a.version, "unknown") }

// Warnings say what is wrong with the server that runs.
func (a *Auth) Warnings() []string { return warnings(warnOld("Auth", a.version, oldestAuth)) }

// URL is the address of Auth itself, without the gateway and without a final slash.
func (a *Auth) URL() string { return a.url(authPort) }

// Stop ends Auth and then its mailbox. It is idempotent.
func (a *Auth) Stop(ctx context.Context) error {
	var err error
	if a.child != nil {
		err = a.stop(ctx)
	}
	a.transport.CloseIdleConnections()
	return errors.Join(err, a.post.Stop(ctx))
}
