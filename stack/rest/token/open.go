package token

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// header is what is read of a token's header. kid and alg decide which keys can have made the signature.
type header struct {
	Alg string          `json:"alg"`
	Kid *string         `json:"kid"`
	Enc json.RawMessage `json:"enc"`
}

// undecodable is the refusal of what is not a token at all. PostgREST's library has one error for all of it.
func undecodable() *apierror.Error {
	return invalidToken("PGRST301", "JWT cryptographic operation failed")
}

// noKey is the refusal when no key fits or none verifies. The two are told apart in the details.
func noKey(details string) *apierror.Error {
	return invalidToken("PGRST301", "No suitable key or wrong key type").WithDetails(details)
}

// open verifies the signature of a token and gives its payload. Keys are tried in the order of the set: every one that has the
// token's kid (a token without kid fits all), its algorithm or none, and the right type.
func (k *Keys) open(encoded string) ([]byte, *apierror.Error) {
	if encoded == "" {
		return nil, invalidToken("PGRST301", "Empty JWT is sent in Authorization header")
	}
	if n := strings.Count(encoded, ".") + 1; n != 3 {
		return nil, invalidToken("PGRST301", "Expected 3 parts in JWT; got "+strconv.Itoa(n))
	}
	parts := strings.Split(encoded, ".")
	h, err := readHeader(parts[0])
	if err != nil {
		return nil, err
	}
	payload, decodeErr := base64.RawURLEncoding.DecodeString(parts[1])
	if decodeErr != nil {
		return nil, undecodable()
	}
	if h.Alg == "none" {
		return nil, invalidToken("PGRST301", "Wrong or unsupported encoding algorithm").
			WithDetails("JWT is unsecured but expected 'alg' was not 'none'")
	}
	signature, decodeErr := base64.RawURLEncoding.DecodeString(parts[2])
	if decodeErr != nil {
		return nil, undecodable()
	}
	if err := k.check(h, parts[0]+"."+parts[1], signature); err != nil {
		return nil, err
	}
	return payload, nil
}

// readHeader reads a header that names an algorithm we know. Encrypted tokens have five parts and so never get here whole.
func readHeader(part string) (header, *apierror.Error) {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return header{}, undecodable()
	}
	var h header
	if json.Unmarshal(data, &h) != nil || h.Enc != nil {
		return header{}, undecodable()
	}
	if h.Alg != "none" && keyType(h.Alg) == "" {
		return header{}, undecodable()
	}
	return h, nil
}

// check finds a key that made the signature.
func (k *Keys) check(h header, signed string, signature []byte) *apierror.Error {
	method, found := jwt.GetSigningMethod(h.Alg), false
	for _, key := range k.list {
		if !key.fits(h) {
			continue
		}
		found = true
		if method.Verify(signed, signature, key.public) == nil {
			return nil
		}
	}
	if !found {
		return noKey("No suitable key was found to decode the JWT")
	}
	return noKey("None of the keys was able to decode the JWT")
}

// fits says whether the key can have made the signature of a token with this header.
func (k key) fits(h header) bool {
	return (h.Kid == nil || k.id != nil && *k.id == *h.Kid) &&
		(k.alg == "" || k.alg == h.Alg) &&
		k.kind == keyType(h.Alg)
}

// keyType is the type (kty) of the keys of an algorithm, empty for an algorithm we do not know.
func keyType(alg string) string {
	switch alg {
	case "HS256", "HS384", "HS512":
		return "oct"
	case "RS256", "RS384", "RS512":
		return "RSA"
	case "ES256", "ES384", "ES512":
		return "EC"
	case "EdDSA":
		return "OKP"
	}
	return ""
}
