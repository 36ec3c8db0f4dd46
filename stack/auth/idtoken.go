package auth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/supascore/supascore/stack/auth/apierr"
)

// idToken is the body of POST /token?grant_type=id_token.
type idToken struct {
	IDToken  string `json:"id_token"`
	ClientID string `json:"client_id"`
	Provider string `json:"provider"`
	Issuer   string `json:"issuer"`
}

// idTokenGrant answers POST /token?grant_type=id_token: a token of Google, Apple or another provider
// for a session. The checks are the real server's up to where it would ask the provider
// (upstream: internal/api/token_oidc.go).
func idTokenGrant(_ context.Context, c *call) error {
	params := &idToken{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.IDToken == "" {
		return &apierr.OAuthError{Name: "invalid request", Description: "id_token required"}
	}
	if params.Provider == "" && (params.ClientID == "" || params.Issuer == "") {
		return &apierr.OAuthError{Name: "invalid request", Description: "provider or client_id and issuer required"}
	}
	issuer, err := params.issuer()
	if err != nil {
		return err
	}
	return apierr.BadRequest(apierr.ProviderDisabled, "Provider (issuer %q) is not enabled", issuer)
}

var azureIssuer = regexp.MustCompile(`^https://login[.]microsoftonline[.]com/([^/]+)/v2[.]0/?$`)

// issuer is who a token must be from, of the few providers whose tokens are taken. It refuses all
// others, GitHub among them.
func (t *idToken) issuer() (string, error) {
	const google, facebook, kakao = "https://accounts.google.com", "https://www.facebook.com", "https://kauth.kakao.com"
	const vercel, snapchat = "https://marketplace.vercel.com", "https://accounts.snapchat.com/accounts/oauth2/token"
	switch {
	case t.Provider == "apple" || isApple(t.Issuer):
		return t.detect("Apple", "an Apple", isApple)
	case t.Provider == "google" || t.Issuer == google:
		return google, nil
	case t.Provider == "azure" || azureIssuer.MatchString(t.Issuer):
		return t.detect("Azure", "an Azure", func(issuer string) bool {
			return strings.HasPrefix(issuer, "https://login.microsoftonline.com/") || strings.HasPrefix(issuer, "https://sts.windows.net/")
		})
	case t.Provider == "facebook" || t.Issuer == facebook:
		return facebook, nil
	case t.Provider == "keycloak":
		return "", nil // it is wherever the settings say, which is nowhere
	case t.Provider == "kakao" || t.Issuer == kakao:
		return kakao, nil
	case t.Provider == "vercel_marketplace" || t.Issuer == vercel:
		return vercel, nil
	case t.Provider == "snapchat" || t.Issuer == snapchat:
		return snapchat, nil
	case strings.HasPrefix(t.Provider, "custom:"):
		return "", apierr.BadRequest(apierr.ValidationFailed, "Custom OAuth providers are disabled")
	}
	return "", apierr.BadRequest(apierr.ValidationFailed, "Custom OIDC provider %q not allowed", t.Provider)
}

// isApple tells whether an issuer is one of Apple's two.
func isApple(issuer string) bool {
	return issuer == "https://appleid.apple.com" || issuer == "https://account.apple.com"
}

// detect reads the issuer from the token itself, for providers that have several. Its signature is
// nobody's concern yet.
func (t *idToken) detect(provider, article string, known func(issuer string) bool) (string, error) {
	refuse := func(format string, args ...any) error {
		return apierr.BadRequest(apierr.ValidationFailed, format, args...)
	}
	var payload struct {
		Issuer string `json:"iss"`
	}
	parts := strings.Split(t.IDToken, ".")
	if len(parts) != 3 {
		return "", refuse("Unable to detect issuer in ID token for %s provider", provider)
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(data, &payload)
	}
	switch {
	case err != nil:
		return "", refuse("Unable to detect issuer in ID token for %s provider", provider)
	case !known(payload.Issuer):
		return "", refuse("Detected ID token issuer is not %s ID token issuer", article)
	case t.Issuer != "" && t.Issuer != payload.Issuer:
		return "", refuse("Provided issuer does not match ID token issuer")
	}
	return payload.Issuer, nil
}
