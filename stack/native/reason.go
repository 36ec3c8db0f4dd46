package native

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// PostgREST answers with reason phrases of its own where SQL raises PT<status> or PGRST
// (documentation, "Errors"). net/http always sends the usual one, so the connection of
// such an answer is taken over and closed behind it.

// reasonKey is the context's key of the phrase of one answer.
type reasonKey struct{}

// withReason serves a proxy whose answers keep their reason phrases.
func withReason(proxy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		phrase := new(string)
		out := &reasonWriter{ResponseWriter: w, phrase: phrase}
		defer out.close()
		proxy.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), reasonKey{}, phrase)))
	})
}

// keepReason remembers the phrase of an answer that is not the usual one of its status.
func keepReason(resp *http.Response) error {
	_, phrase, _ := strings.Cut(resp.Status, " ")
	if kept, ok := resp.Request.Context().Value(reasonKey{}).(*string); ok && phrase != http.StatusText(resp.StatusCode) {
		*kept = phrase
	}
	return nil
}

// reasonWriter writes an answer with its own phrase, when it has one.
type reasonWriter struct {
	http.ResponseWriter
	phrase *string
	// conn is set when the connection was taken over.
	conn   net.Conn
	buffer *bufio.ReadWriter
}

// WriteHeader sends the head of the answer.
func (w *reasonWriter) WriteHeader(status int) {
	if *w.phrase == "" || status < http.StatusOK || !w.takeOver() {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	header := w.Header()
	header.Set("Connection", "close")
	if header.Get("Date") == "" {
		header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	// The gateway has opened the answer before PostgREST did.
	if origin := header.Get("Access-Control-Allow-Origin"); origin != "" {
		header.Set("Access-Control-Allow-Origin", origin)
	}
	// Errors stick to the buffer and end in its Flush.
	fmt.Fprintf(w.buffer, "HTTP/1.1 %d %s\r\n", status, *w.phrase)
	_ = header.Write(w.buffer)
	_, _ = w.buffer.WriteString("\r\n")
}

// takeOver is false where there is no connection to take, such as in HTTP/2.
func (w *reasonWriter) takeOver() bool {
	var err error
	w.conn, w.buffer, err = http.NewResponseController(w.ResponseWriter).Hijack()
	return err == nil
}

// Write sends a part of the body.
func (w *reasonWriter) Write(p []byte) (int, error) {
	if w.conn == nil {
		return w.ResponseWriter.Write(p)
	}
	return w.buffer.Write(p)
}

// FlushError sends what was written so far.
func (w *reasonWriter) FlushError() error {
	if w.conn == nil {
		return http.NewResponseController(w.ResponseWriter).Flush()
	}
	return w.buffer.Flush()
}

// close ends a connection that was taken over.
func (w *reasonWriter) close() {
	if w.conn == nil {
		return
	}
	_ = w.buffer.Flush() // the client is gone when this fails
	_ = w.conn.Close()
}
