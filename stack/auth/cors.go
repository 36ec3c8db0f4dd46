package auth

import "net/http"

// allowOrigin lets pages of every origin use the API, as the real server does, and answers preflight
// requests. It returns true when it has answered.
func allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Add("Vary", "Origin")
	// OPTIONS alone is a method like any other, which no path has.
	origin := r.Header.Get("Origin")
	preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	if origin != "" {
		// Tokens travel in a header, not in cookies, so any page may send one it has.
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Allow-Credentials", "true")
	}
	if !preflight {
		if origin != "" {
			header.Set("Access-Control-Expose-Headers", "X-Total-Count, Link, X-Supabase-Api-Version")
		}
		return false
	}
	header.Add("Vary", "Access-Control-Request-Method")
	header.Add("Vary", "Access-Control-Request-Headers")
	if origin != "" {
		header.Set("Access-Control-Allow-Methods", r.Header.Get("Access-Control-Request-Method"))
		if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
			header.Set("Access-Control-Allow-Headers", asked)
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}
