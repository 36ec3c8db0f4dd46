package rest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
	"github.com/supascore/supascore/stack/rest/token"
)

// state is everything that a request looks at: the configuration, what is known of the database, and how tokens are
// verified. It is replaced as a whole, never changed, so a request sees one state from
// beginning to end.
type state struct {
	config   Config // with the settings stored in the database
	snapshot *schema.Snapshot
	roles    schema.Roles
	verifier *token.Verifier
	parsing  request.Settings
	handler  http.Handler // of the server, behind the rules for browsers
	// searchPath is the search path of requests to each schema.
	searchPath map[string]string
}

// newState prepares what depends on the configuration. The snapshot may be nil.
func newState(c Config, snap *schema.Snapshot, roles schema.Roles, knownTimezone func(string) bool) (*state, error) {
	v, err := newVerifier(&c)
	if err != nil {
		return nil, err
	}
	return &state{
		config: c, snapshot: snap, roles: roles, verifier: v, parsing: c.requestSettings(knownTimezone), searchPath: c.searchPaths(),
	}, nil
}

// searchPaths are the search paths by the schema that a request is for.
func (c *Config) searchPaths() map[string]string {
	paths := make(map[string]string, len(c.Schemas))
	for _, name := range c.Schemas {
		path := append([]string{name}, c.ExtraSearchPath...)
		for i := range path {
			path[i] = pgx.Identifier{path[i]}.Sanitize()
		}
		paths[name] = strings.Join(path, ", ")
	}
	return paths
}

// newVerifier reads the keys. A new one starts with an empty cache, so tokens verified with old keys are not accepted.
func newVerifier(c *Config) (*token.Verifier, error) {
	path, err := token.ParseRolePath(c.RoleClaimKey)
	if err != nil {
		return nil, fmt.Errorf("rest: RoleClaimKey (PGRST_JWT_ROLE_CLAIM_KEY): %w", err)
	}
	tc := token.Config{Audience: c.JWTAudience, RoleClaim: path, AnonRole: c.AnonRole, Now: c.Now}
	if c.JWTSecret != "" {
		parse := token.ParseKeys
		if c.SecretIsBase64 {
			parse = token.ParseBase64Keys
		}
		if tc.Keys, err = parse(c.JWTSecret); err != nil {
			return nil, fmt.Errorf("rest: JWTSecret (PGRST_JWT_SECRET): %w", err)
		}
	}
	return token.NewVerifier(tc), nil
}
