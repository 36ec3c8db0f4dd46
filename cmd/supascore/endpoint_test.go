package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// endpoint FILE starts a server that speaks chat completions and answers each request
// with the file's text. $ENDPOINT is its base URL. Every third request is refused once
// as too early; a request without the key sk-script is refused for good.
func endpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: endpoint FILE")
	}
	answer := ts.ReadFile(args[0])
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case !strings.HasSuffix(r.URL.Path, "/v1/chat/completions"):
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("Authorization") != "Bearer sk-script":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"no such key"}}`)
		case requests.Add(1)%3 == 0:
			w.Header().Set("Retry-After-Ms", "5")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],
				"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}}`, answer)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("ENDPOINT", server.URL+"/v1")
}
