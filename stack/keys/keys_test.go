package keys_test

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
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/keys"
)

func TestTheDefaultKeysAreThoseOfEveryLocalProject(t *testing.T) {
	t.Parallel()
	set, err := keys.New(keys.Config{})
	require.NoError(t, err)
	assert.Equal(t, keys.DefaultPublishable, set.Publishable)
	assert.Equal(t, keys.DefaultSecret, set.Secret)
	assert.Equal(t, `{"iss":"supabase-demo","role":"anon","exp":1983812996}`, payload(t, set.Anon))
	assert.Equal(t, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0", set.Anon)
}

func TestRandomKeysDifferEachTimeAndKeepTheirPrefixes(t *testing.T) {
	t.Parallel()
	a, err := keys.New(keys.Config{Random: true})
	require.NoError(t, err)
	b, err := keys.New(keys.Config{Random: true})
	require.NoError(t, err)
	assert.NotEqual(t, a.JWTSecret, b.JWTSecret)
	assert.Regexp(t, `^sb_publishable_[A-Za-z0-9_-]{40}$`, a.Publishable)
	assert.Regexp(t, `^sb_secret_[A-Za-z0-9_-]{40}$`, a.Secret)
	_, err = jwt.Parse(a.Anon, func(*jwt.Token) (any, error) { return []byte(a.JWTSecret), nil })
	assert.NoError(t, err)
	_, err = jwt.Parse(a.Anon, func(*jwt.Token) (any, error) { return []byte(b.JWTSecret), nil })
	assert.ErrorIs(t, err, jwt.ErrTokenSignatureInvalid)
}

func TestASecretShorterThanTheCLIAcceptsIsRefused(t *testing.T) {
	t.Parallel()
	_, err := keys.New(keys.Config{JWTSecret: "short"})
	assert.EqualError(t, err, "auth.jwt_secret has 5 characters, at least 16 are needed")
}

func TestKeysOfTheConfigurationAreKept(t *testing.T) {
	t.Parallel()
	set, err := keys.New(keys.Config{Anon: "mine", Publishable: "p", Secret: "s", ServiceRole: "r", Random: true})
	require.NoError(t, err)
	assert.Equal(t, [4]string{"mine", "p", "s", "r"}, [4]string{set.Anon, set.Publishable, set.Secret, set.ServiceRole})
}

func TestSigningKeysSignTheAPIKeysAndTheirPublicHalvesVerifyThem(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"ES256": ecFile(t), "RS256": rsaFile(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := keys.ParseSigningKeys(file)
			require.NoError(t, err)
			require.Len(t, list, 1)
			now := func() time.Time { return time.Unix(1_700_000_000, 0) }
			set, err := keys.New(keys.Config{Signing: list[0], Now: now})
			require.NoError(t, err)
			token, err := jwt.Parse(set.ServiceRole, func(*jwt.Token) (any, error) { return list[0].Public(), nil },
				jwt.WithValidMethods([]string{name}), jwt.WithTimeFunc(now))
			require.NoError(t, err)
			assert.Equal(t, "k1", token.Header["kid"])
			assert.Equal(t, "service_role", token.Claims.(jwt.MapClaims)["role"])
		})
	}
}

func TestUnusableSigningKeysAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, want string }{
		"not an array":        {`{}`, "expected a JSON array"},
		"symmetric":           {`[{"kty":"oct","kid":"s","k":"AA"}]`, `key 1 (kid "s")`},
		"point off the curve": {`[{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","d":"AQ"}]`, "not a point on P-256"},
		"missing member":      {`[{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}]`, "missing or not base64url"},
		"coordinate too long": {`[{"kty":"EC","crv":"P-256","d":"AQ","y":"AQ","x":"` + base64.RawURLEncoding.EncodeToString(make33()) + `"}]`, "longer than 256 bits"},
		"rsa that is none":    {`[{"kty":"RSA","n":"AQ","e":"AQ","d":"AQ","p":"AQ","q":"AQ"}]`, "not a usable signing key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := keys.ParseSigningKeys([]byte(tc.file))
			require.ErrorIs(t, err, keys.ErrNotAKey)
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func FuzzParseSigningKeys(f *testing.F) {
	f.Add([]byte(`[{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","d":"AQ"}]`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := keys.ParseSigningKeys(data)
		if err != nil {
			assert.ErrorIs(t, err, keys.ErrNotAKey)
			return
		}
		for _, k := range list {
			_, err := k.Sign(jwt.MapClaims{"sub": "x"})
			assert.NoError(t, err)
		}
	})
}

func make33() []byte {
	out := make([]byte, 33)
	out[0] = 1
	return out
}

// payload is the text of a token's claims, as signed.
func payload(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	return string(raw)
}

func b64(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }

func ecFile(t *testing.T) []byte {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := k.PublicKey.Bytes()
	require.NoError(t, err)
	d, err := k.Bytes()
	require.NoError(t, err)
	enc := base64.RawURLEncoding.EncodeToString
	return marshal(t, map[string]string{
		"kty": "EC", "kid": "k1", "alg": "ES256", "crv": "P-256",
		"x": enc(point[1:33]), "y": enc(point[33:]), "d": enc(d),
	})
}

func rsaFile(t *testing.T) []byte {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return marshal(t, map[string]string{
		"kty": "RSA", "kid": "k1", "alg": "RS256", "n": b64(k.N), "e": b64(big.NewInt(int64(k.E))),
		"d": b64(k.D), "p": b64(k.Primes[0]), "q": b64(k.Primes[1]),
	})
}

func marshal(t *testing.T, key map[string]string) []byte {
	t.Helper()
	data, err := json.Marshal([]map[string]string{key})
	require.NoError(t, err)
	return data
}
