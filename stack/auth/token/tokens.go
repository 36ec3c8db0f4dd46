package token

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Tokens signs and reads access tokens. Safe for concurrent use.
type Tokens struct {
	ring *keyring
	now  func() time.Time
	// signed is set by the first token. Until then the real server hands the audience to the hook as
	// a list (recording cat_hook_first_token).
	signed atomic.Bool
}

// New reads the keys. It fails on JWKs that are none and on a set without exactly one signing key.
// now gives the time that exp and nbf are compared with.
func New(cfg KeyConfig, now func() time.Time) (*Tokens, error) {
	ring, err := newKeyring(cfg)
	if err != nil {
		return nil, err
	}
	t := &Tokens{ring: ring, now: now}
	t.signed.Store(cfg.FirstTokenIssued)
	return t, nil
}

// ForHook is what the custom access token hook is told: claims, with their audience as a string.
// Before the first token of the server the audience is a list.
func (t *Tokens) ForHook(claims *AccessTokenClaims) any {
	return written(claims, !t.signed.Load())
}

// Sign makes a token of the server's own claims.
func (t *Tokens) Sign(claims *AccessTokenClaims) (string, error) {
	return t.sign(written(claims, false))
}

// SignHooked makes a token of the claims that a hook returned, as they are.
func (t *Tokens) SignHooked(claims map[string]any) (string, error) {
	return t.sign(jwt.MapClaims(claims))
}

func (t *Tokens) sign(claims jwt.Claims) (string, error) {
	t.signed.Store(true)
	text, err := t.ring.signing.sign(claims)
	if err != nil {
		return "", fmt.Errorf("sign an access token: %w", err)
	}
	return text, nil
}

// Parse verifies a token and returns its claims. The error is golang-jwt's.
func (t *Tokens) Parse(text string) (*AccessTokenClaims, error) {
	parser := jwt.NewParser(jwt.WithValidMethods(t.ring.methods), jwt.WithTimeFunc(t.now))
	claims := &AccessTokenClaims{}
	if _, err := parser.ParseWithClaims(text, claims, t.ring.find); err != nil {
		return nil, err
	}
	return claims, nil
}

// JWKS are the public JWKs that verify tokens, without symmetric keys; never nil.
func (t *Tokens) JWKS() []map[string]any {
	out := []map[string]any{}
	for _, k := range t.ring.keys {
		if k.published != nil {
			out = append(out, k.published)
		}
	}
	return out
}
