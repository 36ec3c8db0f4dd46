package keys

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/golang-jwt/jwt/v5"
)

// SigningKey is one private JWK of the file that auth.signing_keys_path names.
type SigningKey struct {
	// ID is the kid of the key, put in the header of the tokens that it signs; may be empty.
	ID string
	// Algorithm is ES256 or RS256.
	Algorithm string
	private   crypto.Signer
}

// jwk has the members of RFC 7517 and RFC 7518 that EC P-256 and RSA keys use.
type jwk struct {
	KeyType   string `json:"kty"`
	ID        string `json:"kid"`
	Algorithm string `json:"alg"`
	Curve     string `json:"crv"`
	X         string `json:"x"`
	Y         string `json:"y"`
	D         string `json:"d"`
	N         string `json:"n"`
	E         string `json:"e"`
	P         string `json:"p"`
	Q         string `json:"q"`
}

// ParseSigningKeys reads the JSON array of private JWKs that
// `supabase gen signing-key` writes. ES256 (EC, P-256) and RS256 (RSA) keys are
// understood, as by the CLI; every other key is an error that wraps ErrNotAKey.
func ParseSigningKeys(data []byte) ([]*SigningKey, error) {
	var list []jwk
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%w: expected a JSON array of JWKs: %w", ErrNotAKey, err)
	}
	keys := make([]*SigningKey, 0, len(list))
	for i, k := range list {
		key, err := k.signingKey()
		if err != nil {
			return nil, fmt.Errorf("key %d (kid %q): %w", i+1, k.ID, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func (k jwk) signingKey() (*SigningKey, error) {
	key := &SigningKey{ID: k.ID, Algorithm: k.Algorithm}
	var err error
	switch {
	case k.KeyType == "EC" && (k.Algorithm == "ES256" || k.Algorithm == "") && k.Curve == "P-256":
		key.Algorithm = "ES256"
		key.private, err = k.ecdsa()
	case k.KeyType == "RSA" && (k.Algorithm == "RS256" || k.Algorithm == ""):
		key.Algorithm = "RS256"
		key.private, err = k.rsa()
	default:
		err = fmt.Errorf("%w: kty %q with alg %q and crv %q; use an EC key on P-256 (ES256) or an RSA key (RS256)",
			ErrNotAKey, k.KeyType, k.Algorithm, k.Curve)
	}
	if err != nil {
		return nil, err
	}
	return key, nil
}

func (k jwk) ecdsa() (crypto.Signer, error) {
	x, y, d, err := bigInts(k.X, k.Y, k.D)
	if err != nil {
		return nil, err
	}
	public := make([]byte, 65)
	public[0] = 4 // uncompressed point
	if x.BitLen() > 256 || y.BitLen() > 256 || d.BitLen() > 256 {
		return nil, fmt.Errorf("%w: a coordinate is longer than 256 bits", ErrNotAKey)
	}
	x.FillBytes(public[1:33])
	y.FillBytes(public[33:])
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), public)
	if err != nil {
		return nil, fmt.Errorf("%w: x and y are not a point on P-256", ErrNotAKey)
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), d.FillBytes(make([]byte, 32)))
	if err != nil || !private.PublicKey.Equal(pub) {
		return nil, fmt.Errorf("%w: d does not belong to x and y", ErrNotAKey)
	}
	return private, nil
}

func (k jwk) rsa() (crypto.Signer, error) {
	n, e, d, err := bigInts(k.N, k.E, k.D)
	if err != nil {
		return nil, err
	}
	p, q, _, err := bigInts(k.P, k.Q, "AQ")
	if err != nil {
		return nil, err
	}
	if !e.IsInt64() || e.Int64() > 1<<31-1 {
		return nil, fmt.Errorf("%w: e is out of range", ErrNotAKey)
	}
	private := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: n, E: int(e.Int64())}, D: d, Primes: []*big.Int{p, q},
	}
	if err := private.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAKey, err)
	}
	private.Precompute()
	return private, nil
}

func bigInts(a, b, c string) (x, y, z *big.Int, err error) {
	out := make([]*big.Int, 0, 3)
	for _, s := range []string{a, b, c} {
		raw, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil || len(raw) == 0 {
			return nil, nil, nil, fmt.Errorf("%w: a member is missing or not base64url", ErrNotAKey)
		}
		out = append(out, new(big.Int).SetBytes(raw))
	}
	return out[0], out[1], out[2], nil
}

// Sign makes a compact JWT of claims with this key, its kid in the header.
func (k *SigningKey) Sign(claims jwt.Claims) (string, error) {
	token := jwt.NewWithClaims(jwt.GetSigningMethod(k.Algorithm), claims)
	if k.ID != "" {
		token.Header["kid"] = k.ID
	}
	return token.SignedString(k.private)
}

// Public is the public half, for verifying: *ecdsa.PublicKey or *rsa.PublicKey.
func (k *SigningKey) Public() crypto.PublicKey { return k.private.Public() }

// Private is the private half, for signing: *ecdsa.PrivateKey or *rsa.PrivateKey.
func (k *SigningKey) Private() crypto.Signer { return k.private }
