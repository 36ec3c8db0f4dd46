package tasks

import (
	"maps"

	"github.com/google/uuid"
)

// TokenClaims are the claims that the user's requests carry, on both paths alike,
// except those that depend on when a token is signed (iss, iat, exp). reading is
// ClaimsToken or ClaimsGiven.
//
// Under ClaimsToken a user with a sub has all that Auth puts in an access token
// (Supabase documentation, "Custom access token hook", and the recordings of Auth):
// policies that look at is_anonymous or aal see what they see in a project. A role
// alone has the claims of an API key, role. Given claims win over filled ones. The map
// and what it holds belong to the caller.
func (u User) TokenClaims(reading string) map[string]any {
	claims := map[string]any{}
	if u.Sub != "" && reading != ClaimsGiven {
		claims = map[string]any{
			"aud": RoleAuthenticated, "aal": "aal1", "email": "", "phone": "", "is_anonymous": false,
			"app_metadata": map[string]any{}, "user_metadata": map[string]any{},
			// A session has one id for the whole of a task, the same in every run.
			"session_id": uuid.NewSHA1(uuid.NameSpaceOID, []byte("session of "+u.Sub)).String(),
		}
	}
	for key, value := range u.Claims {
		claims[key] = clone(value)
	}
	claims["role"] = u.Role
	if u.Sub != "" {
		claims["sub"] = u.Sub
	}
	return claims
}

// clone copies plain data.
func clone(value any) any {
	switch v := value.(type) {
	case map[string]any:
		copied := maps.Clone(v)
		for key := range copied {
			copied[key] = clone(copied[key])
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = clone(v[i])
		}
		return copied
	}
	return value
}
