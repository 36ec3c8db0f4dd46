package auth

import (
	"context"
	"net/http"
	"net/url"

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
	s.route(mux, "/admin/oauth/", s.asAdmin(oauth))
	s.route(mux, "/admin/custom-providers", s.asAdmin(off(apierr.FeatureDisabled, "Custom OAuth providers are disabled")))
	s.route(mux, "/admin/custom-providers/", s.asAdmin(off(apierr.FeatureDisabled, "Custom OAuth providers are disabled")))
	s.route(mux, "/sso", off(apierr.SAMLProviderDisabled, "SAML 2.0 is disabled"))
	s.route(mux, "/sso/", off(apierr.SAMLProviderDisabled, "SAML 2.0 is disabled"))
	s.route(mux, "/passkeys", off(apierr.PasskeyDisabled, "Passkeys are disabled"))
	s.route(mux, "/passkeys/", off(apierr.PasskeyDisabled, "Passkeys are disabled"))
	s.route(mux, "/scim/v2/", off(apierr.FeatureDisabled, "SCIM server is disabled"))
}

// authorize answers GET /authorize: no provider can be redirected to.
func authorize(_ context.Context, c *call) error {
	if !knownProvider(c.r.URL.Query().Get("provider")) {
		return apierr.BadRequest(apierr.ValidationFailed, "Unsupported provider: Provider %s could not be found",
			c.r.URL.Query().Get("provider"))
	}
	// Even where config.toml switches the provider on: there is no server of it to send anybody to.
	return apierr.BadRequest(apierr.ValidationFailed, "Unsupported provider: provider is not enabled")
}

// knownProvider tells a provider that is switched off from a name that is none.
func knownProvider(name string) bool {
	for _, known := range providerNames() {
		if known == name {
			return true
		}
	}
	return false
}

// callback answers the return from a provider that nobody was sent to: a redirect with the error.
func (s *Server) callback(_ context.Context, c *call) error {
	target, err := url.Parse(s.cfg.SiteURL)
	if err != nil {
		return apierr.Internal("Unable to parse the site URL").Because(err)
	}
	query := target.Query()
	query.Set("error", "invalid_request")
	query.Set("error_code", string(apierr.BadOAuthCallback))
	query.Set("error_description", "OAuth state parameter missing")
	if c.r.FormValue("state") != "" {
		query.Set("error_code", string(apierr.BadOAuthState))
		query.Set("error_description", "OAuth state parameter is invalid")
	}
	target.RawQuery = query.Encode()
	http.Redirect(c.w, c.r, target.String(), http.StatusSeeOther)
	return nil
}

// withoutManualLinking answers the endpoints that link identities: there is nothing to link with.
func (s *Server) withoutManualLinking(_ context.Context, c *call) error {
	if !s.cfg.Security.ManualLinking {
		return apierr.NotFound(apierr.ManualLinkingDisabled, "Manual linking is disabled")
	}
	return apierr.BadRequest(apierr.ValidationFailed, "Unsupported provider: provider is not enabled")
}

// idTokenGrant answers POST /token?grant_type=id_token: a token of Google, Apple or another provider
// for a session. The checks are the real server's up to where it would ask the provider.
func idTokenGrant(_ context.Context, c *call) error {
	params := &struct {
		IDToken  string `json:"id_token"`
		ClientID string `json:"client_id"`
		Provider string `json:"provider"`
		Issuer   string `json:"issuer"`
	}{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.IDToken == "" {
		return &apierr.OAuthError{Name: "invalid request", Description: "id_token required"}
	}
	if params.Provider == "" && (params.ClientID == "" || params.Issuer == "") {
		return &apierr.OAuthError{Name: "invalid request", Description: "provider or client_id and issuer required"}
	}
	issuer := ""
	switch {
	case params.Provider == "google", params.Issuer == "https://accounts.google.com":
		issuer = "https://accounts.google.com"
	case params.Provider == "apple", params.Issuer == "https://appleid.apple.com":
		issuer = "https://appleid.apple.com"
	case !knownProvider(params.Provider):
		return apierr.BadRequest(apierr.ValidationFailed, "Custom OIDC provider %q not allowed", params.Provider)
	}
	return apierr.BadRequest(apierr.ProviderDisabled, "Provider (issuer %q) is not enabled", issuer)
}

// web3Grant answers POST /token?grant_type=web3: a signature of a wallet for a session.
func web3Grant(context.Context, *call) error {
	return apierr.Unprocessable(apierr.Web3ProviderDisabled, "Web3 provider is disabled")
}
