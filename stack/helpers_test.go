package stack_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// signingKeys is a file as `supabase gen signing-key` writes it, with a fresh key.
func signingKeys(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	secret, err := key.Bytes()
	require.NoError(t, err)
	enc := base64.RawURLEncoding.EncodeToString
	text, err := json.Marshal([]map[string]any{{
		"kty": "EC", "kid": "test-key", "alg": "ES256", "use": "sig", "key_ops": []string{"sign", "verify"},
		"crv": "P-256", "x": enc(point[1:33]), "y": enc(point[33:]), "d": enc(secret),
	}})
	require.NoError(t, err)
	return string(text)
}
