package arena

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/keys"
	"github.com/supascore/supascore/stack/rest"
	"github.com/supascore/supascore/stack/rest/schema"
)

// APISchema is the exposed schema with the function run, by which SQL that has no
// request of its own is run as the caller.
const APISchema = "supascore_api"

// API is the Data API of a clone, in this process.
type API struct {
	// URL is its root through the gateway, without a final slash.
	URL string
	// Key is the key that clients send.
	Key string

	// AuthURL is Auth's root, ServiceKey the key of the project's servers; empty without
	// Auth.
	AuthURL, ServiceKey string

	// others are an engine's servers and their versions, lasting is how they are watched;
	// nil for those of this module.
	others                   []Server
	restVersion, authVersion string
	lasting                  *Lasting

	server *rest.Server
	auth   *auth.Server
	door   http.Handler
	secret string
}

// address is where the clone's services answer: nowhere, requests stay in the process.
const address = "http://arena.invalid"

// Serve starts the Data API of the clone as it is now, and Auth beside it when asked to.
// Those of Config.Engine are servers of their own, see API.Lasting. This module's
// answers one request at a time, over the clone's session: nobody may be using that.
// Every request's transaction in the Data API is undone. Ask for Changes before: a
// candidate that changed no object is served with the schema that is known of its
// template.
func (c *Clone) Serve(ctx context.Context, withAuth bool) (*API, error) {
	if c.api != nil {
		return c.api, nil
	}
	if c.arena.config.Engine != nil {
		return c.serveOthers(ctx, withAuth)
	}
	began := time.Now()
	defer func() { c.Timing.Serve += time.Since(began) }()
	server, err := c.startREST(ctx)
	if err != nil {
		return nil, err
	}
	keys := c.arena.keys
	c.api = &API{URL: address + "/rest/v1", Key: keys.Publishable, server: server, secret: keys.JWTSecret}
	door := gateway.Config{Keys: keys, REST: server, Log: c.cluster.config.Log}
	if withAuth {
		if c.api.auth, err = c.startAuth(ctx); err != nil {
			return nil, err
		}
		c.api.AuthURL, c.api.ServiceKey, door.Auth = address+"/auth/v1", keys.ServiceRole, c.api.auth
	}
	c.api.door = gateway.New(door)
	return c.api, nil
}

func (c *Clone) startREST(ctx context.Context) (*rest.Server, error) {
	maxRows := int64(1000) // of config.toml's default, [api] max_rows
	var known *schema.Snapshot
	if c.Shape() != "" {
		known = c.template.known
	}
	server, err := rest.Start(ctx, rest.Config{
		Session: c.apiSession, Schemas: []string{"public", "graphql_public", APISchema},
		ExtraSearchPath: []string{"public", "extensions"}, AnonRole: "anon", JWTSecret: c.arena.keys.JWTSecret,
		MaxRows: &maxRows, TxEnd: rest.TxEnd{Rollback: true}, ChannelDisabled: true, StaticConfig: true,
		// Code of the candidate could deallocate prepared statements.
		Unprepared: true, Snapshot: known, Savepoint: c.Savepoint(), Log: c.cluster.config.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("arena: start the Data API: %w", err)
	}
	if c.Shape() != "" {
		c.template.known = server.Snapshot()
	}
	return server, nil
}

// startAuth starts Auth as a local project has it, with mails that nobody has to
// confirm.
func (c *Clone) startAuth(ctx context.Context) (*auth.Server, error) {
	cfg, err := auth.FromEnv(map[string]string{
		"GOTRUE_DB_DATABASE_URL": c.cluster.server.URL("supabase_auth_admin", c.database),
		"API_EXTERNAL_URL":       address + "/auth/v1", "GOTRUE_SITE_URL": address, "GOTRUE_JWT_ISSUER": address + "/auth/v1",
		"GOTRUE_JWT_SECRET": c.arena.keys.JWTSecret, "GOTRUE_JWT_EXP": "3600", "GOTRUE_JWT_AUD": "authenticated",
		"GOTRUE_JWT_ADMIN_ROLES": "service_role", "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
		"GOTRUE_MAILER_AUTOCONFIRM": "true",
	})
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	cfg.MaxConns, cfg.Log = 2, c.cluster.config.Log
	server, err := auth.Start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("arena: start Auth: %w", err)
	}
	return server, nil
}

func (a *API) stop(ctx context.Context) error {
	var err error
	if a.server != nil {
		err = a.server.Stop(ctx)
	}
	for _, other := range a.others {
		err = errors.Join(err, other.Stop(ctx))
	}
	if a.lasting != nil {
		err = errors.Join(err, a.lasting.close(ctx))
	}
	if a.auth != nil {
		err = errors.Join(err, a.auth.Stop(ctx))
	}
	return err
}

// Token signs claims as Auth does with the local project's secret, valid for an hour.
func (a *API) Token(claims map[string]any) (string, error) { return keys.Token(a.secret, claims) }

// RoundTrip answers a request without a network in between. What the request's
// context carries reaches the server, see rest.WithObserver.
func (a *API) RoundTrip(request *http.Request) (*http.Response, error) {
	served := request.Clone(request.Context())
	served.RemoteAddr, served.Host = "127.0.0.1:0", request.URL.Host
	if served.Body == nil {
		served.Body = http.NoBody
	}
	if err := a.enter(request.Context()); err != nil {
		return nil, err
	}
	answer := &buffered{header: http.Header{}}
	a.door.ServeHTTP(answer, served)
	if err := served.Body.Close(); err != nil {
		return nil, err
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	return answer.response(request), nil
}

// buffered keeps an answer.
type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header { return b.header }

func (b *buffered) WriteHeader(status int) {
	if b.status == 0 && status >= http.StatusOK {
		b.status = status
	}
}

func (b *buffered) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

func (b *buffered) response(request *http.Request) *http.Response {
	b.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: strconv.Itoa(b.status) + " " + http.StatusText(b.status), StatusCode: b.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: b.header,
		Body: io.NopCloser(&b.body), ContentLength: int64(b.body.Len()), Request: request,
	}
}
