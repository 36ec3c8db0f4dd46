// Package token decides who a request is: it reads the bearer token, verifies its signature and its claims, and names the
// database role.
//
// It owns the keys, the rules of claims and the words of PGRST300 to PGRST303 (PostgREST documentation, "Authentication";
// recordings auth-jwt). It promises that claims are checked on every use, also when the signature was verified before. It does
// not talk to the database: whether a role exists is found out there.
package token

import (
	"net/http"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// Config says what tokens are accepted and what they mean.
type Config struct {
	// Keys verify signatures. Nil means that the server has none: every token is then refused with PGRST300.
	Keys *Keys
	// Audience is the one that a token with a claim aud has to name; empty accepts all.
	Audience string
	// RoleClaim finds the role in the claims. The zero value is that of DefaultRoleClaim.
	RoleClaim RolePath
	// AnonRole is the role of requests without a token, and of tokens without a role; empty means that there is none and such
	// requests are refused with PGRST302.
	AnonRole string
	// CacheSize is how many verified tokens are remembered. 0 means 1000; negative remembers none.
	CacheSize int
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

// withDefaults fills what was left empty, in a copy.
func (c Config) withDefaults() Config {
	if c.RoleClaim.steps == nil {
		c.RoleClaim = defaultRolePath()
	}
	if c.CacheSize == 0 {
		c.CacheSize = 1000
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Verifier verifies tokens. It is safe for use by many requests at a time.
type Verifier struct {
	config   Config
	verified *cache
}

// NewVerifier makes a verifier. The zero Config is valid: it accepts no token and knows no anonymous role.
func NewVerifier(c Config) *Verifier {
	c = c.withDefaults()
	return &Verifier{config: c, verified: newCache(c.CacheSize)}
}

// Identity is who a request is to the database.
type Identity struct {
	// Role is the database role to switch to.
	Role string
	// Claims is the JSON object for request.jwt.claims: the token's claims with role set to Role.
	Claims string
	// Authenticated is true when Role is not the anonymous one, whatever token was sent. It decides between 401 and 403 when
	// the database denies something.
	Authenticated bool
}

// Identify reads the Authorization header of a request. The error is PGRST300 to PGRST303, or nil. Several claims that are wrong
// are reported in the order exp, nbf, iat, aud.
func (v *Verifier) Identify(header http.Header) (Identity, *apierror.Error) {
	encoded, sent := bearer(header)
	if !sent {
		return v.identity(claims{})
	}
	known, err := v.verify(encoded)
	if err != nil {
		return Identity{}, err
	}
	if err := checkTimes(known.times, v.config.Now()); err != nil {
		return Identity{}, err
	}
	return known.identity, known.refusal
}

// verified is all that does not change about a token with a good signature: everything but the time.
type verified struct {
	times    [3]timeClaim
	identity Identity
	refusal  *apierror.Error // of the audience, or of a token without a role
}

// identity names the role and completes the claims.
func (v *Verifier) identity(c claims) (Identity, *apierror.Error) {
	role, found := v.config.RoleClaim.find(c.raw)
	if !found {
		role = v.config.AnonRole
	}
	if !found && role == "" {
		return Identity{}, apierror.New(http.StatusUnauthorized, "PGRST302", "Anonymous access is disabled").
			WithHeader("WWW-Authenticate", "Bearer")
	}
	return Identity{
		Role:          role,
		Claims:        c.withRole(role),
		Authenticated: v.config.AnonRole == "" || role != v.config.AnonRole,
	}, nil
}

// bearer is the token of the first Authorization header; sent is false for another scheme, which counts as no token.
func bearer(header http.Header) (encoded string, sent bool) {
	values := header.Values("Authorization")
	if len(values) == 0 {
		return "", false
	}
	scheme, rest := values[0], ""
	if i := strings.IndexAny(scheme, " \t\n\v\f\r"); i >= 0 {
		scheme, rest = scheme[:i], strings.TrimLeft(scheme[i:], " \t\n\v\f\r")
	}
	return rest, strings.EqualFold(scheme, "bearer")
}

// verify checks the signature, unless that was done before, and reads the claims.
func (v *Verifier) verify(encoded string) (*verified, *apierror.Error) {
	if v.config.Keys == nil {
		return nil, apierror.New(http.StatusInternalServerError, "PGRST300", "Server lacks JWT secret")
	}
	if known, ok := v.verified.get(encoded); ok {
		return known, nil
	}
	payload, err := v.config.Keys.open(encoded)
	if err != nil {
		return nil, err
	}
	c, err := readClaims(payload)
	if err != nil {
		return nil, err
	}
	known := &verified{times: c.times()}
	if known.refusal = c.checkAudience(v.config.Audience); known.refusal == nil {
		known.identity, known.refusal = v.identity(c)
	}
	v.verified.put(encoded, known)
	return known, nil
}

// invalidToken is a refusal of the token itself: PGRST301 when it could not be decoded, PGRST303 when its claims are wrong.
func invalidToken(code, message string) *apierror.Error {
	return apierror.New(http.StatusUnauthorized, code, message).
		WithHeader("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+message+`"`)
}
