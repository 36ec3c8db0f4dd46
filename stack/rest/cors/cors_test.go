package cors

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ask sends a request to a server on which every path answers 204.
func ask(t *testing.T, origins []string, method string, header map[string]string) *http.Response {
	t.Helper()
	engine := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	srv := httptest.NewServer(Handler(engine, origins))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+"/items", nil)
	require.NoError(t, err)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	res, err := srv.Client().Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res
}

func TestAPreflightIsAnsweredWithoutTheEngine(t *testing.T) {
	t.Parallel()
	res := ask(t, nil, "OPTIONS", map[string]string{
		"Origin": "http://a.test", "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "apikey, ACCEPT",
	})
	assert.Equal(t, 200, res.StatusCode)
	assert.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD", res.Header.Get("Access-Control-Allow-Methods"))
	assert.Equal(t, "Authorization, apikey, ACCEPT, Accept-Language, Content-Language", res.Header.Get("Access-Control-Allow-Headers"))
	assert.Equal(t, "86400", res.Header.Get("Access-Control-Max-Age"))
	assert.Empty(t, res.Header.Get("Access-Control-Allow-Credentials"))
}

func TestAnUnknownMethodIsLeftToTheEngine(t *testing.T) {
	t.Parallel()
	res := ask(t, nil, "OPTIONS", map[string]string{"Origin": "http://a.test", "Access-Control-Request-Method": "PURGE"})
	assert.Equal(t, 204, res.StatusCode)
	assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
}

func TestAnAnswerTellsWhatScriptsMayRead(t *testing.T) {
	t.Parallel()
	res := ask(t, nil, "GET", map[string]string{"Origin": "null"})
	assert.Equal(t, 204, res.StatusCode)
	assert.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, exposed(), res.Header.Get("Access-Control-Expose-Headers"))
}

func TestARequestWithoutAnOriginIsNotTouched(t *testing.T) {
	t.Parallel()
	res := ask(t, nil, "GET", nil)
	assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
	assert.Empty(t, res.Header.Get("Access-Control-Expose-Headers"))
}

func TestOnlyListedOriginsAreAllowed(t *testing.T) {
	t.Parallel()
	origins := []string{"https://app.test"}
	for name, c := range map[string]struct {
		method, origin, want string
		status               int
	}{
		"a listed one reads":          {"GET", "https://app.test", "https://app.test", 204},
		"a listed one asks":           {"OPTIONS", "https://app.test", "https://app.test", 200},
		"another one reads unmarked":  {"GET", "https://evil.test", "", 204},
		"another one gets no consent": {"OPTIONS", "https://evil.test", "", 204},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := ask(t, origins, c.method, map[string]string{"Origin": c.origin, "Access-Control-Request-Method": "GET"})
			assert.Equal(t, c.status, res.StatusCode)
			assert.Equal(t, c.want, res.Header.Get("Access-Control-Allow-Origin"))
			assert.Equal(t, c.want != "", res.Header.Get("Access-Control-Allow-Credentials") == "true")
		})
	}
}
