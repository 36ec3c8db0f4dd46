package attach_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/keys"
)

// answers maps paths to what a server answers there: status, Server header and body.
type answers map[string][3]any

// stackOf are the answers of a stack of the Supabase CLI to who has key "k".
func stackOf() answers {
	return answers{
		"/auth/v1/health":                   {200, "kong", `{"version":"v2.180.0","name":"GoTrue","description":"x"}`},
		"/auth/v1/settings":                 {200, "kong", `{"mailer_autoconfirm":true}`},
		"/auth/v1/.well-known/jwks.json":    {200, "kong", `{"keys":[]}`},
		"/rest/v1/supascore_looks_for_rest": {404, "postgrest/14.1", `{"code":"PGRST205","message":"Could not find the table"}`},
		"/auth/v1/admin/users":              {200, "kong", `{"users":[]}`},
	}
}

func serve(t *testing.T, a answers) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := a[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Server", answer[1].(string))
		if location, ok := strings.CutPrefix(answer[2].(string), "to "); ok {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(answer[0].(int))
		fmt.Fprint(w, answer[2])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestWhatIsNoStackIsNamedByItsPart(t *testing.T) {
	t.Parallel()
	const nobody = "postgres://postgres:hunter2@127.0.0.1:9/postgres"
	for name, test := range map[string]struct {
		path   string
		answer [3]any
		part   string
		want   string
	}{
		"some other server":  {"/auth/v1/health", [3]any{200, "nginx", "<html>welcome</html>"}, "auth", "GET /auth/v1/health answered 200 <html>welcome</html>"},
		"a starting gateway": {"/auth/v1/health", [3]any{503, "kong", `{"message":"name resolution failed"}`}, "auth", "answered 503"},
		"an old gateway that wants another key": {
			"/auth/v1/health", [3]any{401, "kong", `{"message":"Invalid authentication credentials"}`}, "auth", "refuses the publishable key: 401",
		},
		"settings that cannot be read": {"/auth/v1/settings", [3]any{200, "kong", "x"}, "auth", "invalid character"},
		"a redirect":                   {"/rest/v1/supascore_looks_for_rest", [3]any{307, "kong", "to http://far.test/"}, "rest", "answered 307"},
		"REST that is down":            {"/rest/v1/supascore_looks_for_rest", [3]any{502, "kong", "bad gateway"}, "rest", "answered 502 bad gateway"},
		"no PostgREST":                 {"/rest/v1/supascore_looks_for_rest", [3]any{404, "nginx", `{"error":"x"}`}, "rest", "answered 404"},
		"another secret key":           {"/auth/v1/admin/users", [3]any{403, "kong", `{"msg":"not admin"}`}, "auth", "refuses the secret key: 403"},
		"no database":                  {"/", [3]any{200, "", ""}, "the database", "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := stackOf()
			a[test.path] = test.answer
			_, err := attach.Connect(t.Context(), attach.Place{APIURL: serve(t, a), DBURL: nobody, Keys: keys.Set{Publishable: "k", Secret: "s"}})
			var wrong *attach.AnswerError
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, test.part, wrong.Part)
			assert.ErrorContains(t, err, test.want)
			assert.NotEmpty(t, wrong.Hint())
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestNothingIsAskedWhereARedirectLeads(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer elsewhere.Close()
	a := stackOf()
	a["/auth/v1/health"] = [3]any{307, "kong", "to " + elsewhere.URL + "/auth/v1/health"}
	_, err := attach.Connect(t.Context(), attach.Place{APIURL: serve(t, a), DBURL: "postgres://127.0.0.1:9/x", Keys: keys.Set{Publishable: "k"}})
	require.ErrorContains(t, err, "answered 307")
	assert.Zero(t, asked.Load())
}

func TestASilentServerDoesNotOutlastTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	_, err := attach.Connect(ctx, attach.Place{APIURL: server.URL, DBURL: "postgres://127.0.0.1:9/x", Keys: keys.Set{Publishable: "k"}})
	assert.ErrorIs(t, err, context.Canceled)
}
