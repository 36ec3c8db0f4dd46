package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/apierr"
)

// This file answers for the features that this server does not have, in the words of a real server
// that is not configured for them.

func (s *Server) absentRoutes(mux *http.ServeMux) {
	off := func(code apierr.Code, message string) handler {
		return func(context.Context, *call) error { return apierr.NotFound(code, "%s", message) }
	}
	oauth := off(apierr.FeatureDisabled, "OAuth server is disabled")
	s.route(mux, "/.well-known/oauth-authorization-server", oauth)
	s.route(mux, "/oauth", oauth)
	s.route(mux, "/oauth/", oauth)
	s.route(mux, "/user/oauth/grants", s.signedIn(oauth))
	s.route(mux, "/user/oauth/grants/", s.signedIn(oauth))
	s.route(mux, "/admin/oauth", s.asAdmin(oauth))
	s.route(mux, "/admin/oauth/", s.asAdmin(oauth))
	s.route(mux, "/admin/custom-providers", s.asAdmin(off(apierr.FeatureDisabled, "Custom OAuth providers are disabled")))
	s.route(mux, "/admin/custom-providers/", s.asAdmin(off(apierr.FeatureDisabled, "Custom OAuth providers are disabled")))
	s.route(mux, "/sso", off(apierr.SAMLProviderDisabled, "SAML 2.0 is disabled"))
	s.route(mux, "/sso/", off(apierr.SAMLProviderDisabled, "SAML 2.0 is disabled"))
	s.route(mux, "/passkeys", off(apierr.PasskeyDisabled, "Passkeys are disabled"))
	s.route(mux, "/passkeys/", off(apierr.PasskeyDisabled, "Passkeys are disabled"))
	s.route(mux, "/scim/v2", off(apierr.FeatureDisabled, "SCIM server is disabled"))
	s.route(mux, "/scim/v2/", off(apierr.FeatureDisabled, "SCIM server is disabled"))
}

// authorize answers GET /authorize, and GET /user/identities/authorize: no provider can be redirected
// to. Names may be in any case of letters (upstream: internal/api/external.go, Provider).
func authorize(_ context.Context, c *call) error {
	name := strings.ToLower(c.r.URL.Query().Get("provider"))
	// Even where config.toml switches the provider on: there is no server of it to send anybody to.
	why := "provider is not enabled"
	switch {
	case strings.HasPrefix(name, "custom:"):
		why = "custom OAuth providers are disabled"
	case !knownProvider(name):
		why = fmt.Sprintf("Provider %s could not be found", name)
	}
	return apierr.BadRequest(apierr.ValidationFailed, "Unsupported provider: %s", why)
}

// knownProvider tells a provider that is switched off from a name that is none. GET /settings does not
// show two of them.
func knownProvider(name string) bool {
	return name == "x" || name == "vercel_marketplace" || slices.Contains(providerNames(), name)
}

// callback answers the return from a provider that nobody was sent to, whatever the method: a redirect
// with the error. The real server then writes the error as a body as well, behind what the redirect
// has written (upstream: internal/api/external_oauth.go, loadFlowState).
func (s *Server) callback(_ context.Context, c *call) error {
	target, err := url.Parse(s.cfg.SiteURL)
	if err != nil {
		return apierr.Internal("site url is improperly formatted").Because(err)
	}
	refused := checkState(c.r)
	query := target.Query()
	query.Set("error", oauthErrorName(refused.Status))
	query.Set("error_code", string(refused.Code))
	query.Set("error_description", refused.Message)
	target.RawQuery = query.Encode()
	http.Redirect(c.w, c.r, target.String(), http.StatusSeeOther)
	apierr.Write(bodyOnly{c.w}, c.r, c.id, refused)
	return nil
}

// checkState tells what is wrong with the state of a return. No state was ever given out.
func checkState(r *http.Request) *apierr.Error {
	state := r.URL.Query().Get("state")
	if r.Method == http.MethodPost {
		state = r.FormValue("state")
	}
	if state == "" {
		return apierr.BadRequest(apierr.BadOAuthCallback, "OAuth state parameter missing")
	}
	if _, err := uuid.Parse(state); err != nil {
		return apierr.BadRequest(apierr.BadOAuthState, "OAuth state parameter is invalid")
	}
	return apierr.BadRequest(apierr.BadOAuthState, "OAuth state not found or expired")
}

// bodyOnly is a response whose status and headers have been sent.
type bodyOnly struct{ http.ResponseWriter }

// Header implements http.ResponseWriter.
func (bodyOnly) Header() http.Header { return http.Header{} }

// WriteHeader implements http.ResponseWriter.
func (bodyOnly) WriteHeader(int) {}

// web3Grant answers POST /token?grant_type=web3: a signature of a wallet for a session.
func web3Grant(context.Context, *call) error {
	return apierr.Unprocessable(apierr.Web3ProviderDisabled, "Web3 provider is disabled")
}
