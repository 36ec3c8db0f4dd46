package rest

import (
	"net/http"
)

// Admin is the handler of the administration address: /live answers 200 while the server runs, /ready answers 200 when
// the schema is loaded and the database can be heard, 503 otherwise.
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		if !s.ready(r) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
	return mux
}

// ready asks the database only when no listening connection vouches for it.
func (s *Server) ready(r *http.Request) bool {
	if st := s.state.Load(); st == nil || st.snapshot == nil {
		return false
	}
	if !s.config.ChannelDisabled {
		return s.listening.Load()
	}
	conn, giveBack, err := s.conns.lend(r.Context())
	if err != nil {
		return false
	}
	defer giveBack()
	return conn.Ping(r.Context()) == nil
}
