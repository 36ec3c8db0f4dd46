package stack

import "github.com/supascore/supascore/stack/keys"

// Endpoints is where a stack can be reached and with which keys, whatever engine
// plays it.
type Endpoints struct {
	// Engine is who plays REST and Auth.
	Engine Engine `json:"engine"`
	// APIURL is the gateway: http://127.0.0.1:<port>, without a trailing slash.
	APIURL string `json:"api_url"`
	// RESTURL and AuthURL are the services behind it, as clients use them.
	RESTURL string `json:"rest_url"`
	AuthURL string `json:"auth_url"`
	// DBURL is the database as its owner, role postgres, over loopback TCP.
	DBURL string `json:"db_url"`
	// Keys are the API keys and the JWT secret.
	Keys keys.Set `json:"keys"`
	// JWKS is the set of public keys that tokens may be signed with, as JSON;
	// empty when tokens are signed with the JWT secret.
	JWKS string `json:"jwks,omitempty"`
	// Versions maps each part ("postgres", "rest", "auth") to its version.
	Versions map[string]string `json:"versions"`
}
