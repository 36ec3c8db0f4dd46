// Package keys owns the API keys of a stack: the publishable and the secret key,
// and the legacy anon and service_role JWTs that the gateway puts in their place. It
// makes keys and reads private JWKs; it never stores a key and never talks to a
// service.
package keys

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The constants of a local project, the same on every machine that runs the
// Supabase CLI (pkg/config/apikeys.go there). They protect nothing: a stack
// listens on loopback only.
const (
	// DefaultJWTSecret signs and verifies HS256 tokens.
	DefaultJWTSecret = "super-secret-jwt-token-with-at-least-32-characters-long"
	// DefaultPublishable is the key that clients send as apikey.
	DefaultPublishable = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH"
	// DefaultSecret is the key that servers send as apikey; it acts as service_role.
	DefaultSecret = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz"

	issuer = "supabase-demo"
	// defaultExpiry is the exp claim of the default anon and service_role keys, in Unix seconds.
	defaultExpiry = 1983812996
	// minSecretLength is the CLI's lower bound for auth.jwt_secret, in bytes.
	minSecretLength = 16
	// asymmetricLifetime is how long the CLI lets API keys live that a signing key signs.
	asymmetricLifetime = 10 * 365 * 24 * time.Hour
)

// Set is the keys of one stack.
type Set struct {
	// JWTSecret is the HS256 secret that Auth signs with and REST verifies with.
	JWTSecret string `json:"jwt_secret"`
	// Publishable is the opaque key of clients (sb_publishable_…).
	Publishable string `json:"publishable_key"`
	// Secret is the opaque key of servers (sb_secret_…).
	Secret string `json:"secret_key"`
	// Anon is the JWT with role anon.
	Anon string `json:"anon_key"`
	// ServiceRole is the JWT with role service_role.
	ServiceRole string `json:"service_role_key"`
}

// Config says how a Set is made. The zero value gives the constants of a local project.
type Config struct {
	// JWTSecret is auth.jwt_secret of config.toml; empty means DefaultJWTSecret,
	// or a fresh secret with Random.
	JWTSecret string
	// Publishable, Secret, Anon and ServiceRole are the auth.*_key settings of
	// config.toml; an empty one gets its default.
	Publishable, Secret, Anon, ServiceRole string
	// Signing is the first key of auth.signing_keys_path, which then signs Anon
	// and ServiceRole; nil means HS256 with JWTSecret.
	Signing *SigningKey
	// Random makes fresh keys where none is set, instead of the constants.
	Random bool
	// Rand is the source of fresh keys; nil means crypto/rand.
	Rand io.Reader
	// Now is the clock for the expiry of asymmetrically signed keys; nil means time.Now.
	Now func() time.Time
}

func (c Config) withDefaults() Config {
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// New makes the keys of a stack. It fails when auth.jwt_secret is shorter than
// the CLI accepts, or when a key cannot be signed.
func New(cfg Config) (Set, error) {
	cfg = cfg.withDefaults()
	set := Set{
		JWTSecret: cfg.JWTSecret, Publishable: cfg.Publishable, Secret: cfg.Secret,
		Anon: cfg.Anon, ServiceRole: cfg.ServiceRole,
	}
	if set.JWTSecret != "" && len(set.JWTSecret) < minSecretLength {
		return Set{}, fmt.Errorf("auth.jwt_secret has %d characters, at least %d are needed", len(set.JWTSecret), minSecretLength)
	}
	if err := set.fillOpaque(cfg); err != nil {
		return Set{}, err
	}
	for role, key := range map[string]*string{"anon": &set.Anon, "service_role": &set.ServiceRole} {
		if *key != "" {
			continue
		}
		signed, err := signAPIKey(role, set.JWTSecret, cfg)
		if err != nil {
			return Set{}, fmt.Errorf("sign the %s key: %w", role, err)
		}
		*key = signed
	}
	return set, nil
}

func (s *Set) fillOpaque(cfg Config) error {
	for _, key := range []struct {
		value            *string
		prefix, constant string
	}{
		{&s.JWTSecret, "", DefaultJWTSecret},
		{&s.Publishable, "sb_publishable_", DefaultPublishable},
		{&s.Secret, "sb_secret_", DefaultSecret},
	} {
		switch {
		case *key.value != "":
		case !cfg.Random:
			*key.value = key.constant
		default:
			raw := make([]byte, 30)
			if _, err := io.ReadFull(cfg.Rand, raw); err != nil {
				return fmt.Errorf("make a random key: %w", err)
			}
			*key.value = key.prefix + base64.RawURLEncoding.EncodeToString(raw)
		}
	}
	return nil
}

// apiKeyClaims keeps the member order of the CLI's keys, so that the default
// keys are byte for byte the well-known ones.
type apiKeyClaims struct {
	Issuer string `json:"iss"`
	Role   string `json:"role"`
	jwt.RegisteredClaims
}

// GetIssuer returns the outer iss, which shadows the embedded one.
func (c apiKeyClaims) GetIssuer() (string, error) { return c.Issuer, nil }

func signAPIKey(role, secret string, cfg Config) (string, error) {
	claims := apiKeyClaims{Issuer: issuer, Role: role}
	if cfg.Signing != nil {
		claims.ExpiresAt = jwt.NewNumericDate(cfg.Now().Add(asymmetricLifetime))
		return cfg.Signing.Sign(claims)
	}
	claims.ExpiresAt = jwt.NewNumericDate(time.Unix(defaultExpiry, 0))
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
}

// ErrNotAKey is wrapped by the errors for JWKs that cannot be used.
var ErrNotAKey = errors.New("not a usable signing key")
