package keys_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/keys"
)

func TestATokenCarriesItsClaimsForAnHourUnlessTheySayOtherwise(t *testing.T) {
	t.Parallel()
	const secret = "super-secret-jwt-token-with-at-least-32-characters-long"
	read := func(claims map[string]any) jwt.MapClaims {
		token, err := keys.Token(secret, claims)
		require.NoError(t, err)
		parsed, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return []byte(secret), nil },
			jwt.WithValidMethods([]string{"HS256"}), jwt.WithoutClaimsValidation())
		require.NoError(t, err)
		return parsed.Claims.(jwt.MapClaims) //nolint:forcetypeassert // what Parse makes
	}
	given := map[string]any{"role": "authenticated", "app_metadata": map[string]any{"team": "north"}}
	claims := read(given)
	assert.Equal(t, "authenticated", claims["role"])
	assert.Equal(t, map[string]any{"team": "north"}, claims["app_metadata"])
	assert.InDelta(t, time.Now().Unix(), claims["iat"], 60)
	assert.InDelta(t, claims["iat"].(float64)+3600, claims["exp"], 0) //nolint:forcetypeassert // checked above
	assert.Len(t, given, 2, "the caller's claims stay as they are")

	assert.InDelta(t, 12, read(map[string]any{"exp": 12})["exp"], 0)
	assert.Len(t, read(nil), 2)

	_, err := keys.Token(secret, map[string]any{"role": func() {}})
	assert.ErrorContains(t, err, "sign a token")
}
