package auth

import "net/http"

// mailRoutes are the endpoints that send a code or take one back.
func (s *Server) mailRoutes(mux *http.ServeMux) {
	s.route(mux, "/verify", methods{"GET": s.verifyLink, "POST": s.verify}.serve)
	s.route(mux, "/otp", methods{"POST": s.otp}.serve)
	s.route(mux, "/magiclink", methods{"POST": s.magicLink}.serve)
	s.route(mux, "/recover", methods{"POST": s.recoverPassword}.serve)
	s.route(mux, "/resend", methods{"POST": s.resend}.serve)
	s.route(mux, "/reauthenticate", s.signedIn(methods{"GET": s.reauthenticate}.serve))
	s.route(mux, "/reauthenticate/", s.signedIn(notFound))
	s.route(mux, "/invite", methods{"POST": s.asAdmin(s.invite)}.serve)
	s.route(mux, "/admin/generate_link", s.asAdmin(methods{"POST": s.generateLink}.serve))
}
