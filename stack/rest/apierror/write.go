package apierror

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// body is the JSON of an error. PostgREST writes its keys in this order.
type body struct {
	Code    string `json:"code"`
	Details any    `json:"details"`
	Hint    any    `json:"hint"`
	Message string `json:"message"`
}

// Body is the answer's body: the four keys as JSON, or Text.
func (e *Error) Body() []byte {
	if e.Text != "" {
		return []byte(e.Text)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body{e.Code, e.Details, e.Hint, e.Message}); err != nil {
		// Details and hints are texts and lists of texts; a value that cannot be written must not hide the error.
		return []byte(`{"code":"` + e.Code + `","details":null,"hint":null,"message":null}`)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// Write answers a request with e. headersOnly leaves the body out, as HEAD asks for. A header that e sets replaces one that w
// already has; several of a name in e are all sent.
func (e *Error) Write(w http.ResponseWriter, headersOnly bool) {
	h, text := w.Header(), e.Body()
	if e.Text != "" {
		h.Set("Content-Type", "text/plain; charset=utf-8")
	} else {
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Proxy-Status", "PostgREST; error="+e.Code)
	}
	if e.Status != http.StatusNoContent && e.Status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(text)))
	} else {
		headersOnly = true
	}
	if e.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "0")
	}
	e.setHeaders(h)
	if headersOnly {
		text = nil
	}
	if e.Reason != "" && e.writeReason(w, text) {
		return
	}
	w.WriteHeader(validStatus(e.Status))
	if text != nil {
		_, _ = w.Write(text) // the client is gone when this fails
	}
}

// setHeaders adds e's own headers. A raised answer can replace Content-Type and the like.
func (e *Error) setHeaders(h http.Header) {
	for _, one := range e.Headers {
		h.Del(one.Name)
	}
	for _, one := range e.Headers {
		h.Add(one.Name, one.Value)
	}
}

// validStatus keeps a raised status within what can end an answer.
func validStatus(status int) int {
	if status < 200 || status > 999 {
		return http.StatusInternalServerError
	}
	return status
}
