package token

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// minSecret is the least length of a text secret in bytes; shorter ones are refused at start, as PostgREST does.
const minSecret = 32

// Keys are the keys that tokens can be signed with.
type Keys struct{ list []key }

// key is one key, prepared for verifying.
type key struct {
	id     *string
	alg    string // the only algorithm the key is for; empty for any of its type
	kind   string // oct, RSA, EC, OKP
	public any    // []byte, *rsa.PublicKey, *ecdsa.PublicKey or ed25519.PublicKey
}

// ParseKeys reads jwt-secret: a JSON Web Key Set, a single JSON Web Key, or else a text secret for HS256. Keys of a type or
// algorithm that is not supported, and keys for encryption, are left out. It fails for a text that is too short and for a key
// whose parameters are missing or broken.
func ParseKeys(secret string) (*Keys, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	data := []byte(secret)
	if err := json.Unmarshal(data, &set); err != nil {
		return textKey(secret)
	}
	if set.Keys == nil {
		set.Keys = []json.RawMessage{data}
	}
	keys := &Keys{}
	for i, raw := range set.Keys {
		k, err := parseKey(raw)
		if errors.Is(err, errUnsupported) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("jwt-secret: key %d: %w", i+1, err)
		}
		keys.list = append(keys.list, k)
	}
	return keys, nil
}

// ParseBase64Keys is ParseKeys for jwt-secret-is-base64: the secret is base64 in either alphabet, with "." allowed as padding.
func ParseBase64Keys(secret string) (*Keys, error) {
	text := strings.NewReplacer("_", "/", "-", "+", ".", "=").Replace(strings.TrimSpace(secret))
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("jwt-secret is not base64: %w", err)
	}
	return ParseKeys(string(data))
}

// textKey is a secret for HS256 alone, as in PostgREST: a longer HMAC needs a key that says so.
func textKey(secret string) (*Keys, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("jwt-secret: a secret has at least %d characters, this one has %d", minSecret, len(secret))
	}
	return &Keys{list: []key{{alg: "HS256", kind: "oct", public: []byte(secret)}}}, nil
}

// errUnsupported is a key that is left out of the set: another one may verify the token.
var errUnsupported = errors.New("unsupported key")

// jwk is a JSON Web Key (RFC 7517, RFC 7518 section 6). Private parameters are not read.
type jwk struct {
	Kty string  `json:"kty"`
	Use string  `json:"use"`
	Alg string  `json:"alg"`
	Kid *string `json:"kid"`
	Crv string  `json:"crv"`
	K   *octets `json:"k"`
	N   *octets `json:"n"`
	E   *octets `json:"e"`
	X   *octets `json:"x"`
	Y   *octets `json:"y"`
}

// octets is base64url without padding.
type octets []byte

// UnmarshalJSON decodes a base64url string.
func (b *octets) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	out, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	*b = out
	return err
}

// parseKey reads one key of a set.
func parseKey(raw []byte) (key, error) {
	var j jwk
	if err := json.Unmarshal(raw, &j); err != nil {
		return key{}, err
	}
	if j.Use == "enc" || j.Alg != "" && keyType(j.Alg) != j.Kty {
		return key{}, errUnsupported
	}
	public, err := j.public()
	if err != nil {
		return key{}, err
	}
	return key{id: j.Kid, alg: j.Alg, kind: j.Kty, public: public}, nil
}

// public is the part of the key that verifies.
func (j jwk) public() (crypto.PublicKey, error) {
	switch j.Kty {
	case "oct":
		if j.K == nil {
			return nil, errors.New("a symmetric key needs k")
		}
		return []byte(*j.K), nil
	case "RSA":
		return j.rsa()
	case "EC":
		return j.ec()
	case "OKP":
		if j.Crv != "Ed25519" {
			return nil, errUnsupported
		}
		if j.X == nil || len(*j.X) != ed25519.PublicKeySize {
			return nil, errors.New("an Ed25519 key needs x of 32 bytes")
		}
		return ed25519.PublicKey(*j.X), nil
	}
	return nil, errUnsupported
}

// rsa bounds e to what crypto/rsa takes.
func (j jwk) rsa() (crypto.PublicKey, error) {
	if j.N == nil || j.E == nil {
		return nil, errors.New("an RSA key needs n and e")
	}
	e := new(big.Int).SetBytes(*j.E)
	if !e.IsInt64() || e.Int64() < 2 || e.Int64() > 1<<31-1 {
		return nil, errors.New("the e of the RSA key is out of range")
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(*j.N), E: int(e.Int64())}, nil
}

// ec makes sure that the point is on its curve: ParseUncompressedPublicKey refuses others.
func (j jwk) ec() (crypto.PublicKey, error) {
	var curve elliptic.Curve
	switch j.Crv {
	case "P-256":
		curve = elliptic.P256()
	case "P-384":
		curve = elliptic.P384()
	case "P-521":
		curve = elliptic.P521()
	default:
		return nil, fmt.Errorf("unsupported crv %q", j.Crv)
	}
	size := (curve.Params().BitSize + 7) / 8
	if j.X == nil || j.Y == nil || len(*j.X) > size || len(*j.Y) > size {
		return nil, fmt.Errorf("a key on %s needs x and y of %d bytes", j.Crv, size)
	}
	point := make([]byte, 1+2*size)
	point[0] = 4 // uncompressed
	copy(point[1+size-len(*j.X):], *j.X)
	copy(point[1+2*size-len(*j.Y):], *j.Y)
	return ecdsa.ParseUncompressedPublicKey(curve, point)
}
