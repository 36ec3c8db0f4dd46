package restreplay

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity"
)

func TestEveryRecordingCanBeRead(t *testing.T) {
	t.Parallel()
	list, err := Load(os.DirFS("../../../fixtures/recordings/rest"))
	require.NoError(t, err)
	requests, groups := 0, map[string]bool{}
	for _, s := range list {
		groups[s.Group()] = true
		for _, step := range s.Steps {
			if step.Request == nil {
				continue
			}
			requests++
			_, err := step.wire("", time.Now())
			assert.NoError(t, err, "%s: %s", s.Name, step.Name)
			assert.Empty(t, compare(step, recordedAnswer(t, step)), "%s: %s: a recording agrees with itself", s.Name, step.Name)
		}
	}
	assert.Len(t, list, 131)
	assert.Len(t, groups, 25)
	assert.Equal(t, 2025, requests)
}

func TestSettingsAreTheEnvironmentOfPostgREST(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]string{
		"PGRST_DB_URI": "postgres://x", "PGRST_DB_CHANNEL_ENABLED": "true", "PGRST_DB_MAX_ROWS": "5", "PGRST_APP_SETTINGS_A": "b",
	}, Environment("postgres://x", map[string]string{"db-channel-enabled": "true", "db-max-rows": "5", "app-settings-a": "b"}))
	assert.Equal(t, "false", Environment("", nil)["PGRST_DB_CHANNEL_ENABLED"])
}

// recordedAnswer is the answer that a step recorded.
func recordedAnswer(t *testing.T, s Step) answer {
	t.Helper()
	r := s.Response
	a := answer{status: r.Status, reason: r.Reason, header: http.Header{}, body: []byte(r.Body)}
	for name, values := range r.Headers {
		for _, v := range values {
			a.header.Add(name, v)
		}
	}
	switch {
	case r.BodyBase64 != nil:
		body, err := base64.StdEncoding.DecodeString(*r.BodyBase64)
		require.NoError(t, err)
		a.body = body
	case r.BodyKeys != nil:
		paths := map[string]any{}
		for _, k := range r.PathKeys {
			paths[k] = 1
		}
		root := map[string]any{}
		for _, k := range r.BodyKeys {
			root[k] = 1
		}
		root["paths"] = paths
		body, err := json.Marshal(root)
		require.NoError(t, err)
		a.body = body
	case !isJSON(r.Headers["content-type"]):
		var text string
		require.NoError(t, json.Unmarshal(r.Body, &text))
		a.body = []byte(text)
	}
	return a
}

