package token

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/rest/apierror"
)

const secret = "reallyreallyreallyreallyverysafe"

func at(seconds int64) func() time.Time { return func() time.Time { return time.Unix(seconds, 0) } }

func textKeys(t testing.TB) *Keys {
	t.Helper()
	k, err := ParseKeys(secret)
	require.NoError(t, err)
	return k
}

// sign makes a token with the library that clients use.
func sign(t testing.TB, method jwt.SigningMethod, key any, kid string, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	if kid != "" {
		token.Header["kid"] = kid
	}
	text, err := token.SignedString(key)
	require.NoError(t, err)
	return text
}

func hs256(t testing.TB, claims jwt.MapClaims) string {
	t.Helper()
	return sign(t, jwt.SigningMethodHS256, []byte(secret), "", claims)
}

func identify(v *Verifier, authorization string) (Identity, *apierror.Error) {
	h := http.Header{}
	if authorization != "" {
		h.Set("Authorization", authorization)
	}
	return v.Identify(h)
}

func TestARequestWithoutATokenIsAnonymous(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon"})
	for _, header := range []string{"", "Basic YTpi", "Bearertoken", "Token x.y.z"} {
		got, err := identify(v, header)
		require.Nil(t, err, header)
		assert.Equal(t, Identity{Role: "anon", Claims: `{"role":"anon"}`}, got, header)
	}
}

func TestWithoutAnAnonymousRoleATokenWithARoleIsNeeded(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t)})
	for _, header := range []string{"", "Bearer " + hs256(t, jwt.MapClaims{"sub": "u"})} {
		_, err := identify(v, header)
		require.NotNil(t, err)
		assert.Equal(t, "PGRST302", err.Code)
		assert.Equal(t, []apierror.Header{{Name: "WWW-Authenticate", Value: "Bearer"}}, err.Headers)
	}
	got, err := identify(v, "Bearer "+hs256(t, jwt.MapClaims{"role": "web"}))
	require.Nil(t, err)
	assert.True(t, got.Authenticated)
}

func TestAServerWithoutKeysRefusesTokensAsItsOwnFault(t *testing.T) {
	t.Parallel()
	_, err := identify(NewVerifier(Config{AnonRole: "anon"}), "Bearer "+hs256(t, nil))
	require.NotNil(t, err)
	assert.Equal(t, "PGRST300", err.Code)
	assert.Equal(t, 500, err.Status)
}

func TestTheClaimsKeepWhatTheTokenSaysAndNameTheRole(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon"})
	for claims, want := range map[string]Identity{
		`{"role":"web","a":{"z":1,"b":[1.50]},"<é>":"&"}`: {"web", `{"<é>":"&","a":{"z":1,"b":[1.50]},"role":"web"}`, true},
		`{"sub":"u"}`:           {"anon", `{"role":"anon","sub":"u"}`, false},
		`{"role":"anon"}`:       {"anon", `{"role":"anon"}`, false},
		`{"role":["a", "b"]}`:   {`["a","b"]`, `{"role":"[\"a\",\"b\"]"}`, true},
		`{"role":null}`:         {"null", `{"role":"null"}`, true},
		`{"role":"x\"y\u000a"}`: {"x\"y\n", `{"role":"x\"y\n"}`, true},
	} {
		encoded := "Bearer " + signRaw(claims)
		for range 2 { // the second time from memory
			got, err := identify(v, encoded)
			require.Nil(t, err, claims)
			assert.Equal(t, want, got, claims)
		}
	}
}

// signRaw signs claims as they are written.
func signRaw(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256"}`)) + "." + encode([]byte(claims))
	signature, err := jwt.SigningMethodHS256.Sign(signed, []byte(secret))
	if err != nil {
		panic(err) // a []byte key cannot fail
	}
	return signed + "." + encode(signature)
}

