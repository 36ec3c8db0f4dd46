package apierror

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer has a server write e, and returns what went over the wire.
func answer(t *testing.T, e *Error, method string) (*http.Response, string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.Write(w, r.Method == http.MethodHead)
	}))
	defer srv.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", srv.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "%s / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", method)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(body)
}

func TestAnErrorIsWrittenWithAllFourKeys(t *testing.T) {
	t.Parallel()
	res, body := answer(t, New(404, "PGRST205", `no "<t>" & é`), "GET")
	assert.Equal(t, 404, res.StatusCode)
	assert.Equal(t, `{"code":"PGRST205","details":null,"hint":null,"message":"no \"<t>\" & é"}`, body)
	assert.Equal(t, "application/json; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Equal(t, "PostgREST; error=PGRST205", res.Header.Get("Proxy-Status"))
	assert.Equal(t, int64(len(body)), res.ContentLength)
	assert.Empty(t, res.Header.Get("Retry-After"))
}

func TestHeadGetsTheHeadersAlone(t *testing.T) {
	t.Parallel()
	for _, e := range []*Error{New(401, "X", "m"), {Status: 402, Reason: "Pay", Code: "PT402", Message: "Pay"}} {
		res, body := answer(t, e, "HEAD")
		assert.Equal(t, e.Status, res.StatusCode)
		assert.Empty(t, body)
		assert.Equal(t, "PostgREST; error="+e.Code, res.Header.Get("Proxy-Status"))
	}
}

func TestTheReasonPhraseCanBeTheErrorsOwn(t *testing.T) {
	t.Parallel()
	e := FromDatabase(Raised{SQLState: "PT418", Message: "I am\r\nSet-Cookie: x=y"}, true)
	res, body := answer(t, e, "GET")
	assert.Equal(t, "418 I am  Set-Cookie: x=y", res.Status, "on one line")
	assert.Empty(t, res.Cookies())
	assert.Contains(t, body, `"code":"PT418"`)
	recorder := httptest.NewRecorder() // cannot be taken over
	e.Write(recorder, false)
	assert.Equal(t, 418, recorder.Code)
}

func TestChangesDoNotReachTheOriginal(t *testing.T) {
	t.Parallel()
	base := New(400, "C", "m")
	a := base.WithHeader("X-A", "1")
	b := a.WithDetails("d").WithHint("h").WithHeader("X-A", "2")
	assert.Nil(t, base.Headers)
	assert.Len(t, a.Headers, 1)
	assert.Nil(t, a.Details)
	res, _ := answer(t, b, "GET")
	assert.Equal(t, []string{"1", "2"}, res.Header.Values("X-A"))
	assert.EqualError(t, b, "C: m")
}

func TestABareTextIsNoJSON(t *testing.T) {
	t.Parallel()
	res, body := answer(t, Plain(500, "Something went wrong"), "GET")
	assert.Equal(t, "Something went wrong", body)
	assert.Equal(t, "text/plain; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Empty(t, res.Header.Get("Proxy-Status"))
}

func TestABusyDatabaseInvitesToTryAgain(t *testing.T) {
	t.Parallel()
	res, _ := answer(t, FromDatabase(Raised{SQLState: "53300", Message: "too many connections"}, true), "GET")
	assert.Equal(t, 503, res.StatusCode)
	assert.Equal(t, "0", res.Header.Get("Retry-After"))
}

func TestSQLStatesBecomeStatuses(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]int{
		"08006": 503, "09000": 500, "0L000": 403, "0P000": 403, "21000": 500, "22023": 400, "22P02": 400, "23502": 400, "23503": 409,
		"23505": 409, "23514": 400, "25006": 405, "25P02": 500, "28000": 403, "2D000": 500, "38000": 500, "39000": 500, "3B000": 500,
		"40001": 500, "42501": 403, "42601": 400, "42703": 400, "42883": 404, "42P01": 404, "42P17": 500, "53200": 503, "53400": 500,
		"54001": 500, "55006": 500, "57014": 500, "57P01": 503, "58000": 500, "F0000": 500, "HV000": 500, "P0001": 400, "P0002": 500,
		"PT204": 204, "PTxyz": 500, "XX000": 500, "ZZZZZ": 400, "": 400,
	} {
		assert.Equal(t, want, FromDatabase(Raised{SQLState: state, Message: "m"}, true).Status, state)
	}
	for message, want := range map[string]int{
		`role "x" does not exist`: 401, "role is what does not exist": 401, "other does not exist": 400,
	} {
		assert.Equal(t, want, FromDatabase(Raised{SQLState: "22023", Message: message}, true).Status, message)
	}
	assert.Equal(t, 400, FromDatabase(Raised{SQLState: "21000", Message: "UPDATE requires a WHERE clause"}, true).Status)
	assert.Equal(t, 406, FromDatabase(Raised{SQLState: "42883", Message: "function xmlagg(integer) does not exist"}, true).Status)
}

func TestADenialOfTheAnonymousRoleAsksForAToken(t *testing.T) {
	t.Parallel()
	e := FromDatabase(Raised{SQLState: "42501", Message: "permission denied", Hint: new("")}, false)
	assert.Equal(t, 401, e.Status)
	assert.Equal(t, []Header{{"WWW-Authenticate", "Bearer"}}, e.Headers)
	assert.Nil(t, e.Details)
	assert.Equal(t, "", e.Hint)
}

func TestARaisedAnswerIsSentAsItSays(t *testing.T) {
	t.Parallel()
	e := FromDatabase(Raised{
		SQLState: "PGRST", Message: `{"code":"E1","message":"tea","hint":"wait"}`,
		Details: new(`{"status":460,"status_text":"Short","headers":{"X-Reason":"teapot","Content-Type":"text/tea"}}`),
	}, false)
	res, body := answer(t, e, "GET")
	assert.Equal(t, "460 Short", res.Status)
	assert.Equal(t, "teapot", res.Header.Get("X-Reason"))
	assert.Equal(t, []string{"text/tea"}, res.Header.Values("Content-Type"))
	assert.JSONEq(t, `{"code":"E1","message":"tea","details":null,"hint":"wait"}`, body)
}

func TestARaisedAnswerThatIsMalformedIsAServerError(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Raised{
		"Invalid JSON value for MESSAGE: 'tea'":                      {Message: "tea", Details: new(`{"status":1,"headers":{}}`)},
		`Invalid JSON value for MESSAGE: '{"code":"E"}'`:             {Message: `{"code":"E"}`, Details: new(`{"status":1,"headers":{}}`)},
		"DETAIL is missing in the RAISE statement":                   {Message: `{"code":"E","message":"m"}`},
		`Invalid JSON value for DETAIL: '{"status":"1"}'`:            {Message: `{"code":"E","message":"m"}`, Details: new(`{"status":"1"}`)},
		`Invalid JSON value for DETAIL: '{"status":1,"headers":[]}'`: {Message: `{"code":"E","message":"m"}`, Details: new(`{"status":1,"headers":[]}`)},
	} {
		r.SQLState = "PGRST"
		e := FromDatabase(r, true)
		assert.Equal(t, 500, e.Status, name)
		assert.Equal(t, "PGRST121", e.Code, name)
		assert.Equal(t, name, e.Details)
		assert.True(t, strings.HasPrefix(e.Hint.(string), "MESSAGE must") || strings.HasPrefix(e.Hint.(string), "DETAIL must"))
	}
}

func TestAStatusWithoutABodyHasNone(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"No Content", "nothing here"} {
		res, body := answer(t, FromDatabase(Raised{SQLState: "PT204", Message: message}, true), "GET")
		assert.Equal(t, "204 "+message, res.Status)
		assert.Empty(t, body)
		assert.Empty(t, res.Header.Values("Content-Length"))
	}
}

func TestAStatusThatCannotBeSentIsAServerError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 99, 100, 199, 1000, -1} {
		recorder := httptest.NewRecorder()
		New(status, "E", "m").Write(recorder, false)
		assert.Equal(t, 500, recorder.Code, status)
	}
}
