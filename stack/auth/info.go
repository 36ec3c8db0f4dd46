package auth

import (
	"context"
	"net/http"
	"strings"
)

// health answers GET /health.
func health(_ context.Context, c *call) error {
	return c.json(http.StatusOK, map[string]string{
		"version": Version, "name": "GoTrue", "description": "GoTrue is a user registration and authentication API",
	})
}

// Version is the release of Supabase Auth whose behaviour this server has.
const Version = "v2.196.0"

// settings answers GET /settings.
func (s *Server) settings(_ context.Context, c *call) error {
	external := map[string]bool{
		"anonymous_users": s.cfg.External.AnonymousUsers, "email": s.cfg.External.Email, "phone": s.cfg.External.Phone,
	}
	for _, name := range providerNames() {
		external[name] = s.cfg.External.Providers[name]
	}
	return c.json(http.StatusOK, map[string]any{
		"external": external, "disable_signup": s.cfg.DisableSignup,
		"mailer_autoconfirm": s.cfg.Mailer.Autoconfirm, "phone_autoconfirm": s.cfg.SMS.Autoconfirm,
		"sms_provider": s.cfg.SMS.Provider, "saml_enabled": false, "passkeys_enabled": false,
		// The real server says so without any key (recording settings_and_health).
		"saml_private_key_next_configured": true,
	})
}

// jwks answers GET /.well-known/jwks.json.
func (s *Server) jwks(_ context.Context, c *call) error {
	c.w.Header().Set("Cache-Control", "public, max-age=600")
	return c.json(http.StatusOK, map[string]any{"keys": s.tokens.JWKS()})
}

// openIDConfiguration answers GET /.well-known/openid-configuration. The document describes an OAuth
// server although there is none: the real one shows it whether its OAuth server is on or off.
func (s *Server) openIDConfiguration(_ context.Context, c *call) error {
	issuer := strings.TrimRight(s.cfg.JWT.Issuer, "/")
	c.w.Header().Set("Cache-Control", "public, max-age=600")
	return c.json(http.StatusOK, map[string]any{
		"issuer": s.cfg.JWT.Issuer, "authorization_endpoint": issuer + "/oauth/authorize",
		"token_endpoint": issuer + "/oauth/token", "jwks_uri": issuer + "/.well-known/jwks.json",
		"userinfo_endpoint":        issuer + "/oauth/userinfo",
		"scopes_supported":         []string{"openid", "profile", "email", "phone", "offline_access"},
		"response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "ES256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post", "none"},
		"claims_supported": []string{
			"sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number",
			"phone_number_verified", "name", "picture", "preferred_username", "updated_at",
		},
		"code_challenge_methods_supported": []string{"S256", "plain"},
	})
}
