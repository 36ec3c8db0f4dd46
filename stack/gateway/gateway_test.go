package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/keys"
	"github.com/supascore/supascore/stack/proc"
)

// seen is what a service behind the gateway received.
type seen struct {
	Service, Method, URI, Path, Authorization, Profile, ForwardedFor, ForwardedPath string
	HasAuthorization                                                                bool
}

func echo(service string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, has := r.Header["Authorization"]
		w.Header().Set("Access-Control-Allow-Origin", "https://only.example")
		_ = json.NewEncoder(w).Encode(seen{
			Service: service, Method: r.Method, URI: r.RequestURI, Path: r.URL.Path, HasAuthorization: has,
			Authorization: r.Header.Get("Authorization"), Profile: r.Header.Get("Content-Profile"),
			ForwardedFor: r.Header.Get("X-Forwarded-For"), ForwardedPath: r.Header.Get("X-Forwarded-Path"),
		})
	})
}

func serve(t *testing.T, cfg gateway.Config) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(gateway.New(cfg))
	t.Cleanup(srv.Close)
	return srv
}

func full(t *testing.T) (*httptest.Server, keys.Set) {
	t.Helper()
	set, err := keys.New(keys.Config{})
	require.NoError(t, err)
	return serve(t, gateway.Config{
		Keys: set, Auth: echo("auth"), REST: echo("rest"), RESTAdmin: echo("admin"), Mail: echo("mail"),
	}), set
}

func do(t *testing.T, method, url string, headers map[string]string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(body)
}

func TestEachPathReachesItsServiceWithThePrefixTakenOff(t *testing.T) {
	t.Parallel()
	srv, set := full(t)
	for path, want := range map[string]seen{
		"/rest/v1/posts?id=eq.1":                  {Service: "rest", URI: "/posts?id=eq.1", Path: "/posts"},
		"/rest/v1/":                               {Service: "rest", URI: "/", Path: "/"},
		"/rest/v1/odd%2Fname":                     {Service: "rest", URI: "/odd%2Fname", Path: "/odd/name"},
		"/rest-admin/v1/ready":                    {Service: "admin", URI: "/ready", Path: "/ready"},
		"/auth/v1/token?grant_type=password":      {Service: "auth", URI: "/token?grant_type=password", Path: "/token"},
		"/auth/v1/verify?token=x":                 {Service: "auth", URI: "/verify?token=x", Path: "/verify"},
		"/auth/v1/.well-known/jwks.json":          {Service: "auth", URI: "/.well-known/jwks.json", Path: "/.well-known/jwks.json"},
		"/.well-known/oauth-authorization-server": {Service: "auth", URI: "/.well-known/oauth-authorization-server", Path: "/.well-known/oauth-authorization-server"},
		"/graphql/v1":                             {Service: "rest", URI: "/rpc/graphql", Path: "/rpc/graphql", Profile: "graphql_public"},
		"/mail/v1/messages":                       {Service: "mail", URI: "/messages", Path: "/messages"},
	} {
		headers := map[string]string{"Authorization": "Bearer a.b.c"}
		if want.Service == "mail" {
			headers["apikey"] = set.Secret
		}
		resp, body := do(t, http.MethodGet, srv.URL+path, headers)
		require.Equal(t, http.StatusOK, resp.StatusCode, path)
		var got seen
		require.NoError(t, json.Unmarshal([]byte(body), &got), path)
		assert.Equal(t, "127.0.0.1", got.ForwardedFor, path)
		got.Authorization, got.HasAuthorization = "", false
		assert.Equal(t, strings.SplitN(path, "?", 2)[0], got.ForwardedPath, path)
		want.Method, want.ForwardedFor, want.ForwardedPath = http.MethodGet, got.ForwardedFor, got.ForwardedPath
		assert.Equal(t, want, got, path)
	}
}

func TestKeysBecomeTokensByTheRulesOfTheCLI(t *testing.T) {
	t.Parallel()
	srv, set := full(t)
	for name, tc := range map[string]struct {
		headers map[string]string
		want    string
		none    bool
	}{
		"no key, no token":                 {nil, "", true},
		"publishable key":                  {map[string]string{"apikey": set.Publishable}, "Bearer " + set.Anon, false},
		"secret key":                       {map[string]string{"apikey": set.Secret}, "Bearer " + set.ServiceRole, false},
		"a user's token wins over the key": {map[string]string{"apikey": set.Secret, "Authorization": "Bearer a.b.c"}, "Bearer a.b.c", false},
		"an opaque key as bearer":          {map[string]string{"apikey": set.Publishable, "Authorization": "Bearer " + set.Publishable}, "Bearer " + set.Anon, false},
		"an opaque key as bearer only":     {map[string]string{"Authorization": "Bearer " + set.Secret}, "", true},
		"an unknown key is copied":         {map[string]string{"apikey": set.Anon}, set.Anon, false},
		"another scheme stays":             {map[string]string{"apikey": set.Secret, "Authorization": "Basic eA=="}, "Basic eA==", false},
	} {
		for _, path := range []string{"/rest/v1/t", "/auth/v1/user", "/graphql/v1"} {
			_, body := do(t, http.MethodGet, srv.URL+path, tc.headers)
			var got seen
			require.NoError(t, json.Unmarshal([]byte(body), &got))
			assert.Equal(t, tc.want, got.Authorization, "%s on %s", name, path)
			assert.Equal(t, !tc.none, got.HasAuthorization, "%s on %s", name, path)
		}
	}
}

