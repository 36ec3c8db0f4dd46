package apierror

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// writeReason sends the answer with its own reason phrase. net/http always sends the usual one, so the connection is taken over
// and closed afterwards. ok is false when the connection cannot be taken over (HTTP/2, a recorder in a test): nothing is sent
// then.
func (e *Error) writeReason(w http.ResponseWriter, text []byte) (ok bool) {
	if e.Status < 200 || e.Status > 999 {
		return false
	}
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	h := w.Header()
	h.Set("Connection", "close")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat)) // net/http would have added it
	fmt.Fprintf(buffer, "HTTP/1.1 %d %s\r\n", e.Status, oneLine(e.Reason))
	_ = h.Write(buffer) // errors stick to the buffer and end in Flush
	_, _ = buffer.WriteString("\r\n")
	_, _ = buffer.Write(text)
	_ = buffer.Flush() // the client is gone when this fails
	return true
}

// oneLine keeps a raised text from adding lines, and so headers, of its own.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\r' || c == '\n' || c == 0 {
			return ' '
		}
		return c
	}, text)
}
