package mailbox

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ServeHTTP implements http.Handler. GET answers with a JSON array of
// messages, the oldest first: with ?to= only those to an address or number,
// with ?after= only those with a greater ID. DELETE forgets them all. Whoever
// mounts it decides who may read: the messages are as good as passwords.
func (b *Box) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		b.serveList(w, r)
	case http.MethodDelete:
		b.Clear()
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "DELETE, GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (b *Box) serveList(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var after int64
	if text := query.Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			http.Error(w, "after: not a whole number", http.StatusBadRequest)
			return
		}
	}
	found := []Message{}
	for _, m := range b.List(query.Get("to")) {
		if m.ID > after {
			found = append(found, m)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(found) // the client may have gone
}
