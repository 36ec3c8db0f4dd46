package authreplay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// hookServer is the HTTP server behind a scenario's hooks: it answers as the
// recording says and keeps what it was sent.
type hookServer struct {
	http    *httptest.Server
	answers map[string]HookAnswer

	mu    sync.Mutex
	calls map[string]int
	got   []gotRequest
}

// gotRequest is a request as the hook server saw it.
type gotRequest struct {
	method, path string
	header       http.Header
	body         []byte
}

// newHookServer starts a server on a free loopback port.
func newHookServer(answers map[string]HookAnswer) *hookServer {
	s := &hookServer{answers: answers, calls: map[string]int{}}
	s.http = httptest.NewServer(s)
	return s
}

// close stops the server, whatever its handlers are doing.
func (s *hookServer) close() {
	// Handlers that still wait for their delay would hold Close up.
	s.http.CloseClientConnections()
	s.http.Close()
}

// port is what {{hook_port}} stands for.
func (s *hookServer) port() (string, error) {
	u, err := url.Parse(s.http.URL)
	if err != nil {
		return "", fmt.Errorf("hook server: %w", err)
	}
	return u.Port(), nil
}

// take returns what arrived since the last call and forgets it.
func (s *hookServer) take() []gotRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// keep records a request and picks its answer.
func (s *hookServer) keep(r gotRequest) (HookAnswer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r)
	call := s.calls[r.path]
	s.calls[r.path]++
	answer, ok := s.answers[r.path]
	if n := len(answer.Sequence); n > 0 {
		answer = answer.Sequence[min(call, n-1)]
	}
	return answer, ok
}

// ServeHTTP implements http.Handler.
func (s *hookServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, ok := s.keep(gotRequest{r.Method, r.URL.Path, r.Header.Clone(), body})
	if !ok {
		http.NotFound(w, r)
		return
	}
	if answer.DelayMS > 0 {
		timer := time.NewTimer(time.Duration(answer.DelayMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if answer.Hangup {
		panic(http.ErrAbortHandler) // net/http's way to close without an answer
	}
	payload, err := answer.payload(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// A header that is there and empty keeps net/http from guessing a type.
	w.Header()["Content-Type"] = nil
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(answer.Status, http.StatusOK))
	_, _ = w.Write(payload) // the client may have given up
}

// payload makes the body of an answer to a request with the given body. An
// answer that says nothing of a body has none.
func (a HookAnswer) payload(request []byte) ([]byte, error) {
	switch {
	case a.Echo != nil:
		return a.Echo.payload(request)
	case a.BodyBytes > 0:
		const empty = `{"padding":""}`
		pad := strings.Repeat("x", a.BodyBytes-len(empty))
		return []byte(`{"padding":"` + pad + `"}`), nil
	case a.BodyText != nil:
		return []byte(*a.BodyText), nil
	}
	return a.Body, nil
}

// payload is the request's body with members set. Their parents must be there.
func (e Echo) payload(request []byte) ([]byte, error) {
	value, err := parseJSON(request)
	if err != nil {
		return nil, err
	}
	for path, document := range e.Set {
		member, err := parseJSON(document)
		if err != nil {
			return nil, err
		}
		parent, name := value, path
		if i := strings.LastIndex(path, "."); i >= 0 {
			parent, _ = lookUp(value, path[:i])
			name = path[i+1:]
		}
		object, ok := parent.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("echo: %s is not in the request", path)
		}
		object[name] = member
	}
	return json.Marshal(value)
}

// hookRequests compares what the hooks were sent with the recording. Of the
// headers the names count: their values are times, ids and signatures, and the
// signatures are checked.
func (c *comparison) hookRequests(want []HookRequest, got []gotRequest, secrets []string) {
	if len(want) != len(got) {
		c.add("hook_requests", fmt.Sprintf("%d requests", len(want)), fmt.Sprintf("%d requests", len(got)))
		return
	}
	for i, w := range want {
		path, g := fmt.Sprintf("hook_requests.%d", i), got[i]
		if w.Method != g.method || w.Path != g.path {
			c.add(path, w.Method+" "+w.Path, g.method+" "+g.path)
		}
		wantNames, gotNames := headerNames(w.Headers), g.headerNames()
		if !slices.Equal(wantNames, gotNames) {
			c.add(path+".headers", strings.Join(wantNames, " "), strings.Join(gotNames, " "))
		}
		c.document(path+".body", orNull(w.Body), g.body)
		if w.SignatureValid != nil {
			if valid := g.signatures(secrets); !slices.Equal(w.SignatureValid, valid) {
				c.add(path+".signature_valid_for_secrets", fmt.Sprint(w.SignatureValid), fmt.Sprint(valid))
			}
		}
	}
}

// orNull is a document, or null for one that a recording leaves out.
func orNull(document json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(document)) == 0 {
		return json.RawMessage("null")
	}
	return document
}

// headerNames are names in lower case, sorted: HTTP does not tell cases apart.
func headerNames(headers map[string]string) []string {
	var names []string
	for name := range headers {
		names = append(names, strings.ToLower(name))
	}
	slices.Sort(names)
	return names
}

func (r gotRequest) headerNames() []string {
	named := map[string]string{}
	for name := range r.header {
		named[name] = ""
	}
	delete(named, "Content-Length")
	return headerNames(named)
}

// signatures tells for each secret whether the request is signed with it.
func (r gotRequest) signatures(secrets []string) []bool {
	var valid []bool
	for _, secret := range secrets {
		valid = append(valid, r.signedWith(secret))
	}
	return valid
}

// signedWith makes the signature anew. The library's own Verify is of no use
// here: it refuses requests whose time is off, and takes one signature only.
func (r gotRequest) signedWith(secret string) bool {
	webhook, err := standardwebhooks.NewWebhook(strings.TrimPrefix(secret, "v1,"))
	if err != nil {
		return false
	}
	seconds, err := strconv.ParseInt(r.header.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	if err != nil {
		return false
	}
	signature, err := webhook.Sign(
		r.header.Get(standardwebhooks.HeaderWebhookID), time.Unix(seconds, 0), r.body)
	if err != nil {
		return false
	}
	sent := strings.FieldsFunc(r.header.Get(standardwebhooks.HeaderWebhookSignature),
		func(c rune) bool { return c == ' ' })
	for i := range sent {
		sent[i] = strings.TrimSuffix(sent[i], ",")
	}
	return slices.Contains(sent, signature)
}
