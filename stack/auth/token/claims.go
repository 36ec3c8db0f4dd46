package token

import (
	"encoding/json"

	"github.com/golang-jwt/jwt/v5"
)

// AMREntry says how and when a session was authenticated.
type AMREntry struct {
	Method string `json:"method"`
	// Timestamp is a Unix time in seconds.
	Timestamp int64 `json:"timestamp"`
	// Provider is set for single sign-on.
	Provider string `json:"provider,omitempty"`
}

// AMRClaim is the claim amr. Reading accepts objects and bare method names, and null.
type AMRClaim []AMREntry

// UnmarshalJSON implements json.Unmarshaler.
func (a *AMRClaim) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	out := make(AMRClaim, 0, len(items))
	for _, item := range items {
		var entry AMREntry
		if json.Unmarshal(item, &entry.Method) != nil {
			if err := json.Unmarshal(item, &entry); err != nil {
				return err
			}
		}
		out = append(out, entry)
	}
	*a = out
	return nil
}

// AccessTokenClaims are the claims of an access token. The name of the type is part of refusals that
// quote encoding/json, so it is upstream's.
type AccessTokenClaims struct {
	jwt.RegisteredClaims
	Email        string         `json:"email"`
	Phone        string         `json:"phone"`
	AppMetaData  map[string]any `json:"app_metadata"`
	UserMetaData map[string]any `json:"user_metadata"`
	Role         string         `json:"role"`
	// AAL is aal1 or aal2.
	AAL         string   `json:"aal,omitempty"`
	AMR         AMRClaim `json:"amr,omitempty"`
	SessionID   string   `json:"session_id,omitempty"`
	IsAnonymous bool     `json:"is_anonymous"`
	ClientID    string   `json:"client_id,omitempty"`
	Scope       string   `json:"scope,omitempty"`
}

// writtenClaims are claims as they are marshalled: in the real server's order, which a hook that
// takes json instead of jsonb sees (recording cat_hook_payload), and with an audience that is a
// string or a list. golang-jwt has a package variable for that choice, which would reach into other
// servers of the process.
type writtenClaims struct {
	*AccessTokenClaims `json:"-"`

	Issuer       string           `json:"iss,omitempty"`
	Subject      string           `json:"sub,omitempty"`
	Audience     any              `json:"aud,omitempty"`
	ExpiresAt    *jwt.NumericDate `json:"exp,omitempty"`
	IssuedAt     *jwt.NumericDate `json:"iat,omitempty"`
	Email        string           `json:"email"`
	Phone        string           `json:"phone"`
	AppMetaData  map[string]any   `json:"app_metadata"`
	UserMetaData map[string]any   `json:"user_metadata"`
	Role         string           `json:"role"`
	AAL          string           `json:"aal,omitempty"`
	AMR          AMRClaim         `json:"amr,omitempty"`
	SessionID    string           `json:"session_id,omitempty"`
	IsAnonymous  bool             `json:"is_anonymous"`
}

// written are claims to marshal. A single audience becomes a string unless list is set.
func written(c *AccessTokenClaims, list bool) writtenClaims {
	var audience any = c.Audience
	if !list && len(c.Audience) == 1 {
		audience = c.Audience[0]
	}
	return writtenClaims{
		AccessTokenClaims: c, Issuer: c.Issuer, Subject: c.Subject, Audience: audience, ExpiresAt: c.ExpiresAt,
		IssuedAt: c.IssuedAt, Email: c.Email, Phone: c.Phone, AppMetaData: c.AppMetaData, UserMetaData: c.UserMetaData,
		Role: c.Role, AAL: c.AAL, AMR: c.AMR, SessionID: c.SessionID, IsAnonymous: c.IsAnonymous,
	}
}
