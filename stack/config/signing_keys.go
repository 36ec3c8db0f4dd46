package config

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// JWK is a signing key of auth.signing_keys_path: an ECDSA key on P-256 or an RSA key, private part included.
type JWK struct {
	KeyType     string   `json:"kty"` // "EC" or "RSA"
	KeyID       string   `json:"kid,omitempty"`
	Use         string   `json:"use,omitempty"`
	KeyOps      []string `json:"key_ops,omitempty"`
	Algorithm   string   `json:"alg,omitempty"` // "ES256" or "RS256"
	Extractable *bool    `json:"ext,omitempty"`

	Modulus  string `json:"n,omitempty"` // RSA
	Exponent string `json:"e,omitempty"` // RSA
	Curve    string `json:"crv,omitempty"`
	X        string `json:"x,omitempty"`
	Y        string `json:"y,omitempty"`

	Private            string `json:"d,omitempty"`
	FirstPrime         string `json:"p,omitempty"`
	SecondPrime        string `json:"q,omitempty"`
	FirstExponent      string `json:"dp,omitempty"`
	SecondExponent     string `json:"dq,omitempty"`
	FirstCRTCoefficent string `json:"qi,omitempty"`
}

// String names the key without its private part.
func (k JWK) String() string { return fmt.Sprintf("%s key %q", k.Algorithm, k.KeyID) }

// GoString hides the private part from %#v.
func (k JWK) GoString() string { return k.String() }

// Public returns the key without its private parts, for verifying only.
func (k JWK) Public() JWK {
	public := JWK{
		KeyType: k.KeyType, KeyID: k.KeyID, Use: k.Use, Algorithm: k.Algorithm, Extractable: k.Extractable,
		Modulus: k.Modulus, Exponent: k.Exponent, Curve: k.Curve, X: k.X, Y: k.Y,
	}
	if slices.Contains(k.KeyOps, "verify") {
		public.KeyOps = []string{"verify"}
	}
	return public
}

// SigningKeys returns the keys of auth.signing_keys_path, the first one signs. It is empty when the file names none: tokens
// are then signed with the JWT secret.
func (c *Config) SigningKeys() []JWK { return slices.Clone(c.signingKeys) }

// JWKS returns the key set that verifies this configuration's tokens, as JSON: the public halves of the signing keys, or the
// JWT secret as a symmetric key when there are none (ResolveJWKS in the CLI's pkg/config/config.go). secret replaces
// auth.jwt_secret when it is not empty.
func (c *Config) JWKS(secret string) string {
	if secret == "" {
		secret = c.Auth.JWTSecret.Reveal()
	}
	keys := make([]any, 0, len(c.signingKeys))
	for _, k := range c.signingKeys {
		keys = append(keys, k.Public())
	}
	if len(keys) == 0 {
		keys = append(keys, map[string]string{"kty": "oct", "k": base64.RawURLEncoding.EncodeToString([]byte(secret))})
	}
	return mustJSON(map[string]any{"keys": keys})
}

// mustJSON encodes a value that holds strings, booleans and lists of them only, which cannot fail.
func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode keys: %v", err))
	}
	return string(text)
}

// signingKeysFile reads the keys and refuses those that Auth could not sign with, which it would say only at its start.
func (v *validator) signingKeysFile() {
	const key = "auth.signing_keys_path"
	text := v.readable(key, "supabase", v.Auth.SigningKeysPath)
	if text == nil {
		return
	}
	var keys []JWK
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&keys); err != nil {
		v.fail(key, "%s: %s is not a JSON list of keys", key, v.Auth.SigningKeysPath)
		return
	}
	if len(keys) == 0 {
		v.fail(key, "%s: %s holds no key", key, v.Auth.SigningKeysPath)
		return
	}
	for i, k := range keys {
		if fault := k.fault(); fault != "" {
			v.fail(key, "%s: key %d of %s %s", key, i+1, v.Auth.SigningKeysPath, fault)
			return
		}
	}
	v.signingKeys = keys
}

// fault says what makes a key unfit for signing, "" for nothing.
func (k JWK) fault() string {
	switch {
	case k.KeyType == "EC" && k.Algorithm == "ES256":
		if k.Curve != "P-256" {
			return fmt.Sprintf("is on the curve %q, but ES256 needs P-256", k.Curve)
		}
		return notBase64(map[string]string{"x": k.X, "y": k.Y, "d": k.Private})
	case k.KeyType == "RSA" && k.Algorithm == "RS256":
		return notBase64(map[string]string{
			"n": k.Modulus, "e": k.Exponent, "d": k.Private, "p": k.FirstPrime, "q": k.SecondPrime,
		})
	}
	return fmt.Sprintf("has kty %q and alg %q, but must have EC and ES256, or RSA and RS256", k.KeyType, k.Algorithm)
}

// notBase64 finds a member of a key that does not decode.
func notBase64(members map[string]string) string {
	for _, name := range sortedKeys(members) {
		if b, err := base64.RawURLEncoding.DecodeString(members[name]); err != nil || len(b) == 0 {
			return fmt.Sprintf("has no valid member %s, which must be base64url", name)
		}
	}
	return ""
}