func TestTimesAreCheckedOnEveryUseWithThirtySecondsOfTolerance(t *testing.T) {
	t.Parallel()
	now := int64(1_000_000)
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon", Now: func() time.Time { return time.Unix(now, 0) }})
	token := "Bearer " + hs256(t, jwt.MapClaims{"role": "web", "exp": 1_000_100, "nbf": 1_000_010, "iat": 1_000_020})
	for _, c := range []struct {
		now  int64
		want string
	}{
		{999_979, "JWT not yet valid"},
		{999_985, "JWT issued at future"},
		{999_990, ""},
		{1_000_100, ""},
		{1_000_130, ""},
		{1_000_131, "JWT expired"},
	} {
		now = c.now
		_, err := identify(v, token)
		if c.want == "" {
			assert.Nil(t, err, "%d", c.now)
			continue
		}
		require.NotNil(t, err, "%d", c.now)
		assert.Equal(t, "PGRST303", err.Code)
		assert.Equal(t, c.want, err.Message)
		assert.Equal(t, `Bearer error="invalid_token", error_description="`+c.want+`"`, err.Headers[0].Value)
	}
}

func TestOddTimes(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon", Now: at(1000)})
	for claims, want := range map[string]string{
		`{"exp":1e12}`:            "",
		`{"exp":10000.0}`:         "",
		`{"exp":1e99}`:            "JWT expired",
		`{"exp":1e999999999}`:     "JWT expired",
		`{"nbf":1e999999999}`:     "",
		`{"exp":-1}`:              "JWT expired",
		`{"exp":true}`:            "The JWT 'exp' claim must be a number",
		`{"iat":[]}`:              "The JWT 'iat' claim must be a number",
		`{"exp":null,"nbf":null}`: "",
	} {
		_, err := identify(v, "Bearer "+signRaw(claims))
		if want == "" {
			assert.Nil(t, err, claims)
		} else if assert.NotNil(t, err, claims) {
			assert.Equal(t, want, err.Message, claims)
		}
	}
}

func TestTheAudienceHasToBeNamedWhenThereIsOne(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon", Audience: "me"})
	for claims, want := range map[string]string{
		`{}`:                     "",
		`{"aud":null}`:           "",
		`{"aud":[]}`:             "",
		`{"aud":"me"}`:           "",
		`{"aud":["you","me"]}`:   "",
		`{"aud":"you"}`:          "JWT not in audience",
		`{"aud":["you"]}`:        "JWT not in audience",
		`{"aud":["me",null]}`:    "The JWT 'aud' claim must be a string or an array of strings",
		`{"aud":["me",{"a":1}]}`: "The JWT 'aud' claim must be a string or an array of strings",
	} {
		_, err := identify(v, "Bearer "+signRaw(claims))
		if want == "" {
			assert.Nil(t, err, claims)
		} else if assert.NotNil(t, err, claims) {
			assert.Equal(t, want, err.Message, claims)
		}
	}
}

func TestTokensThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon"})
	encode := base64.RawURLEncoding.EncodeToString
	part := func(header string) string {
		return encode([]byte(header)) + "." + encode([]byte("{}")) + "." + encode([]byte("x"))
	}
	for token, want := range map[string]struct {
		message string
		details any
	}{
		"":                                      {"Empty JWT is sent in Authorization header", nil},
		"a.b":                                   {"Expected 3 parts in JWT; got 2", nil},
		part(`{"alg":"none"}`):                  {"Wrong or unsupported encoding algorithm", "JWT is unsecured but expected 'alg' was not 'none'"},
		part(`{"alg":"HS999"}`):                 {"JWT cryptographic operation failed", nil},
		part(`{"alg":"HS256","enc":"A128GCM"}`): {"JWT cryptographic operation failed", nil},
		part(`[]`):                              {"JWT cryptographic operation failed", nil},
		"****.e30.e30":                          {"JWT cryptographic operation failed", nil},
		part(`{"alg":"HS256"}`):                 {"No suitable key or wrong key type", "None of the keys was able to decode the JWT"},
		part(`{"alg":"HS512"}`):                 {"No suitable key or wrong key type", "No suitable key was found to decode the JWT"},
		part(`{"alg":"HS256","kid":"k"}`):       {"No suitable key or wrong key type", "No suitable key was found to decode the JWT"},
		signRaw(`"text"`):                       {"Parsing claims failed", nil},
		signRaw(`null`):                         {"Parsing claims failed", nil},
	} {
		_, err := identify(v, "Bearer "+token)
		require.NotNil(t, err, token)
		assert.Equal(t, 401, err.Status, token)
		assert.Equal(t, want.message, err.Message, token)
		assert.Equal(t, want.details, err.Details, token)
	}
}

