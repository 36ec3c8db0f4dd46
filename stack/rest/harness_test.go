package rest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest"
)

const secret = "super-secret-jwt-token-with-at-least-32-characters-long"

// api is a server on a database of its own, and a client of it.
type api struct {
	t        *testing.T
	postgres *postgres.Server
	database string
	server   *rest.Server
	url      string
}

// serve makes a database with the SQL in it, run as postgres, and starts a server on it as the CLI configures it.
func serve(t *testing.T, sql string, change ...func(*rest.Config)) *api {
	t.Helper()
	srv := postgrestest.Shared(t)
	db := postgrestest.ExposedDatabase(t, srv, true)
	postgrestest.Exec(t, srv, "postgres", db, sql)
	return serveDatabase(t, srv, db, change...)
}

// serveDatabase starts a server on a database.
func serveDatabase(t *testing.T, srv *postgres.Server, db string, change ...func(*rest.Config)) *api {
	t.Helper()
	limit := int64(1000)
	c := rest.Config{
		DatabaseURI: srv.URL("authenticator", db), Schemas: []string{"public", "graphql_public"},
		ExtraSearchPath: []string{"public", "extensions"}, AnonRole: "anon", JWTSecret: secret, MaxRows: &limit,
	}
	for _, f := range change {
		f(&c)
	}
	s, err := rest.Start(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return &api{t: t, postgres: srv, database: db, server: s, url: web.URL}
}

// exec runs SQL in the server's database.
func (a *api) exec(role, sql string) {
	a.t.Helper()
	postgrestest.Exec(a.t, a.postgres, role, a.database, sql)
}

// caller is whose token is sent.
type caller jwt.MapClaims

func user(id string) caller { return caller{"role": "authenticated", "sub": id} }

func as(role string) caller { return caller{"role": role} }

// nobody sends no token.
func nobody() caller { return nil }

// reply is a response with its whole body.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

// send sends a request; headers are "Name: value".
func (a *api) send(who caller, method, path, body string, headers ...string) reply {
	a.t.Helper()
	r, err := a.try(a.t.Context(), who, method, path, body, headers...)
	require.NoError(a.t, err)
	return r
}

// try is send for other goroutines than the test's.
func (a *api) try(ctx context.Context, who caller, method, path, body string, headers ...string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Content-Type" {
			req.Header.Del(name) // instead of the usual one
		}
		req.Header.Add(name, value)
	}
	if who != nil {
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(who)).SignedString([]byte(secret))
		if err != nil {
			return reply{}, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return reply{t: a.t, status: resp.StatusCode, header: resp.Header, body: string(text)}, err
}

func (a *api) get(who caller, path string, headers ...string) reply {
	a.t.Helper()
	return a.send(who, http.MethodGet, path, "", headers...)
}

// answers checks status and JSON body.
func (r reply) answers(status int, body string) {
	r.t.Helper()
	assert.Equal(r.t, status, r.status, r.body)
	if body == "" {
		assert.Empty(r.t, r.body)
		return
	}
	assert.JSONEq(r.t, body, r.body)
}

// refuses checks status and error code, and returns the message.
func (r reply) refuses(status int, code string) string {
	r.t.Helper()
	var e struct{ Code, Message string }
	require.NoError(r.t, json.Unmarshal([]byte(r.body), &e), r.body)
	assert.Equal(r.t, status, r.status, r.body)
	assert.Equal(r.t, code, e.Code, r.body)
	return e.Message
}

// eventually waits until f holds.
func eventually(t *testing.T, f func() bool, what string) {
	t.Helper()
	require.Eventually(t, f, 20*time.Second, 10*time.Millisecond, what)
}

// quoteJSON writes a text as JSON.
func quoteJSON(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always can
	}
	return string(out)
}
