package native

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// newTransport makes connections to a child: as many as there are requests, no proxy,
// bytes as they are. They are given up before either server does it, so that no request
// goes out on one that is just being closed.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 128, IdleConnTimeout: 10 * time.Second, DisableCompression: true,
	}
}

// newProxy passes requests on to a child's port, and answers as they come.
func (c *child) newProxy(port string, transport http.RoundTripper) (*httputil.ReverseProxy, error) {
	target, err := url.Parse(c.url(port))
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ErrorHandler: c.answerFailure,
		ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			// The query goes on to the byte: PostgREST reads what net/url would not.
			r.Out.URL.RawQuery, r.Out.URL.ForceQuery = r.In.URL.RawQuery, r.In.URL.ForceQuery
			// The gateway has said whom it forwards for.
			for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
				if values, ok := r.In.Header[name]; ok {
					r.Out.Header[name] = values
				}
			}
		},
	}, nil
}

// answerFailure answers in place of a child that did not: 502, naming the service, why,
// and the end of its log. A caller who hung up gets nothing.
func (c *child) answerFailure(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	message := fmt.Sprintf("%s does not answer: %s", c.service, err)
	if ended := c.Err(); ended != nil {
		message = c.service + ": " + ended.Error()
	} else if tail := c.lines.tail(); tail != "" {
		message += "; its log ends with:\n" + tail
	}
	c.Log.Error("a request got no answer", "method", r.Method, "path", r.URL.Path, "error", err.Error())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	// A client that is gone has no use for an error.
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}
