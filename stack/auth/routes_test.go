package auth_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPathsThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true"})
	token := s.signUp("a@example.com")
	id := s.queryText(`select id::text from auth.users`)
	// who is the token: nobody's, the user's or the administrator's
	cases := []struct {
		method, path, who string
		status            int
		code              string
	}{
		{"GET", "//health", "", 404, ""},
		{"GET", "/a/../health", "", 404, ""},
		{"GET", "/SETTINGS", "", 404, ""},
		{"HEAD", "/health", "", 405, ""},
		{"GET", "/health/", "", 200, ""},
		{"GET", "/admin", "", 401, "no_authorization"},
		{"GET", "/admin", token, 403, "not_admin"},
		{"GET", "/admin", serviceRole, 404, ""},
		{"GET", "/admin/users/x/y", serviceRole, 404, "validation_failed"},
		{"GET", "/admin/users/" + id + "/y", serviceRole, 404, ""},
		{"GET", "/admin/users/" + id + "/factors/x/y", serviceRole, 404, "validation_failed"},
		{"DELETE", "/admin/users/", serviceRole, 405, ""},
		{"GET", "/admin/oauth", serviceRole, 404, "feature_disabled"},
		{"GET", "/scim/v2", "", 404, "feature_disabled"},
		{"GET", "/factors/a/b", "", 401, "no_authorization"},
		{"GET", "/factors/a/b", token, 404, "validation_failed"},
		{"GET", "/reauthenticate/x", "", 401, "no_authorization"},
		{"GET", "/reauthenticate/x", token, 404, ""},
		{"GET", "/user/identities", "", 401, "no_authorization"},
		{"GET", "/user/identities", token, 404, ""},
		{"GET", "/user/identities/x", token, 405, ""},
		{"DELETE", "/user/identities/authorize", token, 404, "validation_failed"},
		{"DELETE", "/user/oauth/grants/x", token, 404, "feature_disabled"},
	}
	for _, c := range cases {
		got := s.send(c.method, c.path, c.who, nil)
		assert.Equal(t, c.status, got.status, "%s %s", c.method, c.path)
		assert.Equal(t, c.code, got.code(), "%s %s", c.method, c.path)
	}
}

func TestAPageOfNobodyIsTheServersFault(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("a@example.com")
	for _, path := range []string{"/admin/users", "/admin/audit"} {
		got := s.send("GET", path+"?per_page=0", serviceRole, nil)
		assert.Equal(t, map[string]any{
			"code": 500.0, "error_code": "unexpected_failure", "msg": "Internal Server Error",
		}, got.body, path)
		assert.Empty(t, got.code(), path)
		assert.Empty(t, got.header.Get("X-Total-Count"), path)
	}
	first := s.send("GET", "/admin/users?page=0&per_page=1", serviceRole, nil)
	assert.Equal(t, []string{"a@example.com"}, first.emails())
	assert.Equal(t, `</admin/users?page=1&per_page=1>; rel="next", </admin/users?page=1&per_page=1>; rel="last"`, first.header.Get("Link"))
}

func TestNoProviderCanBeAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true"})
	token := s.signUp("a@example.com")
	for name, message := range map[string]string{
		"github":     "Unsupported provider: provider is not enabled",
		"GitHub":     "Unsupported provider: provider is not enabled",
		"x":          "Unsupported provider: provider is not enabled",
		"Nobody":     "Unsupported provider: Provider nobody could not be found",
		"":           "Unsupported provider: Provider  could not be found",
		"custom:own": "Unsupported provider: custom OAuth providers are disabled",
	} {
		for _, path := range []string{"/authorize", "/user/identities/authorize"} {
			got := s.send("GET", path+"?provider="+name, token, nil)
			assert.Equal(t, 400, got.status, name)
			assert.Equal(t, "validation_failed", got.code(), name)
			assert.Equal(t, message, got.text("msg"), name)
		}
	}
}

