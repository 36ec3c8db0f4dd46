package rest

import "net/http"

// maxHeadBytes is the most that the request line and the headers may take together, with their line ends. PostgREST sets
// no limit of its own: this is the one of its HTTP server (warp, settingsMaxTotalHeaderLength), so that it is also what
// bounds query strings.
const maxHeadBytes = 50 << 10

// tooLarge reports whether the head of a request is longer than PostgREST reads. The exact limit depends there on how the
// head arrives in packets, so nobody can rely on the last bytes of it.
func tooLarge(r *http.Request) bool {
	const lineEnd, separator = len("\r\n"), len(": ")
	target := r.RequestURI
	if target == "" {
		target = r.URL.RequestURI() // not read from a connection
	}
	size := len(r.Method) + len(" ") + len(target) + len(" ") + len(r.Proto) + lineEnd + len("Host") + separator + len(r.Host) + lineEnd
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + separator + len(value) + lineEnd
		}
	}
	return size > maxHeadBytes
}

// refuseTooLarge answers as that HTTP server does, which knows nothing of PostgREST's errors, and closes the connection.
func refuseTooLarge(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte("Bad Request")) // the client is gone when this fails
}