func TestRecordingsThatSayTooMuchOrTooLittleAreRefused(t *testing.T) {
	t.Parallel()
	step := `{"name":"a","request":{"method":"GET","path":"/","headers":{}},"response":{"status":200}}`
	for text, want := range map[string]string{
		`{"scenario":"g/s","steps":[],"later":1}`:                                   `unknown field "later"`,
		`{"scenario":"g/s","steps":[]}`:                                             "scenario and steps must be set",
		`{"scenario":"g/s","steps":[{"name":"a"}]}`:                                 "exactly one of request and sql",
		`{"scenario":"g/s","steps":[` + step + "," + step + `]}`:                    "the name is taken",
		`{"scenario":"g/s","steps":[` + step + `]} {}`:                              "text after the end",
		`{"scenario":"g/s","steps":[` + strings.Replace(step, "200", "0", 1) + `]}`: "response.status is missing",
	} {
		_, err := Decode(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err := Load(fstest.MapFS{"g/other.json": {Data: []byte(`{"scenario":"g/s","steps":[` + step + `]}`)}})
	assert.ErrorContains(t, err, `g/other.json: the scenario is called "g/s"`)
}

func TestDifferencesAreSeen(t *testing.T) {
	t.Parallel()
	const jsonType = "application/json; charset=utf-8"
	want := func(body string) Step {
		return Step{Response: Response{Status: 200, Headers: map[string]Values{"content-type": {jsonType}}, Body: json.RawMessage(body)}}
	}
	got := func(body string) answer {
		return answer{status: 200, header: http.Header{"Content-Type": {jsonType}}, body: []byte(body)}
	}
	failure := `{"code":"X","message":"m","details":null,"hint":"h"}`
	for name, c := range map[string]struct {
		step  Step
		got   answer
		paths []string
	}{
		"nothing":          {want(`[{"a":1.50}]`), got(`[{"a": 1.50}]`), nil},
		"a number's text":  {want(`[{"a":1.50}]`), got(`[{"a":1.5}]`), []string{"body.0.a"}},
		"order of keys":    {want(`{"a":1,"b":2}`), got(`{"b":2,"a":1}`), []string{"body"}},
		"a repeated key":   {want(`{"a":1,"a":2}`), got(`{"a":2}`), []string{"body"}},
		"order of a list":  {want(`[1,2]`), got(`[2,1]`), []string{"body.0", "body.1"}},
		"length of a list": {want(`[1,2]`), got(`[1]`), []string{"body"}},
		"null and absent":  {want(`[{"a":null}]`), got(`[{}]`), []string{"body.0"}},
		"text, not JSON":   {want(`[]`), got(`oops`), []string{"body"}},
		"no body":          {want(`[]`), got(``), []string{"body"}},
		"empty string":     {want(`""`), got(`""`), nil},
		"an error's words": {want(failure), got(`{"hint":null,"message":"n","details":null,"code":"X"}`), []string{"body.message"}},
		"an error's keys":  {want(failure), got(`{"message":"m","code":"X"}`), []string{"body"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.paths, paths(compare(c.step, c.got)))
		})
	}
	hinted := want(failure)
	hinted.CompareHint = true
	assert.Equal(t, []string{"body.hint"}, paths(compare(hinted, got(`{"code":"X","message":"m","details":null,"hint":"i"}`))))
}

func paths(list []parity.Difference) (out []string) {
	for _, d := range list {
		out = append(out, d.Path)
	}
	return out
}

func TestHeadersAreComparedBothWays(t *testing.T) {
	t.Parallel()
	step := Step{Response: Response{Status: 204, Reason: "Fine", Body: json.RawMessage(`""`), Headers: map[string]Values{
		"content-range": {"*/*"}, "set-cookie": {"a", "b"},
	}}}
	got := answer{status: 200, reason: "OK", header: http.Header{
		"Set-Cookie": {"a"}, "Location": {"/x"}, "Date": {"now"}, "Access-Control-Allow-Origin": {"*"},
	}}
	assert.Equal(t, []string{
		"status", "reason", "header content-range", "header set-cookie", "header access-control-allow-origin", "header location",
	}, paths(compare(step, got)))
}

func TestBytesAndTextsAreComparedExactly(t *testing.T) {
	t.Parallel()
	csv := Step{Response: Response{Status: 200, Headers: map[string]Values{"content-type": {"text/csv"}}, Body: json.RawMessage(`"a\n1"`)}}
	header := http.Header{"Content-Type": {"text/csv"}}
	assert.Empty(t, compare(csv, answer{status: 200, header: header, body: []byte("a\n1")}))
	assert.Equal(t, []string{"body"}, paths(compare(csv, answer{status: 200, header: header, body: []byte("a\n1\n")})))
	binary := Step{Response: Response{Status: 200, BodyBase64: new("/w==")}}
	assert.Empty(t, compare(binary, answer{status: 200, body: []byte{0xff}}))
	assert.Equal(t, []string{"body (base64)"}, paths(compare(binary, answer{status: 200, body: []byte{0xfe}})))
	root := Step{Response: Response{Status: 200, BodyKeys: []string{"paths", "info"}, PathKeys: []string{"/"}}}
	assert.Empty(t, compare(root, answer{status: 200, body: []byte(`{"info":1,"paths":{"/":1}}`)}))
	assert.Equal(t, []string{"keys of the body", "keys of body.paths"},
		paths(compare(root, answer{status: 200, body: []byte(`{"paths":{"/":1,"/x":1}}`)})))
	assert.Equal(t, []string{"keys of the body", "body.paths"}, paths(compare(root, answer{status: 200, body: []byte(`{"paths":1}`)})))
}

func TestTokensKeepTheOrderOfTheirClaims(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	value, sent, err := Step{As: json.RawMessage(`{ "sub": "u", "exp": "<now+30>", "nbf":"<now-5>" }`)}.authorization(now)
	require.NoError(t, err)
	require.True(t, sent)
	encoded := strings.TrimPrefix(value, "Bearer ")
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(encoded, ".")[1])
	require.NoError(t, err)
	assert.Equal(t, `{"sub":"u","exp":1030,"nbf":995}`, string(payload))
	_, err = jwt.Parse(encoded, func(*jwt.Token) (any, error) { return []byte(jwtSecret), nil }, jwt.WithTimeFunc(func() time.Time { return now }))
	assert.NoError(t, err, "the signature is good")

	_, sent, err = Step{As: json.RawMessage(`"none"`)}.authorization(now)
	assert.False(t, sent)
	require.NoError(t, err)
	value, _, err = Step{As: json.RawMessage(`"none"`), RawAuthorization: new("Basic x")}.authorization(now)
	assert.Equal(t, "Basic x", value)
	require.NoError(t, err)
	_, _, err = Step{As: json.RawMessage(`"somebody"`)}.authorization(now)
	assert.ErrorContains(t, err, `"somebody" is neither`)
}

