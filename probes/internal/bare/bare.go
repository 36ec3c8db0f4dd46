// Package bare lets a probe speak through a client library as users' programs do
// and still see the bare HTTP answer, which those libraries reduce to an error
// text. It owns one transport for the requests of a run. It does not interpret
// answers beyond reading the error fields of their bodies.
package bare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/supascore/supascore/probes"
)

// maxBody bounds how much of an answer is read, in bytes. Probes ask for single
// rows; more is a stack or a candidate gone wrong.
const maxBody = 4 << 20

// NewTransport returns a transport for a stack on this machine. It ignores the
// proxies of the environment: a proxy cannot reach this machine's loopback, and
// must not see its keys. The caller closes its idle connections.
func NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     30 * time.Second,
	}
}

// Recorder is an http.RoundTripper that keeps the answer to the last request it
// carried. It is for one request of one client; it is not safe for concurrent use.
type Recorder struct {
	ctx  context.Context
	next http.RoundTripper

	// Answer is the last answer; its Status is 0 when none came.
	Answer probes.Answer
	// Err is why no answer came.
	Err error
}

// NewRecorder returns a recorder whose requests end with ctx, which the client
// libraries have no parameter for.
func NewRecorder(ctx context.Context, next http.RoundTripper) *Recorder {
	return &Recorder{ctx: ctx, next: next}
}

// RoundTrip carries out the request and records its answer.
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	start := time.Now()
	r.Answer = probes.Answer{
		Timing: probes.Timing{Started: start.UTC()},
		Method: request.Method, Path: request.URL.RequestURI(), Rows: -1,
	}
	response, body, err := r.roundTrip(request)
	r.Answer.MS = Milliseconds(time.Since(start))
	if r.Err = err; err != nil {
		return nil, err
	}
	r.Answer.Status = response.StatusCode
	readBody(&r.Answer, response.Header, body)
	return response, nil
}

// roundTrip reads the whole body, so that the connection can be used again even
// when the library forgets to close it.
func (r *Recorder) roundTrip(request *http.Request) (*http.Response, []byte, error) {
	response, err := r.next.RoundTrip(request.WithContext(r.ctx))
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read answer: %w", err)
	}
	if len(body) > maxBody {
		return nil, nil, fmt.Errorf("read answer: larger than %d bytes", maxBody)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, body, nil
}

// Trouble says why an answer allows no conclusion about the candidate; empty when
// it does: no answer came, or REST answered that it has no database (PGRST000 to
// PGRST003, docs.postgrest.org/en/v14/references/errors.html).
func (r *Recorder) Trouble() string {
	switch {
	case r.Err != nil:
		return r.Err.Error()
	case r.Answer.Status == 0:
		return "no request was sent"
	case strings.HasPrefix(r.Answer.Code, "PGRST00"):
		return fmt.Sprintf("the REST service has no database: %s %s", r.Answer.Code, r.Answer.Message)
	default:
		return ""
	}
}

// readBody fills the answer's fields from its body: the row count of an array, or
// the fields of an error object as Auth or PostgREST writes it.
func readBody(answer *probes.Answer, header http.Header, body []byte) {
	if answer.OK() {
		var rows []json.RawMessage
		if json.Unmarshal(body, &rows) == nil {
			answer.Rows = len(rows)
		}
		return
	}
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		answer.Message = string(body)
	}
	// Auth writes its HTTP status into "code" and its own code into "error_code",
	// unless the client asks for a newer version of the API, where "code" is its own.
	answer.Code = first(fields, "error_code", "code", "error")
	if answer.Code == "" {
		answer.Code = header.Get("X-Sb-Error-Code")
	}
	if message := first(fields, "msg", "message", "error_description"); message != "" {
		answer.Message = message
	}
	answer.Details = first(fields, "details")
	answer.Hint = first(fields, "hint")
}

// first returns the first of the fields that is a non-empty text.
func first(fields map[string]any, names ...string) string {
	for _, name := range names {
		if text, ok := fields[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// Milliseconds is a duration in milliseconds, as observations record it.
func Milliseconds(took time.Duration) float64 {
	return float64(took.Microseconds()) / 1000
}