func TestAReturnFromNoProviderIsRedirectedAndAnswered(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	cases := map[string]struct{ query, code, description string }{
		"without a state":      {"", "bad_oauth_callback", "OAuth state parameter missing"},
		"with a malformed one": {"?state=x", "bad_oauth_state", "OAuth state parameter is invalid"},
		"with an unknown one":  {"?state=9d5b9c6a-3b0e-4d2c-8f7d-0a3b5c7d9e1f", "bad_oauth_state", "OAuth state not found or expired"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := s.client.Get(s.http.URL + "/callback" + c.query)
			require.NoError(t, err)
			defer res.Body.Close()
			assert.Equal(t, http.StatusSeeOther, res.StatusCode)
			target, err := res.Location()
			require.NoError(t, err)
			assert.Equal(t, "http://127.0.0.1:3000", target.Scheme+"://"+target.Host+target.Path)
			assert.Equal(t, "invalid_request", target.Query().Get("error"))
			assert.Equal(t, c.code, target.Query().Get("error_code"))
			assert.Equal(t, c.description, target.Query().Get("error_description"))
			assert.Empty(t, res.Header.Get("X-Sb-Error-Code"))
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Contains(t, string(body), "See Other</a>.\n\n"+`{"code":400,"error_code":"`+c.code+`","msg":"`+c.description+`"}`)
		})
	}
}

func TestALinkForTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	big := `{"email":"` + strings.Repeat("a", 1<<20) + `"}`
	got := s.post("/magiclink", big)
	assert.Equal(t, 400, got.status)
	assert.Equal(t, "Could not read verification params: http: request body too large", got.text("msg"))
	assert.Equal(t, 413, s.post("/otp", big).status)
}

func TestWhichIDTokensAreTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	from := func(issuer string) string { return mint(t, jwt.MapClaims{"iss": issuer}) }
	cases := map[string]struct {
		body          in
		code, message string
	}{
		"Google is off":         {in{"provider": "google", "id_token": "x"}, "provider_disabled", `Provider (issuer "https://accounts.google.com") is not enabled`},
		"Google by its issuer":  {in{"issuer": "https://accounts.google.com", "client_id": "c", "id_token": "x"}, "provider_disabled", `Provider (issuer "https://accounts.google.com") is not enabled`},
		"Facebook is off":       {in{"provider": "facebook", "id_token": "x"}, "provider_disabled", `Provider (issuer "https://www.facebook.com") is not enabled`},
		"Keycloak is nowhere":   {in{"provider": "keycloak", "id_token": "x"}, "provider_disabled", `Provider (issuer "") is not enabled`},
		"Apple is off":          {in{"provider": "apple", "id_token": from("https://account.apple.com")}, "provider_disabled", `Provider (issuer "https://account.apple.com") is not enabled`},
		"no token of Apple":     {in{"provider": "apple", "id_token": "x"}, "validation_failed", "Unable to detect issuer in ID token for Apple provider"},
		"an unreadable one":     {in{"provider": "apple", "id_token": "a.%.c"}, "validation_failed", "Unable to detect issuer in ID token for Apple provider"},
		"another's for Apple":   {in{"provider": "apple", "id_token": from("https://example.com")}, "validation_failed", "Detected ID token issuer is not an Apple ID token issuer"},
		"another Apple":         {in{"provider": "apple", "issuer": "https://appleid.apple.com", "id_token": from("https://account.apple.com")}, "validation_failed", "Provided issuer does not match ID token issuer"},
		"another's for Azure":   {in{"provider": "azure", "id_token": from("https://example.com")}, "validation_failed", "Detected ID token issuer is not an Azure ID token issuer"},
		"Azure is off":          {in{"provider": "azure", "id_token": from("https://sts.windows.net/t/")}, "provider_disabled", `Provider (issuer "https://sts.windows.net/t/") is not enabled`},
		"GitHub has none":       {in{"provider": "github", "id_token": "x"}, "validation_failed", `Custom OIDC provider "github" not allowed`},
		"custom ones are off":   {in{"provider": "custom:own", "id_token": "x"}, "validation_failed", "Custom OAuth providers are disabled"},
		"an issuer of somebody": {in{"issuer": "https://example.com", "client_id": "c", "id_token": "x"}, "validation_failed", `Custom OIDC provider "" not allowed`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.post("/token?grant_type=id_token", c.body)
			assert.Equal(t, 400, got.status)
			assert.Equal(t, c.code, got.code())
			assert.Equal(t, c.message, got.text("msg"))
		})
	}
	missing := s.post("/token?grant_type=id_token", in{"provider": "google"})
	assert.Equal(t, map[string]any{"error": "invalid request", "error_description": "id_token required"}, missing.body)
}