func TestARequestIsSentByteByByte(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	listener, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	received := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		var head strings.Builder
		for {
			line, err := r.ReadString('\n')
			head.WriteString(line)
			if err != nil || line == "\r\n" {
				break
			}
		}
		body := make([]byte, 4)
		_, _ = io.ReadFull(r, body)
		received <- head.String() + string(body)
		_, _ = io.WriteString(conn, "HTTP/1.1 299 Very Odd\r\nContent-Length: 2\r\nX-A: 1\r\nX-A: 2\r\n\r\nhi")
	}()
	got, err := send(t.Context(), "http://"+listener.Addr().String(), Step{
		RawAuthorization: new("Bearer "),
		Request: &Request{
			Method: "purge", Path: "//a?b=%zz", Headers: map[string]Values{"Prefer": {"x", "y"}, "Accept": {"ä"}}, Body: new("\x00{}\n"),
		},
	})
	require.NoError(t, err)
	assert.Equal(t, "purge //a?b=%zz HTTP/1.1\r\nHost: localhost:3000\r\nConnection: close\r\nAccept: ä\r\nPrefer: x\r\nPrefer: y\r\n"+
		"Authorization: Bearer \r\nContent-Length: 4\r\n\r\n\x00{}\n", <-received)
	assert.Equal(t, 299, got.status)
	assert.Equal(t, "Very Odd", got.reason)
	assert.Equal(t, []string{"1", "2"}, got.header.Values("X-A"))
	assert.Equal(t, "hi", string(got.body))
}

// fakeTarget answers every request with 200 and the text "hello", and writes down what is asked of it.
type fakeTarget struct {
	log    []string
	srv    *httptest.Server
	config map[string]string
	fail   string
}

func (f *fakeTarget) note(what string) error {
	f.log = append(f.log, what)
	if what == f.fail {
		return errors.New("no")
	}
	return nil
}

func (f *fakeTarget) Open(context.Context) (Instance, error)      { return f, f.note("open") }
func (f *fakeTarget) Cleanup(_ context.Context, sql string) error { return f.note("cleanup " + sql) }

func (f *fakeTarget) Exec(_ context.Context, role, sql string) error { return f.note(role + " " + sql) }
func (f *fakeTarget) Reload(context.Context) error                   { return f.note("reload") }

func (f *fakeTarget) Start(_ context.Context, config map[string]string) (string, error) {
	f.config = config
	f.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "hello")
	}))
	return f.srv.URL, f.note("start")
}

func (f *fakeTarget) Close(context.Context) error {
	if f.srv != nil {
		f.srv.Close()
	}
	return f.note("close")
}

func scenario() Scenario {
	request := func(name, body string) Step {
		return Step{
			Name: name, As: json.RawMessage(`"anon"`), Request: &Request{Method: "GET", Path: "/"},
			Response: Response{Status: 200, Headers: map[string]Values{"content-type": {"text/plain"}}, Body: json.RawMessage(body)},
		}
	}
	return Scenario{
		Name: "g/s", SetupSQL: "set up", CleanupSQL: "drop role x", Config: map[string]*string{"db-max-rows": new("2"), "db-anon-role": nil},
		Steps: []Step{request("same", `"hello"`), {Name: "change", SQL: "alter"}, {Name: "tell", SQL: "notify", Reload: true}, request("other", `"bye"`)},
	}
}

func TestAScenarioIsReplayedInOrderAndCleanedUp(t *testing.T) {
	t.Parallel()
	f := &fakeTarget{}
	steps, err := Run(t.Context(), f, scenario())
	require.NoError(t, err)
	assert.Equal(t, []string{
		"open", "postgres set up", "start", "superuser alter", "superuser notify", "reload", "close", "cleanup drop role x",
	}, f.log)
	assert.Equal(t, "2", f.config["db-max-rows"])
	assert.NotContains(t, f.config, "db-anon-role")
	assert.Equal(t, "public,graphql_public", f.config["db-schemas"])
	require.Len(t, steps, 4)
	assert.True(t, steps[0].Agrees())
	assert.Equal(t, []parity.Difference{{Path: "body", Want: `"bye"`, Got: `"hello"`}}, steps[3].Differences)
}

func TestAScenarioThatCannotBeSetUpIsAnError(t *testing.T) {
	t.Parallel()
	for fail, want := range map[string]string{
		"open": "replay g/s: no", "postgres set up": "replay g/s: set up: no", "start": "replay g/s: start: no",
		"close": "replay g/s: clean up: no", "cleanup drop role x": "replay g/s: clean up: no",
	} {
		f := &fakeTarget{fail: fail}
		_, err := Run(t.Context(), f, scenario())
		assert.EqualError(t, err, want)
		if fail != "open" {
			assert.Contains(t, f.log, "close")
		}
	}
	f := &fakeTarget{fail: "superuser alter"}
	steps, err := Run(t.Context(), f, scenario())
	require.NoError(t, err)
	assert.EqualError(t, steps[1].Err, "no", "a step that fails is one that differs")
	assert.False(t, steps[1].Agrees())
}

func TestScenariosThatAlterSharedRolesRunAlone(t *testing.T) {
	t.Parallel()
	s := scenario()
	assert.False(t, s.ChangesSharedRoles())
	s.Steps[1].SQL = "alter role authenticated set statement_timeout = 1"
	assert.True(t, s.ChangesSharedRoles())
}
