package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
)

const secret = "super-secret-jwt-token-with-at-least-32-characters-long"

func sign(t testing.TB, method jwt.SigningMethod, key any, id string, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	if id != "" {
		token.Header["kid"] = id
	}
	signed, err := token.SignedString(key)
	require.NoError(t, err)
	return signed
}

func encode(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }

func keySet(t testing.TB, keys ...map[string]string) []byte {
	t.Helper()
	set, err := json.Marshal(map[string]any{"keys": keys})
	require.NoError(t, err)
	return set
}

func TestATokenIsDecodedWithItsClaimsAsTheyAre(t *testing.T) {
	t.Parallel()
	// Expired long ago: whether a token is still good is not asked here.
	raw := sign(t, jwt.SigningMethodHS256, []byte(secret), "", jwt.MapClaims{"exp": 1, "user_role": "moderator"})
	seen := Decode(raw, Keys{Secret: secret})
	assert.Equal(t, "HS256", seen.Algorithm)
	assert.Equal(t, probes.SignatureValid, seen.Signature)
	assert.Empty(t, seen.Problem)
	assert.JSONEq(t, `{"exp": 1, "user_role": "moderator"}`, string(seen.Claims))
}

func TestASignatureIsCheckedWithTheStacksOwnKeysOnly(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	point, err := ec.PublicKey.Bytes()
	require.NoError(t, err)
	ecJWK := map[string]string{
		"kty": "EC", "crv": "P-256", "kid": "ec",
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}
	rsaJWK := map[string]string{"kty": "RSA", "kid": "rsa", "n": encode(rsaKey.N), "e": encode(big.NewInt(int64(rsaKey.E)))}
	offCurve := map[string]string{"kty": "EC", "crv": "P-256", "kid": "off", "x": "AQ", "y": "AQ"}
	set := keySet(t, ecJWK, rsaJWK, offCurve)
	claims := jwt.MapClaims{"sub": "x"}
	pem := []byte("a public key, known to everybody")

	for _, test := range []struct {
		name string
		raw  string
		keys Keys
		want probes.Signature
	}{
		{"HS256 by the secret", sign(t, jwt.SigningMethodHS256, []byte(secret), "", claims), Keys{Secret: secret, Set: set}, probes.SignatureValid},
		{"HS256 by another secret", sign(t, jwt.SigningMethodHS256, []byte("another"), "", claims), Keys{Secret: secret}, probes.SignatureInvalid},
		{"HS256 where there is no secret", sign(t, jwt.SigningMethodHS256, pem, "ec", claims), Keys{Set: set}, probes.SignatureInvalid},
		{"HS512", sign(t, jwt.SigningMethodHS512, []byte(secret), "", claims), Keys{Secret: secret}, probes.SignatureInvalid},
		{"ES256 by the key", sign(t, jwt.SigningMethodES256, ec, "ec", claims), Keys{Secret: secret, Set: set}, probes.SignatureValid},
		{"ES256 by another key", sign(t, jwt.SigningMethodES256, other, "ec", claims), Keys{Set: set}, probes.SignatureInvalid},
		{"ES256 by an unknown key", sign(t, jwt.SigningMethodES256, other, "other", claims), Keys{Set: set}, probes.SignatureInvalid},
		{"ES256 where there is only a secret", sign(t, jwt.SigningMethodES256, ec, "ec", claims), Keys{Secret: secret}, probes.SignatureInvalid},
		{"ES256 by a key off the curve", sign(t, jwt.SigningMethodES256, ec, "off", claims), Keys{Set: set}, probes.SignatureInvalid},
		{"RS256 by the key", sign(t, jwt.SigningMethodRS256, rsaKey, "rsa", claims), Keys{Set: set}, probes.SignatureValid},
		{"RS256 under the id of another kind of key", sign(t, jwt.SigningMethodRS256, rsaKey, "ec", claims), Keys{Set: set}, probes.SignatureInvalid},
		{"no signature", sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "", claims), Keys{Secret: secret}, probes.SignatureInvalid},
		{"a key set that is no JSON", sign(t, jwt.SigningMethodES256, ec, "ec", claims), Keys{Set: []byte("x")}, probes.SignatureInvalid},
		{"no keys known", sign(t, jwt.SigningMethodHS256, []byte("another"), "", claims), Keys{}, probes.SignatureUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := Decode(test.raw, test.keys)
			assert.Equal(t, test.want, seen.Signature, seen.Problem)
			assert.Equal(t, test.want == probes.SignatureInvalid, seen.Problem != "")
			assert.JSONEq(t, `{"sub": "x"}`, string(seen.Claims), "claims are kept for the note, also of a bad token")
		})
	}
}

func TestATokenThatCannotBeDecodedIsAnObservation(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "x", "a.b.c", "e30.e30", "e30." + strings.Repeat("x", maxToken) + ".e30"} {
		seen := Decode(raw, Keys{Secret: secret})
		assert.NotEmpty(t, seen.Problem, "%.20s", raw)
		assert.Empty(t, seen.Claims)
		assert.Equal(t, probes.SignatureUnknown, seen.Signature)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(sign(f, jwt.SigningMethodHS256, []byte(secret), "", jwt.MapClaims{"a": 1}), []byte(`{"keys": []}`))
	f.Add("a.b.c", []byte(`{"keys": [{"kty": "EC", "crv": "P-256", "kid": "", "x": "AQ", "y": "AQ"}]}`))
	f.Add("eyJhbGciOiJFUzI1NiJ9.e30.AAAA", []byte(`{"keys": [{"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"}]}`))
	f.Add("eyJhbGciOiJSUzI1NiJ9.e30.AAAA", []byte(`{"keys": [{"kty": "RSA", "n": "AQ", "e": "AQAB"}]}`))
	f.Fuzz(func(t *testing.T, raw string, set []byte) {
		seen := Decode(raw, Keys{Set: set})
		if seen.Signature == probes.SignatureValid {
			// Nobody finds a signature by chance, except for a key that the input
			// itself brings; those are not in the corpus.
			var parsed struct{ Keys []jwk }
			if json.Unmarshal(set, &parsed) != nil || len(parsed.Keys) == 0 {
				t.Fatalf("%q is valid without a key", raw)
			}
		}
		if len(seen.Claims) > 0 && !json.Valid(seen.Claims) {
			t.Fatalf("claims are no JSON: %q", seen.Claims)
		}
	})
}