func TestTheMailboxIsReadWithTheSecretKeyOnly(t *testing.T) {
	t.Parallel()
	srv, set := full(t)
	for key, want := range map[string]int{
		"": http.StatusUnauthorized, set.Publishable: http.StatusUnauthorized, set.Anon: http.StatusUnauthorized,
		set.Secret: http.StatusOK,
	} {
		resp, _ := do(t, http.MethodGet, srv.URL+"/mail/v1/", map[string]string{"apikey": key})
		assert.Equal(t, want, resp.StatusCode, key)
	}
}

func TestLinksThatABrowserOpensCarryNoRewrittenToken(t *testing.T) {
	t.Parallel()
	srv, set := full(t)
	_, body := do(t, http.MethodGet, srv.URL+"/auth/v1/verify?type=signup", map[string]string{"apikey": set.Secret})
	var got seen
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	assert.False(t, got.HasAuthorization)
}

func TestPreflightsAreAnsweredAndEveryOriginMayRead(t *testing.T) {
	t.Parallel()
	srv, _ := full(t)
	resp, body := do(t, http.MethodOptions, srv.URL+"/rest/v1/posts", map[string]string{
		"Origin": "https://app.example", "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "apikey, x-client-info",
	})
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Empty(t, body)
	assert.Equal(t, "*", resp.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "apikey, x-client-info", resp.Header.Get("Access-Control-Allow-Headers"))
	assert.Contains(t, resp.Header.Get("Access-Control-Allow-Methods"), "PATCH")

	resp, _ = do(t, http.MethodGet, srv.URL+"/rest/v1/posts", map[string]string{"Origin": "https://app.example"})
	assert.Equal(t, []string{"*"}, resp.Header.Values("Access-Control-Allow-Origin"), "over what the service says")
}

func TestWhatTheStackHasNotIsSaidClearly(t *testing.T) {
	t.Parallel()
	srv := serve(t, gateway.Config{REST: echo("rest")})
	for path, want := range map[string]struct {
		status  int
		message string
	}{
		"/storage/v1/object/x": {http.StatusNotImplemented, "storage is not provided by this stack"},
		"/functions/v1/hello":  {http.StatusNotImplemented, "functions is not provided by this stack"},
		"/realtime/v1/":        {http.StatusNotImplemented, "realtime is not provided by this stack"},
		"/auth/v1/health":      {http.StatusServiceUnavailable, "auth is not running: it is switched off in config.toml"},
		"/":                    {http.StatusNotFound, "no Route matched with those values"},
		"/rest/v1":             {http.StatusNotFound, "no Route matched with those values"},
		"/mail/v1/messages":    {http.StatusNotFound, "no Route matched with those values"},
	} {
		resp, body := do(t, http.MethodGet, srv.URL+path, nil)
		assert.Equal(t, want.status, resp.StatusCode, path)
		var got map[string]string
		require.NoError(t, json.Unmarshal([]byte(body), &got), path)
		assert.Contains(t, got["message"], want.message, path)
	}
}

func TestAPanicOfAServiceIsALogged500(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	srv := serve(t, gateway.Config{
		REST: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }),
		Log:  slog.New(slog.NewTextHandler(&log, nil)),
	})
	resp, body := do(t, http.MethodGet, srv.URL+"/rest/v1/t", nil)
	assert.Equal(t, http.StatusInternalServerError, resp.StatusCode)
	assert.Contains(t, body, "rest failed unexpectedly")
	assert.Contains(t, log.String(), "cause=boom")
}

func TestABusyPortIsAnErrorAndStopIsIdempotent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	first, err := gateway.Listen(ctx, 0, echo("x"), nil)
	require.NoError(t, err)
	_, err = gateway.Listen(ctx, first.Port(), echo("y"), nil)
	var busy *proc.PortError
	require.ErrorAs(t, err, &busy)
	assert.Equal(t, first.Port(), busy.Port)
	assert.ErrorContains(t, err, "is in use by gateway")
	resp, _ := do(t, http.MethodGet, first.URL(), nil)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	require.NoError(t, first.Stop(ctx))
	require.NoError(t, first.Stop(ctx))
	assert.NoError(t, first.Err())
	again, err := gateway.Listen(ctx, first.Port(), echo("z"), nil)
	require.NoError(t, err, "the port is free after Stop")
	require.NoError(t, again.Stop(ctx))
}
