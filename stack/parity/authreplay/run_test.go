package authreplay_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
)

// fakeTarget is a server made of one handler, without a database. It refuses
// settings that have the variable BAD.
type fakeTarget struct {
	handler http.HandlerFunc
	starts  []authreplay.Start
	open    int
}

func (f *fakeTarget) Open(context.Context) (authreplay.Instance, error) {
	f.open++
	return &fakeInstance{target: f}, nil
}

type fakeInstance struct {
	target *fakeTarget
	http   *httptest.Server
}

var errNoDatabase = errors.New("the fake has no database")

func (i *fakeInstance) Connect(context.Context, string) (*pgx.Conn, error) { return nil, errNoDatabase }

func (i *fakeInstance) Start(_ context.Context, start authreplay.Start) (string, error) {
	i.target.starts = append(i.target.starts, start)
	if start.Env["BAD"] != "" {
		return "", &authreplay.Refusal{Reason: "bad"}
	}
	i.http = httptest.NewServer(i.target.handler)
	return i.http.URL, nil
}

func (i *fakeInstance) Stop(context.Context) error {
	if i.http != nil {
		i.http.Close()
		i.http = nil
	}
	return nil
}

func (i *fakeInstance) Close(ctx context.Context) error {
	i.target.open--
	return i.Stop(ctx)
}

// replay runs steps, written as JSON, and returns their outcomes.
func replay(t *testing.T, target *fakeTarget, name, members string) []parity.Step {
	t.Helper()
	scenario, err := authreplay.Decode(strings.NewReader(`{"scenario":"` + name + `",` + members + `}`))
	require.NoError(t, err)
	steps, err := authreplay.Run(t.Context(), target, scenario)
	require.NoError(t, err)
	assert.Zero(t, target.open, "every database is closed")
	return steps
}

// paths lists where a step differs.
func paths(step parity.Step) []string {
	var all []string
	for _, d := range step.Differences {
		all = append(all, d.Path)
	}
	return all
}

func TestADifferentAnswerIsFoundWhereItDiffers(t *testing.T) {
	t.Parallel()
	target := &fakeTarget{handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Sb-Error-Code", "other")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, `{"a":1,"c":[{"d":"x"}]}`)
	}}
	steps := replay(t, target, "s", `"steps":[{"name":"a","request":{"method":"GET","path":"/","headers":{}},
		"response":{"status":200,"headers":{"content-type":"application/json"},"body":{"a":2,"b":null,"c":[{"d":"x"}]}}}]`)
	assert.Equal(t, []string{"status", "header x-sb-error-code", "body.a", "body.b"}, paths(steps[0]))
}

