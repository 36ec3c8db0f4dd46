// Package token decodes the access tokens of a stack and checks their signatures
// with the keys that the stack says it signs with. It never decides what a claim
// is worth, and it keeps no token.
package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/supascore/supascore/probes"
)

// maxToken bounds the tokens that are decoded, in bytes. Services put tokens in
// headers, which end at some kilobytes.
const maxToken = 1 << 20

// Keys are the keys that a stack signs access tokens with. With neither field set
// no signature can be checked.
type Keys struct {
	// Secret is the symmetric secret of HS256.
	Secret string
	// Set is a JSON Web Key Set (RFC 7517) of public P-256 and RSA keys.
	Set []byte
}

// jwk is the part of a JSON Web Key that signatures need.
type jwk struct {
	Type  string `json:"kty"`
	ID    string `json:"kid"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	Y     string `json:"y"`
	N     string `json:"n"`
	E     string `json:"e"`
}

// errUnknownKey is the error for a token that is signed by a key that is not known.
var errUnknownKey = errors.New("signed by a key that the stack does not publish")

// Decode decodes an access token and checks its signature. Its times are not
// checked: they are the API's to judge. A token that cannot be decoded is an
// observation with a Problem and no Claims.
func Decode(raw string, keys Keys) *probes.TokenObservation {
	seen := &probes.TokenObservation{Signature: probes.SignatureUnknown}
	if len(raw) > maxToken {
		seen.Problem = fmt.Sprintf("the token is larger than %d bytes", maxToken)
		return seen
	}
	parsed, parts, err := jwt.NewParser().ParseUnverified(raw, jwt.MapClaims{})
	if err != nil {
		seen.Problem = err.Error()
		return seen
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		seen.Problem = "the claims are not base64url: " + err.Error()
		return seen
	}
	seen.Algorithm, seen.Claims = parsed.Method.Alg(), claims
	if keys.Secret == "" && len(keys.Set) == 0 {
		return seen
	}
	if err := verify(raw, keys); err != nil {
		seen.Signature, seen.Problem = probes.SignatureInvalid, err.Error()
		return seen
	}
	seen.Signature = probes.SignatureValid
	return seen
}

// verify checks the signature. Only the algorithms that Auth signs with are
// accepted, and each only with its own kind of key, so that a public key cannot
// pass for a secret.
func verify(raw string, keys Keys) error {
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{"HS256", "ES256", "RS256"}), jwt.WithoutClaimsValidation())
	_, err := parser.Parse(raw, func(token *jwt.Token) (any, error) {
		if token.Method == jwt.SigningMethodHS256 {
			if keys.Secret == "" {
				return nil, errUnknownKey
			}
			return []byte(keys.Secret), nil
		}
		id, _ := token.Header["kid"].(string)
		return publicKey(keys.Set, id, token.Method.Alg())
	})
	return err
}

// publicKey finds the key with the id that fits the algorithm.
func publicKey(set []byte, id, algorithm string) (any, error) {
	if len(set) == 0 {
		return nil, errUnknownKey
	}
	var parsed struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(set, &parsed); err != nil {
		return nil, fmt.Errorf("the stack's key set cannot be read: %w", err)
	}
	for _, key := range parsed.Keys {
		if key.ID != id {
			continue
		}
		switch {
		case algorithm == "ES256" && key.Type == "EC" && key.Curve == "P-256":
			return key.ecdsa()
		case algorithm == "RS256" && key.Type == "RSA":
			return key.rsa()
		}
	}
	return nil, errUnknownKey
}

// ecdsa returns a P-256 key. Points that are not on the curve are refused.
func (k jwk) ecdsa() (*ecdsa.PublicKey, error) {
	x, errX := decodeInt(k.X)
	y, errY := decodeInt(k.Y)
	if err := errors.Join(errX, errY); err != nil {
		return nil, fmt.Errorf("key %s: %w", k.ID, err)
	}
	const size = 32
	if x.BitLen() > 8*size || y.BitLen() > 8*size {
		return nil, fmt.Errorf("key %s: a coordinate is too large", k.ID)
	}
	// The uncompressed form of SEC 1, section 2.3.3: 4, then both coordinates.
	point := make([]byte, 1+2*size)
	point[0] = 4
	x.FillBytes(point[1 : 1+size])
	y.FillBytes(point[1+size:])
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", k.ID, err)
	}
	return key, nil
}

func (k jwk) rsa() (*rsa.PublicKey, error) {
	n, errN := decodeInt(k.N)
	e, errE := decodeInt(k.E)
	if err := errors.Join(errN, errE); err != nil {
		return nil, fmt.Errorf("key %s: %w", k.ID, err)
	}
	if !e.IsInt64() || e.Int64() < 3 || e.Int64() > 1<<31-1 {
		return nil, fmt.Errorf("key %s: exponent out of range", k.ID)
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
}

func decodeInt(text string) (*big.Int, error) {
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil || len(data) == 0 {
		return nil, errors.New("a number is not base64url")
	}
	return new(big.Int).SetBytes(data), nil
}
