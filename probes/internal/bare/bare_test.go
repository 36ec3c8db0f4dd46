package bare_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/internal/bare"
)

// exchange sends one request to a server that answers as told.
func exchange(t testing.TB, status int, header map[string]string, body string) *bare.Recorder {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	recorder := bare.NewRecorder(context.Background(), http.DefaultTransport)
	request, err := http.NewRequest(http.MethodPost, server.URL+"/auth/v1/signup?x=1", nil)
	require.NoError(t, err)
	response, err := recorder.RoundTrip(request)
	if err == nil {
		read, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, body, string(read), "the client library reads the same body")
	}
	return recorder
}

func TestTheErrorFieldsOfBothServicesAreRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		status  int
		header  map[string]string
		body    string
		want    probes.Answer
		trouble string
	}{
		{
			"Auth", 500, nil, `{"code":500,"error_code":"unexpected_failure","msg":"Error running hook URI: x"}`,
			probes.Answer{Code: "unexpected_failure", Message: "Error running hook URI: x", Rows: -1},
			"",
		},
		{
			"Auth, newer API version", 422, nil, `{"code":"weak_password","message":"Password should be longer","weak_password":{}}`,
			probes.Answer{Code: "weak_password", Message: "Password should be longer", Rows: -1},
			"",
		},
		{
			"Auth, OAuth's form", 400, nil, `{"error":"invalid_grant","error_description":"Invalid login credentials"}`,
			probes.Answer{Code: "invalid_grant", Message: "Invalid login credentials", Rows: -1},
			"",
		},
		{
			"Auth, code in the header only", 500,
			map[string]string{"X-Sb-Error-Code": "unexpected_failure"},
			`{"code":500,"msg":"x"}`,
			probes.Answer{Code: "unexpected_failure", Message: "x", Rows: -1},
			"",
		},
		{
			"PostgREST", 403, nil, `{"code":"42501","details":"d","hint":"h","message":"permission denied for table posts"}`,
			probes.Answer{Code: "42501", Message: "permission denied for table posts", Details: "d", Hint: "h", Rows: -1},
			"",
		},
		{
			"PostgREST, empty fields", 404, nil, `{"code":"PGRST205","details":null,"hint":null,"message":"m"}`,
			probes.Answer{Code: "PGRST205", Message: "m", Rows: -1},
			"",
		},
		{
			"PostgREST without its database", 503, nil, `{"code":"PGRST000","message":"Could not connect"}`,
			probes.Answer{Code: "PGRST000", Message: "Could not connect", Rows: -1},
			"the REST service has no database: PGRST000 Could not connect",
		},
		{"text", 502, nil, "Bad Gateway", probes.Answer{Message: "Bad Gateway", Rows: -1}, ""},
		{"nothing", 500, nil, "", probes.Answer{Rows: -1}, ""},
		{"rows", 200, nil, `[{"id":1},{"id":2}]`, probes.Answer{Rows: 2}, ""},
		{"no rows", 200, nil, `[]`, probes.Answer{Rows: 0}, ""},
		{"no content", 204, nil, "", probes.Answer{Rows: -1}, ""},
		{"an object that looks like an error in a good answer", 200, nil, `{"code":"x","message":"y"}`, probes.Answer{Rows: -1}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			recorder := exchange(t, test.status, test.header, test.body)
			got := recorder.Answer
			assert.False(t, got.Started.IsZero())
			got.Timing = probes.Timing{}
			test.want.Method, test.want.Path, test.want.Status = http.MethodPost, "/auth/v1/signup?x=1", test.status
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.trouble, recorder.Trouble())
		})
	}
}

func TestAnAnswerThatIsTooLargeIsTrouble(t *testing.T) {
	t.Parallel()
	recorder := exchange(t, 200, nil, strings.Repeat("x", 5<<20))
	assert.Contains(t, recorder.Trouble(), "larger than 4194304 bytes")
	assert.Zero(t, recorder.Answer.Status)
}

func TestNoAnswerIsTrouble(t *testing.T) {
	t.Parallel()
	recorder := bare.NewRecorder(t.Context(), bare.NewTransport())
	assert.Equal(t, "no request was sent", recorder.Trouble())
	request, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:1/", nil)
	require.NoError(t, err)
	_, err = recorder.RoundTrip(request) //nolint:bodyclose // there is no response
	require.Error(t, err)
	assert.Equal(t, err.Error(), recorder.Trouble())
}

func TestAPingSaysWhyThereIsNoAnswer(t *testing.T) {
	t.Parallel()
	status := http.StatusNotFound
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "key", r.Header.Get("apikey"))
		w.WriteHeader(status)
	}))
	defer server.Close()
	assert.Empty(t, bare.Ping(t.Context(), http.DefaultTransport, server.URL, "key"), "a 404 is an answer")
	status = http.StatusServiceUnavailable
	assert.Contains(t, bare.Ping(t.Context(), http.DefaultTransport, server.URL, "key"), "answered 503")
	assert.NotEmpty(t, bare.Ping(t.Context(), http.DefaultTransport, "http://127.0.0.1:1", "key"))
	assert.NotEmpty(t, bare.Ping(t.Context(), http.DefaultTransport, "::", "key"))
}