func TestCapturedValuesGoIntoLaterRequests(t *testing.T) {
	t.Parallel()
	target := &fakeTarget{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Location", "http://x/?code=abc#n=1&access_token=x")
			_, _ = io.WriteString(w, `{"n":7,"list":[{"id":"one"}]}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]string{
			"path": r.URL.Path, "header": r.Header.Get("X-Test"), "body": string(body),
		})
	}}
	steps := replay(t, target, "s", `"steps":[
		{"name":"capture","capture":{"n":"n","id":"list.0.id","code":"query.code","frag":"fragment.n"},
		 "request":{"method":"POST","path":"/","headers":{}},
		 "response":{"status":200,"headers":{"location":"http://x/?code=abc#n=1&access_token=x"},"body":{"n":7,"list":[{"id":"one"}]}}},
		{"name":"use","request":{"method":"PUT","path":"/{{id}}/{{code}}","headers":{"X-Test":"{{frag}}"},"body":{"n":"{{n}}","t":"{{id}}!"}},
		 "response":{"status":200,"headers":{},"body":{"path":"/one/abc","header":"1","body":"{\"n\":7,\"t\":\"one!\"}"}}},
		{"name":"gone","capture":{"id":"nothing"},"request":{"method":"PUT","path":"/","headers":{}},
		 "response":{"status":200,"headers":{},"body":{"path":"/","header":"","body":""}}},
		{"name":"unset","request":{"method":"PUT","path":"/{{id}}","headers":{}},"response":{"status":200,"headers":{},"body":{}}}]`)
	for _, step := range steps[:2] {
		assert.True(t, step.Agrees(), "%s: %s", step.Step, step.Diff())
	}
	assert.ErrorContains(t, steps[2].Err, `capture "id": nothing at nothing`)
	assert.ErrorContains(t, steps[3].Err, `variable "id" is not set`)
}

func TestAServerIsStartedWithTheEnvironmentOfTheStep(t *testing.T) {
	t.Parallel()
	target := &fakeTarget{handler: http.NotFound}
	steps := replay(t, target, "cat_hook_first_token", `"env":{"A":"1","B":"{{hook_port}}"},"steps":[
		{"name":"good","kind":"startup","env":{"A":"2"},"response":{"started":true}},
		{"name":"refused","kind":"startup","env":{"BAD":"1"},"response":{"started":false}},
		{"name":"should be refused","kind":"startup","env":{},"response":{"started":false}},
		{"name":"should start","kind":"startup","env":{"BAD":"1"},"response":{"started":true}},
		{"name":"sql","sql":"select 1","response":{"rows":[]}}]`)
	require.Len(t, target.starts, 4)
	assert.Equal(t, "2", target.starts[0].Env["A"])
	assert.Equal(t, "1", target.starts[1].Env["A"])
	assert.Regexp(t, `^\d+$`, target.starts[0].Env["B"])
	assert.Equal(t, "authenticated", target.starts[0].Env["GOTRUE_JWT_AUD"])
	assert.False(t, target.starts[0].FirstTokenIssued, "the one scenario about the first token")
	assert.True(t, steps[0].Agrees())
	assert.True(t, steps[1].Agrees())
	assert.Equal(t, []string{"started"}, paths(steps[2]))
	assert.Equal(t, []string{"started"}, paths(steps[3]))
	assert.Contains(t, steps[3].Diff(), "bad")
	assert.ErrorIs(t, steps[4].Err, errNoDatabase, "what cannot be replayed is no agreement")
}

func TestWhatHooksAreSentIsCompared(t *testing.T) {
	t.Parallel()
	const members = `"env":{"HOOK":"http://127.0.0.1:{{hook_port}}","GOTRUE_HOOK_X_SECRETS":"v1,whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"hook_server":{"/h":{"echo":{"set":{"a.b":2}},"headers":{"content-type":"application/json"}}},
		"steps":[{"name":"a","request":{"method":"GET","path":"/","headers":{}},"response":{"status":200,"headers":{},"body":{"a":{"b":2}}},
		"hook_requests":[{"method":"POST","path":"/h","headers":{"accept-encoding":"gzip","content-type":"x","user-agent":"y"},
		"signature_valid_for_secrets":[false],"body":{"a":{"b":1}}}]}]`
	run := func(calls int, body string) parity.Step {
		target := &fakeTarget{}
		target.handler = func(w http.ResponseWriter, r *http.Request) {
			for range calls {
				answer, err := http.Post(target.starts[0].Env["HOOK"]+"/h", "application/json", strings.NewReader(body))
				if err == nil {
					_, _ = io.Copy(w, answer.Body)
					_ = answer.Body.Close()
				}
			}
		}
		return replay(t, target, "s", members)[0]
	}
	assert.True(t, run(1, `{"a":{"b":1}}`).Agrees(), run(1, `{"a":{"b":1}}`).Diff())
	assert.Equal(t, []string{"hook_requests.0.body.a.b"}, paths(run(1, `{"a":{"b":3}}`)))
	assert.Contains(t, paths(run(0, ``)), "hook_requests")
}

func TestMintedTokensAreSent(t *testing.T) {
	t.Parallel()
	target := &fakeTarget{handler: func(w http.ResponseWriter, r *http.Request) {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		_ = json.NewEncoder(w).Encode(map[string]string{"access_token": token})
	}}
	steps := replay(t, target, "s", `"steps":[{"name":"a",
		"mint":{"t":{"claims":{"iat":"now+0","exp":"now+60","role":"x"},"header":{"alg":"none"}}},
		"request":{"method":"GET","path":"/","headers":{"Authorization":"Bearer {{t}}"}},
		"response":{"status":200,"headers":{},"body":{"access_token":"<jwt:t>"}},
		"claims":{"iat":"<unixtime>","exp":"<unixtime:iat+60>","role":"x"},"jwt_header":{"alg":"none"}},
		{"name":"b","request":{"method":"GET","path":"/","headers":{"Authorization":"Bearer {{service_role_key}}"}},
		"response":{"status":200,"headers":{},"body":{"access_token":"<jwt>"}},
		"claims":{"iss":"supabase-demo","role":"anon","exp":1983812996},"jwt_header":{"alg":"HS256","typ":"JWT"}}]`)
	assert.True(t, steps[0].Agrees(), steps[0].Diff())
	assert.Equal(t, []string{"claims.role"}, paths(steps[1]))
}
