package hooks_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/hooks"
)

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr"

func httpHooks(t *testing.T, handler http.HandlerFunc) *hooks.Hooks {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newHooks(t, hooks.CustomAccessToken,
		hooks.Point{URI: server.URL + "/claims", Secrets: []string{"v1," + testSecret}},
		func(c *hooks.Config) { c.HTTPBackoff, c.HTTPTimeout = time.Millisecond, 2*time.Second })
}

// echoEvent answers with the event, which has good claims.
func echoEvent(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.Copy(w, r.Body)
}

func TestAnHTTPHookGetsASignedEvent(t *testing.T) {
	t.Parallel()
	webhook, err := standardwebhooks.NewWebhook(testSecret)
	require.NoError(t, err)
	h := httpHooks(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NoError(t, webhook.Verify(body, r.Header))
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.Equal(t, "identity", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	got, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
	require.NoError(t, err)
	assert.Equal(t, "authenticated", got["role"])
}

func TestWhatAnHTTPAnswerTurnsInto(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status        int
		header        map[string]string
		body          string
		wantStatus    int
		code, message string
		tries         int32
	}{
		"no content":   {204, nil, "", 500, "", schemaMessage + "- (root): Invalid type. Expected: object, given: null\n", 1},
		"created":      {201, nil, "{}", 500, hooks.CodeUnexpectedFailure, "Unexpected status code returned from hook: 201", 1},
		"bad request":  {400, nil, "{}", 500, hooks.CodeUnexpectedFailure, "Invalid payload sent to hook", 1},
		"unauthorized": {401, nil, "{}", 500, hooks.CodeUnexpectedFailure, "Hook requires authorization token", 1},
		"unavailable":  {503, nil, "{}", 500, hooks.CodeUnexpectedFailure, "Service currently unavailable due to hook", 1},
		"ask again":    {429, map[string]string{"Retry-After": "x"}, "{}", 500, hooks.CodeUnexpectedFailure, "Service currently unavailable due to hook", 3},
		"plain text":   {200, map[string]string{"Content-Type": "text/plain"}, "{}", 400, hooks.CodeInvalidContentType, "Invalid JSON response. Received content-type: text/plain", 1},
		"bad type":     {200, map[string]string{"Content-Type": "application/"}, "{}", 400, hooks.CodeInvalidContentType, "Invalid Content-Type header: mime: expected token after slash", 1},
		"error object": {202, map[string]string{"Content-Type": "application/json"}, `{"error":{"http_code":403,"message":"no"}}`, 403, "", "no", 1},
		"empty":        {200, map[string]string{"Content-Type": "application/json"}, ``, 500, hooks.CodeUnexpectedFailure, "Error unmarshaling JSON output.", 1},
		"too long":     {200, map[string]string{"Content-Type": "application/json"}, strings.Repeat(" ", 204801), 422, hooks.CodeOverSizeLimit, "Payload size exceeded size limit of 204800 bytes", 1},
		"just fits":    {200, map[string]string{"Content-Type": "application/json"}, strings.Repeat(" ", 204798) + "{}", 500, "", "output claims field is missing", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int32
			h := httpHooks(t, func(w http.ResponseWriter, _ *http.Request) {
				tries.Add(1)
				for name, value := range test.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			_, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
			var failure *hooks.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, test.wantStatus, failure.Status)
			assert.Equal(t, test.code, failure.Code)
			assert.Equal(t, test.message, failure.Message)
			assert.Equal(t, test.tries, tries.Load())
		})
	}
}

func TestABrokenConnectionIsTriedAgain(t *testing.T) {
	t.Parallel()
	for drops, works := range map[int32]bool{1: true, 2: true, 3: false} {
		var tries atomic.Int32
		h := httpHooks(t, func(w http.ResponseWriter, r *http.Request) {
			if tries.Add(1) <= drops {
				panic(http.ErrAbortHandler)
			}
			echoEvent(w, r)
		})
		_, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
		if works {
			require.NoError(t, err, "%d drops", drops)
			continue
		}
		var failure *hooks.Error
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, hooks.CodeTimeoutAfterRetry, failure.Code)
		assert.Equal(t, http.StatusUnprocessableEntity, failure.Status)
		assert.Equal(t, int32(3), tries.Load())
	}
}

func TestASlowHTTPHookRunsIntoTheBudget(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	t.Cleanup(func() { close(done); server.Close() })
	h := newHooks(t, hooks.CustomAccessToken, hooks.Point{URI: server.URL}, func(c *hooks.Config) {
		c.HTTPTimeout = 50 * time.Millisecond
	})
	_, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
	var failure *hooks.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, hooks.CodeTimeout, failure.Code)
	assert.Equal(t, "Failed to reach hook within maximum time of 0.050000 seconds", failure.Message)
}

func TestAnAsymmetricSecretStartsAndCannotSign(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("A", 44)
	h := newHooks(t, hooks.SendEmail,
		hooks.Point{URI: "http://localhost:1/", Secrets: []string{"v1a,whpk_" + key + ":whsk_" + key}}, nil)
	err := h.SendEmail(t.Context(), nil, hooks.EmailInput{})
	var failure *hooks.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, "Error generating signatures: invalid signature format", failure.Message)
}
