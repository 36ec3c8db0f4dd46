package token_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/token"
)

const secret = "super-secret-jwt-token-with-at-least-32-characters-long"

// es256 is the key of the recording jwt_es256_signing_key.
const es256 = `{"kty":"EC","kid":"es256-test-key","use":"sig","key_ops":["sign","verify"],"alg":"ES256","ext":true,
	"crv":"P-256","d":"MuDUol15s-3YPNFj2ibupcPXHb0DXEXgpcFxLyCKtB4",
	"x":"-fCYlPCZlcwoeFFKByQc4ES85vtymTddNd7M0tSJJkg","y":"4qZ--8-tUaS1OgHjkvqrvVl6UXrXl8KAcUYyDXtcv18"}`

func newTokens(t *testing.T, cfg token.KeyConfig) *token.Tokens {
	t.Helper()
	cfg.Secret = secret
	tokens, err := token.New(cfg, time.Now)
	require.NoError(t, err)
	return tokens
}

func someClaims() *token.AccessTokenClaims {
	return &token.AccessTokenClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: "11111111-1111-4111-8111-111111111111", Audience: jwt.ClaimStrings{"authenticated"},
			ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Hour)),
		},
		Email: "a@example.com", Role: "authenticated",
	}
}

func TestATokenIsReadBackAsItWasSigned(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]token.KeyConfig{
		"with the secret":     {},
		"with an ES256 key":   {JWKs: "[" + es256 + "]"},
		"with an oct key":     {JWKs: `[{"kty":"oct","kid":"k","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0","key_ops":["sign"]}]`},
		"with a named secret": {KeyID: "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokens := newTokens(t, cfg)
			text, err := tokens.Sign(someClaims())
			require.NoError(t, err)
			got, err := tokens.Parse(text)
			require.NoError(t, err)
			assert.Equal(t, someClaims().Subject, got.Subject)
			assert.Equal(t, "a@example.com", got.Email)
		})
	}
}

func TestKeysThatCannotSignAreRefused(t *testing.T) {
	t.Parallel()
	verifyOnly := strings.Replace(es256, `"sign",`, "", 1)
	for name, c := range map[string]struct{ jwks, want string }{
		"no JSON":              {"{", "not a JSON array"},
		"no signing key":       {"[" + verifyOnly + "]", "exactly one key"},
		"two signing keys":     {"[" + es256 + "," + es256 + "]", "2 have it"},
		"an unknown kind":      {`[{"kty":"OKP","key_ops":["sign"]}]`, "key 1"},
		"an oct key without k": {`[{"kty":"oct","key_ops":["sign"]}]`, "k is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := token.New(token.KeyConfig{Secret: secret, JWKs: c.jwks}, time.Now)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestThePublicKeysHaveNothingSecret(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []map[string]any{}, newTokens(t, token.KeyConfig{}).JWKS())
	oct := `{"kty":"oct","kid":"k","k":"c2VjcmV0","key_ops":["verify"]}`
	published := newTokens(t, token.KeyConfig{JWKs: "[" + es256 + "," + oct + "]"}).JWKS()
	require.Len(t, published, 1)
	assert.Equal(t, "es256-test-key", published[0]["kid"])
	assert.Equal(t, []string{"verify"}, published[0]["key_ops"])
	assert.NotContains(t, published[0], "d")
}

func TestTheHookSeesTheAudienceAsAListUntilTheFirstToken(t *testing.T) {
	t.Parallel()
	audience := func(value any) string {
		data, err := json.Marshal(value)
		require.NoError(t, err)
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &members))
		return string(members["aud"])
	}
	tokens := newTokens(t, token.KeyConfig{})
	assert.Equal(t, `["authenticated"]`, audience(tokens.ForHook(someClaims())))
	text, err := tokens.Sign(someClaims())
	require.NoError(t, err)
	assert.Equal(t, `"authenticated"`, audience(tokens.ForHook(someClaims())))
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(text, ".")[1])
	require.NoError(t, err)
	assert.Equal(t, `"authenticated"`, audience(json.RawMessage(payload)), "the token itself has a string")
	assert.Equal(t, `["authenticated"]`, audience(newTokens(t, token.KeyConfig{}).ForHook(someClaims())), "other servers are not touched")
	assert.Equal(t, `"authenticated"`, audience(newTokens(t, token.KeyConfig{FirstTokenIssued: true}).ForHook(someClaims())))
}

func TestTheAuthenticationMethodsOfAClaim(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]token.AMRClaim{
		`null`:         {},
		`[]`:           {},
		`["password"]`: {{Method: "password"}},
		`[{"method":"otp","timestamp":7}, "totp"]`: {{Method: "otp", Timestamp: 7}, {Method: "totp"}},
	} {
		var got token.AMRClaim
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{`{}`, `[1]`, `"password"`} {
		var got token.AMRClaim
		assert.Error(t, json.Unmarshal([]byte(text), &got), text)
	}
}

func FuzzParse(f *testing.F) {
	tokens, err := token.New(token.KeyConfig{Secret: secret, JWKs: "[" + es256 + "]", ValidMethods: []string{"HS256", "ES256"}}, time.Now)
	require.NoError(f, err)
	for _, seed := range [][2]string{
		{`{"alg":"HS256"}`, `{"sub":"x","aud":["a"]}`},
		{`{"alg":"HS256","kid":"es256-test-key"}`, `{}`},
		{`{"alg":"HS256","kid":7}`, `{"amr":[1]}`},
		{`{"alg":"none"}`, `{"exp":"never"}`},
		{`null`, `null`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, header, payload string) {
		signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(signed))
		claims, err := tokens.Parse(signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
		if (claims == nil) == (err == nil) {
			t.Fatalf("claims %v with error %v", claims, err)
		}
	})
}
