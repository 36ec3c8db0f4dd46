package keys

import (
	"fmt"
	"maps"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Token signs claims as Auth does with a project's JWT secret (HS256). iat and exp are
// filled in unless they are given: now, and in an hour. The claims stay as they are. The
// error is that a claim has no JSON form.
func Token(secret string, claims map[string]any) (string, error) {
	all := jwt.MapClaims(maps.Clone(claims))
	if all == nil {
		all = jwt.MapClaims{}
	}
	now := time.Now()
	for name, value := range map[string]any{"iat": now.Unix(), "exp": now.Add(time.Hour).Unix()} {
		if _, given := all[name]; !given {
			all[name] = value
		}
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, all).SignedString([]byte(secret))
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return token, nil
}