func TestASetOfKeysTakesTokensOfEachOfThem(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	point, err := ec.PublicKey.Bytes()
	require.NoError(t, err)
	b64 := base64.RawURLEncoding.EncodeToString
	set, err := json.Marshal(map[string]any{"keys": []map[string]any{
		{"kty": "oct", "kid": "text", "alg": "HS256", "k": b64([]byte(secret))},
		{"kty": "EC", "kid": "ec", "crv": "P-256", "x": b64(point[1:33]), "y": b64(point[33:])},
		{"kty": "RSA", "kid": "rsa", "n": b64(rs.N.Bytes()), "e": b64(big.NewInt(int64(rs.E)).Bytes())},
		{"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": b64(edPublic)},
		{"kty": "oct", "kid": "text", "use": "enc", "k": b64([]byte("encryption"))},
		{"kty": "XYZ", "kid": "later"},
	}})
	require.NoError(t, err)
	keys, err := ParseKeys(string(set))
	require.NoError(t, err)
	require.Len(t, keys.list, 4, "keys of unknown types and for encryption are left out")
	v := NewVerifier(Config{Keys: keys, AnonRole: "anon"})

	claims := jwt.MapClaims{"role": "web"}
	for name, token := range map[string]string{
		"HS256":               sign(t, jwt.SigningMethodHS256, []byte(secret), "text", claims),
		"ES256":               sign(t, jwt.SigningMethodES256, ec, "ec", claims),
		"ES256 without a kid": sign(t, jwt.SigningMethodES256, ec, "", claims),
		"RS256":               sign(t, jwt.SigningMethodRS256, rs, "rsa", claims),
		"RS512":               sign(t, jwt.SigningMethodRS512, rs, "rsa", claims),
		"EdDSA":               sign(t, jwt.SigningMethodEdDSA, ed, "ed", claims),
	} {
		got, refused := identify(v, "Bearer "+token)
		if assert.Nil(t, refused, name) {
			assert.Equal(t, "web", got.Role, name)
		}
	}
	// A public key must never be taken for the secret of HMAC.
	forged := sign(t, jwt.SigningMethodHS256, point, "ec", claims)
	_, refused := identify(v, "Bearer "+forged)
	require.NotNil(t, refused)
	assert.Equal(t, "No suitable key was found to decode the JWT", refused.Details)
	broken := sign(t, jwt.SigningMethodES256, ec, "ec", claims)
	_, refused = identify(v, "Bearer "+broken[:len(broken)-4]+"AAAA")
	require.NotNil(t, refused)
	assert.Equal(t, "None of the keys was able to decode the JWT", refused.Details)
}

func TestAForgedTokenIsRefusedAfterItsTwinWasAccepted(t *testing.T) {
	t.Parallel()
	v := NewVerifier(Config{Keys: textKeys(t), AnonRole: "anon"})
	token := hs256(t, jwt.MapClaims{"role": "web"})
	_, err := identify(v, "Bearer "+token)
	require.Nil(t, err)
	head, signature := token[:strings.LastIndex(token, ".")+1], token[strings.LastIndex(token, ".")+1:]
	_, err = identify(v, "Bearer "+head+strings.Repeat("A", len(signature)))
	assert.NotNil(t, err)
}

func TestTheMemoryOfVerifiedTokensIsBounded(t *testing.T) {
	t.Parallel()
	c := newCache(2)
	for _, k := range []string{"a", "b"} {
		c.put(k, &verified{})
	}
	_, ok := c.get("a")
	assert.True(t, ok)
	c.put("c", &verified{})
	_, ok = c.get("b")
	assert.False(t, ok, "the one not used for longest goes")
	_, ok = c.get("a")
	assert.True(t, ok)
	c.put(strings.Repeat("x", longestCached+1), &verified{})
	assert.Equal(t, 2, c.recent.Len())
	assert.Len(t, c.entries, 2)
	off := newCache(-1)
	off.put("a", &verified{})
	assert.Empty(t, off.entries)
}

func BenchmarkIdentify(b *testing.B) {
	v := NewVerifier(Config{Keys: textKeys(b), AnonRole: "anon"})
	h := http.Header{"Authorization": {"Bearer " + hs256(b, jwt.MapClaims{"role": "authenticated", "sub": "u", "exp": 1 << 40})}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Identify(h); err != nil {
			b.Fatal(err)
		}
	}
}
