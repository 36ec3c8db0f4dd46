package native_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/nativetest"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	nativetest.Main()
	os.Exit(postgrestest.Main(m))
}

// secret is the JWT secret of the tests; no error and no log may have it.
const secret = "a-secret-of-the-tests-that-nobody-may-see"

// authEnv is what Auth needs on a database of its own.
func authEnv(t *testing.T, more ...map[string]string) map[string]string {
	t.Helper()
	server := postgrestest.Shared(t)
	env := map[string]string{
		"GOTRUE_DB_DRIVER": "postgres", "DB_NAMESPACE": "auth",
		"GOTRUE_DB_DATABASE_URL": server.URL("supabase_auth_admin", postgrestest.Database(t, server)),
		"API_EXTERNAL_URL":       "http://127.0.0.1:54321/auth/v1", "GOTRUE_SITE_URL": "http://127.0.0.1:3000",
		"GOTRUE_JWT_SECRET": secret, "GOTRUE_JWT_AUD": "authenticated", "GOTRUE_JWT_EXP": "3600",
		"GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated", "GOTRUE_EXTERNAL_EMAIL_ENABLED": "true",
		"GOTRUE_MAILER_URLPATHS_CONFIRMATION": "http://127.0.0.1:54321/auth/v1/verify",
		"GOTRUE_MAILER_URLPATHS_RECOVERY":     "http://127.0.0.1:54321/auth/v1/verify",
	}
	for _, m := range more {
		maps.Copy(env, m)
	}
	return env
}

// restEnv is what PostgREST needs on a database of its own.
func restEnv(t *testing.T) map[string]string {
	t.Helper()
	server := postgrestest.Shared(t)
	return map[string]string{
		"PGRST_DB_URI":     server.URL("authenticator", postgrestest.ExposedDatabase(t, server, true)),
		"PGRST_DB_SCHEMAS": "public", "PGRST_DB_ANON_ROLE": "anon", "PGRST_JWT_SECRET": secret,
	}
}

// logged keeps what a server logs as JSON lines.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// lines are the lines as objects.
func (l *logged) lines(t *testing.T) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(l.String()) {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
		list = append(list, object)
	}
	return list
}

func newLog() (*slog.Logger, *logged) {
	l := &logged{}
	return slog.New(slog.NewJSONHandler(l, nil)), l
}

func startAuth(t *testing.T, cfg native.Config) *native.Auth {
	t.Helper()
	a, err := native.StartAuth(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return a
}

func startREST(t *testing.T, cfg native.Config) *native.REST {
	t.Helper()
	r, err := native.StartREST(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Stop(context.Background())) })
	return r
}

// ask sends one request to a handler as a gateway would, over HTTP.
func ask(t *testing.T, h http.Handler, method, path, body string) (int, http.Header, string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := server.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, text.String()
}

// failure is the error of a start as the package's own.
func failure(t *testing.T, err error) *native.Error {
	t.Helper()
	var e *native.Error
	require.ErrorAs(t, err, &e)
	return e
}

// ended waits until a server is gone.
func ended(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		require.Fail(t, "the server does not end")
	}
}

// databaseOf is the database that a connection string names.
func databaseOf(t *testing.T, uri string) string {
	t.Helper()
	u, err := url.Parse(uri)
	require.NoError(t, err)
	return strings.TrimPrefix(u.Path, "/")
}

func queryOf(t *testing.T, link string) url.Values {
	t.Helper()
	u, err := url.Parse(link)
	require.NoError(t, err)
	return u.Query()
}
