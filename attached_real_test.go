package supascore_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/native"
)

// realAuth puts the real Auth before the database of a running stack, and says where
// the whole is.
func realAuth(t *testing.T, running *stack.Stack) attach.Place {
	t.Helper()
	e := running.Endpoints()
	conn, err := pgx.Connect(t.Context(), e.DBURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "alter role supabase_auth_admin password 'auth'")
	require.NoError(t, err)
	db, err := url.Parse(e.DBURL)
	require.NoError(t, err)
	db.User = url.UserPassword("supabase_auth_admin", "auth")

	var handler *gateway.Handler
	door, err := gateway.Listen(t.Context(), 0, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }), slog.Default())
	require.NoError(t, err)
	server, err := native.StartAuth(t.Context(), native.Config{
		Path: os.Getenv(native.EnvAuth), Log: slog.New(slog.DiscardHandler),
		Env: running.Configuration().AuthEnv(config.RenderInput{AuthDBURL: db.String(), APIURL: door.URL(), JWTSecret: e.Keys.JWTSecret}),
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		assert.NoError(t, door.Stop(ctx))
		assert.NoError(t, server.Stop(ctx))
	})
	rest, err := url.Parse(e.RESTURL)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(rest) }}
	handler = gateway.New(gateway.Config{Keys: e.Keys, Auth: server, REST: proxy})
	return attach.Place{APIURL: door.URL(), DBURL: e.DBURL, Keys: e.Keys}
}

func TestARunningRealAuthIsScoredAndLeftAsFound(t *testing.T) {
	t.Parallel()
	if os.Getenv(native.EnvAuth) == "" {
		t.Skipf("%s names no executable of the real Auth", native.EnvAuth)
	}
	workspace := unpack(t, "hook-on")
	running, _ := boot(t, workspace)
	place := realAuth(t, running)
	before := everything(t, place.DBURL)
	result := scoreAttached(t, workspace, attach.Config{Place: place})
	assert.Empty(t, result.Error)
	assert.Empty(t, result.Notes)
	for id, status := range statuses(result.Checks) {
		if id != "guide-read" {
			assert.Equal(t, evals.StatusPass, status, "%s: %s", id, check(t, result, id).Note)
		}
	}
	assert.NotEqual(t, "unknown", result.Engine.Versions["auth"])
	assert.Equal(t, before, everything(t, place.DBURL))

	wrong := place
	wrong.Keys.Secret = running.Endpoints().Keys.Anon
	assert.Contains(t, scoreAttached(t, workspace, attach.Config{Place: wrong}).Error, "refuses the secret key")
	wrong = place
	wrong.Keys.JWTSecret = "another-secret-of-more-than-32-characters"
	assert.Contains(t, scoreAttached(t, workspace, attach.Config{Place: wrong}).Error, "refuses a token that the JWT secret signs")
}
