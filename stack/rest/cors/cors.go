// Package cors answers browsers that ask whether a page of another origin may call the REST engine.
//
// It owns the Access-Control headers (recordings options-cors) and answers preflight requests itself. It promises not to touch
// requests without an Origin header, and to leave a preflight that it does not allow to the engine, which answers it as any
// OPTIONS request, without the headers that a browser waits for.
package cors

import (
	"net/http"
	"slices"
	"strings"
)

// maxAge is how long a browser may remember the answer to a preflight, in seconds: a day.
const maxAge = "86400"

// methods are those that a page may use, in the order in which PostgREST lists them.
func methods() []string {
	return []string{"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"}
}

// exposed are the headers that scripts may read.
func exposed() string {
	return "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit"
}

// simpleHeaders may always be sent (Fetch standard, CORS-safelisted request headers), Content-Type only with some values.
func simpleHeaders() []string { return []string{"Accept", "Accept-Language", "Content-Language"} }

// Handler wraps the engine. origins are the allowed ones, spelled as browsers send them (server-cors-allowed-origins); empty
// allows all.
func Handler(next http.Handler, origins []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, sent := r.Header["Origin"]
		if !sent || len(origin) == 0 || !allowed(origins, origin[0]) {
			next.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodOptions {
			if !preflight(w, r, origins, origin[0]) {
				next.ServeHTTP(w, r)
			}
			return
		}
		allowOrigin(w.Header(), origins, origin[0])
		w.Header().Set("Access-Control-Expose-Headers", exposed())
		next.ServeHTTP(w, r)
	})
}

// allowed says whether pages of an origin may call.
func allowed(origins []string, origin string) bool {
	return len(origins) == 0 || slices.Contains(origins, origin)
}

// allowOrigin names the origin when there is a list, and then allows credentials too.
func allowOrigin(h http.Header, origins []string, origin string) {
	if len(origins) == 0 {
		h.Set("Access-Control-Allow-Origin", "*")
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
}

// preflight answers a request for permission; ok is false, and nothing is written, when it is none or asks for a method that
// does not exist here.
func preflight(w http.ResponseWriter, r *http.Request, origins []string, origin string) (ok bool) {
	if !slices.Contains(methods(), r.Header.Get("Access-Control-Request-Method")) {
		return false
	}
	h := w.Header()
	allowOrigin(h, origins, origin)
	h.Set("Access-Control-Allow-Methods", strings.Join(methods(), ", "))
	h.Set("Access-Control-Max-Age", maxAge)
	if asked := r.Header.Values("Access-Control-Request-Headers"); len(asked) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(allowHeaders(asked[0]), ", "))
	}
	w.WriteHeader(http.StatusOK)
	return true
}

// allowHeaders allows what is asked for: the engine reads headers of any name through request.headers.
func allowHeaders(asked string) []string {
	list := []string{"Authorization"}
	for name := range strings.SplitSeq(asked, ",") {
		list = append(list, strings.TrimSpace(name))
	}
	for _, name := range simpleHeaders() {
		if !slices.ContainsFunc(list, func(have string) bool { return strings.EqualFold(have, name) }) {
			list = append(list, name)
		}
	}
	return list
}
