package gateway

import (
	"encoding/json"
	"net/http"
)

// The cross-origin rules are those of Kong's cors plugin with its defaults, which
// the CLI's gateway puts before every service: preflights are answered by the
// gateway, and every origin may read every answer.

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

func answerPreflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}

// corsWriter opens an answer to every origin at the moment it is sent, over
// whatever the service itself has set.
type corsWriter struct {
	http.ResponseWriter
	sent bool
}

// newCORSWriter opens the answer from the start too: a service that takes the
// connection over, to send a reason phrase of its own, sends the headers as they are.
func newCORSWriter(w http.ResponseWriter) *corsWriter {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	return &corsWriter{ResponseWriter: w}
}

func (w *corsWriter) open() {
	if w.sent {
		return
	}
	w.sent = true
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Del("Access-Control-Allow-Credentials")
}

// WriteHeader sends the status and the headers.
func (w *corsWriter) WriteHeader(status int) {
	w.open()
	w.ResponseWriter.WriteHeader(status)
}

// Write sends body bytes, after the headers.
func (w *corsWriter) Write(p []byte) (int, error) {
	w.open()
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the real writer.
func (w *corsWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func writeMessage(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// The status is sent already; a caller that is gone cannot be told.
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}
