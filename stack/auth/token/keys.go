package token

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/golang-jwt/jwt/v5"

	"github.com/supascore/supascore/stack/keys"
)

// KeyConfig says what signs tokens and what verifies them.
type KeyConfig struct {
	// Secret is the HS256 secret. It verifies tokens without a known kid, and signs when JWKs is empty.
	Secret string
	// KeyID is the kid of the secret; empty for none.
	KeyID string
	// JWKs is a JSON array of private JWKs (EC on P-256, RSA, or oct), one of which has the key_ops
	// member "sign"; empty for none.
	JWKs string
	// ValidMethods are the algorithms that are accepted. Empty means those of the keys.
	ValidMethods []string
	// FirstTokenIssued tells that a token was signed before with these keys, see Tokens.ForHook.
	FirstTokenIssued bool
}

// ErrNoSigningKey refuses a set of keys without exactly one key that signs.
var ErrNoSigningKey = errors.New("GOTRUE_JWT_KEYS must have exactly one key whose key_ops say sign")

// key is one parsed JWK.
type key struct {
	id, method string
	sign       func(jwt.Claims) (string, error)
	public     any
	// published is the public JWK, nil for symmetric keys.
	published map[string]any
}

// keyring holds the keys of one server.
type keyring struct {
	secret  []byte
	keyID   string
	signing key
	keys    []key
	methods []string
}

func newKeyring(cfg KeyConfig) (*keyring, error) {
	ring := &keyring{secret: []byte(cfg.Secret), keyID: cfg.KeyID, methods: cfg.ValidMethods}
	ring.signing = symmetric(cfg.KeyID, ring.secret)
	if cfg.JWKs == "" {
		ring.keys = []key{ring.signing}
	} else if err := ring.addJWKs(cfg.JWKs); err != nil {
		return nil, err
	}
	if len(ring.methods) == 0 {
		for _, k := range ring.keys {
			ring.methods = append(ring.methods, k.method)
		}
	}
	return ring, nil
}

func (ring *keyring) addJWKs(text string) error {
	var list []map[string]any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("GOTRUE_JWT_KEYS is not a JSON array of keys: %w", err)
	}
	signers := 0
	for i, members := range list {
		k, err := parseKey(members)
		if err != nil {
			return fmt.Errorf("GOTRUE_JWT_KEYS, key %d: %w", i+1, err)
		}
		ring.keys = append(ring.keys, k)
		if operations, ok := members["key_ops"].([]any); ok && slices.Contains(operations, any("sign")) {
			signers++
			ring.signing = k
		}
	}
	if signers != 1 {
		return fmt.Errorf("%w: %d have it", ErrNoSigningKey, signers)
	}
	return nil
}

// parseKey reads one JWK.
func parseKey(members map[string]any) (key, error) {
	id, _ := members["kid"].(string)
	if members["kty"] == "oct" {
		text, _ := members["k"].(string)
		secret, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(secret) == 0 {
			return key{}, fmt.Errorf("%w: k is missing or not base64url", keys.ErrNotAKey)
		}
		return symmetric(id, secret), nil
	}
	text, err := json.Marshal([]any{members})
	if err != nil {
		return key{}, err
	}
	parsed, err := keys.ParseSigningKeys(text)
	if err != nil {
		return key{}, err
	}
	signer := parsed[0]
	return key{
		id: id, method: signer.Algorithm, sign: signer.Sign, public: signer.Public(), published: publish(members),
	}, nil
}

// symmetric is an HS256 key.
func symmetric(id string, secret []byte) key {
	sign := func(claims jwt.Claims) (string, error) {
		token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
		if id != "" {
			token.Header["kid"] = id
		}
		return token.SignedString(secret)
	}
	return key{id: id, method: jwt.SigningMethodHS256.Alg(), sign: sign, public: secret}
}

// find is what verifies a token: the key that its kid names, else the secret for HS256.
func (ring *keyring) find(token *jwt.Token) (any, error) {
	if id, ok := token.Header["kid"].(string); ok {
		for _, k := range ring.keys {
			if k.id == id {
				return k.public, nil
			}
		}
		if id == ring.keyID {
			return ring.secret, nil
		}
	}
	if token.Header["alg"] == jwt.SigningMethodHS256.Alg() {
		return ring.secret, nil
	}
	return nil, fmt.Errorf("unrecognized JWT kid %v for algorithm %v", token.Header["kid"], token.Header["alg"])
}

// publish is the public half of an asymmetric JWK: what is not secret of it, for verifying only.
// Members that no standard names are kept, as the real server keeps them.
func publish(members map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range members {
		switch name {
		case "d", "p", "q", "dp", "dq", "qi", "oth":
		default:
			out[name] = value
		}
	}
	out["use"], out["key_ops"] = "sig", []string{"verify"}
	return out
}
