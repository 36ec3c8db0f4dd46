package authreplay

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/parity"
)

// answer is what a request step got.
type answer struct {
	status int
	header http.Header
	body   []byte
	// json is the parsed body, nil when it is none.
	json any
	// header and payload of the access token, if there is one.
	tokenHeader, claims any
}

// request sends a request and compares the answer.
func (r *runner) request(ctx context.Context, step Step) ([]parity.Difference, error) {
	if gated, ok := r.instance.(Gated); ok {
		if err := gated.Passes(step); err != nil {
			return nil, err
		}
	}
	for name, m := range step.Mint {
		token, err := mint(m, r.vars, time.Now())
		if err != nil {
			return nil, err
		}
		r.vars[name] = token
	}
	got, err := r.send(ctx, *step.Request)
	if err != nil {
		return nil, err
	}
	captureErr := r.capture(step.Capture, got.lookUp)
	c := comparison{matcher: matcher{vars: r.vars.texts()}}
	c.answer(step, got)
	if len(r.scenario.HookServer) > 0 {
		c.hookRequests(step.HookRequests, r.hooks.take(), r.secrets())
	}
	return c.found, captureErr
}

// send makes and sends a request. What a server answers is never an error here;
// an error means that there was no answer.
func (r *runner) send(ctx context.Context, request Request) (answer, error) {
	path, err := r.vars.expand(request.Path)
	if err != nil {
		return answer{}, err
	}
	headers, err := r.vars.expandAll(request.Headers)
	if err != nil {
		return answer{}, err
	}
	body, err := r.body(request)
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, request.Method, r.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("make request: %w", err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	response, err := r.client.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("send request: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, fmt.Errorf("read answer: %w", err)
	}
	got := answer{status: response.StatusCode, header: response.Header, body: data}
	got.json, _ = parseJSON(data) // a body that is no JSON is compared as text
	got.readToken()
	return got, nil
}

// body makes the bytes to send.
func (r *runner) body(request Request) (string, error) {
	switch {
	case request.Body != nil:
		body, err := r.vars.expandJSON(request.Body)
		return string(body), err
	case request.BodyText != nil:
		return r.vars.expand(*request.BodyText)
	case request.BodyRepeat != nil:
		b := request.BodyRepeat
		return b.Before + strings.Repeat(b.Text, b.Times) + b.After, nil
	}
	return "", nil
}

// readToken finds the access token in the body, or in the fragment of the
// redirect.
func (a *answer) readToken() {
	token, _ := lookUp(a.json, "access_token")
	text, _ := token.(string)
	if text == "" {
		text = a.parameters(func(u *url.URL) string { return u.Fragment }).Get("access_token")
	}
	if text == "" {
		return
	}
	// A token that cannot be read shows as claims that are absent.
	a.tokenHeader, a.claims, _ = decodeToken(text)
}

// parameters reads a part of the location header as a query.
func (a *answer) parameters(part func(*url.URL) string) url.Values {
	location, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		return nil
	}
	values, err := url.ParseQuery(part(location))
	if err != nil {
		return nil
	}
	return values
}

// lookUp finds a capture's path.
func (a *answer) lookUp(path string) (any, bool) {
	prefix, rest, _ := strings.Cut(path, ".")
	var values url.Values
	switch prefix {
	case "claims":
		return lookUp(a.claims, rest)
	case "fragment":
		values = a.parameters(func(u *url.URL) string { return u.Fragment })
	case "query":
		values = a.parameters(func(u *url.URL) string { return u.RawQuery })
	default:
		return lookUp(a.json, path)
	}
	return values.Get(rest), values.Has(rest)
}

// capture sets variables from an answer.
func (r *runner) capture(paths map[string]string, find func(string) (any, bool)) error {
	var failed error
	for name, path := range paths {
		value, ok := find(path)
		if !ok {
			// An old value would make later steps agree or differ by chance.
			delete(r.vars, name)
			failed = fmt.Errorf("capture %q: nothing at %s", name, path)
			continue
		}
		r.vars[name] = value
	}
	return failed
}

// answer compares status, headers, body and token.
func (c *comparison) answer(step Step, got answer) {
	want := step.Response
	if want.Status != got.status {
		c.add("status", fmt.Sprint(want.Status), fmt.Sprint(got.status))
	}
	c.headers(want.Headers, got.header.Get)
	switch {
	case want.BodyText != nil:
		if reason := c.text(*want.BodyText, string(got.body)); reason != "" {
			c.add("body", *want.BodyText, string(got.body)+" ("+reason+")")
		}
	case step.Request.Path == "/health":
		// The recorded server was built without a version.
		c.document("body", want.Body, withoutVersion(got.json))
	default:
		c.document("body", orNull(want.Body), got.body)
	}
	c.token(step, got)
}

// withoutVersion empties a version that is a text.
func withoutVersion(health any) []byte {
	if members, ok := health.(map[string]any); ok {
		if _, isText := members["version"].(string); isText {
			members["version"] = ""
		}
	}
	return []byte(render(health))
}

// token compares payload and header of the access token in the answer. A token
// is compared for what it says; its signature is the server's business.
func (c *comparison) token(step Step, got answer) {
	if step.Claims != nil {
		iat, _ := lookUp(got.claims, "iat")
		inToken := comparison{matcher: matcher{vars: c.vars, iat: iat}}
		inToken.document("claims", step.Claims, []byte(render(got.claims)))
		c.found = append(c.found, inToken.found...)
	}
	if step.JWTHeader != nil {
		c.document("jwt_header", step.JWTHeader, []byte(render(got.tokenHeader)))
	}
}
