package restreplay

import (
	"context"
	"strings"
)

// Target is an implementation of PostgREST's API to replay against. What it cannot bring into the recorded setting its methods, and
// those of its instances, say by a *[parity.NotAskedError].
type Target interface {
	// Open makes a fresh database in the recorded setting: the roles without time limits, the schema auth, the schemas
	// extensions and graphql_public, and default privileges of role postgres for the API roles in public.
	Open(ctx context.Context) (Instance, error)
	// Cleanup runs SQL as a superuser in another database of the cluster.
	Cleanup(ctx context.Context, sql string) error
}

// Instance is one database with at most one server on it.
type Instance interface {
	// Exec runs a script as a role: "postgres", or Superuser.
	Exec(ctx context.Context, role, sql string) error
	// Start starts the server with settings by PostgREST's names (without db-uri) and returns its root's URL, without a slash
	// at the end.
	Start(ctx context.Context, config map[string]string) (url string, err error)
	// Reload makes the server read its schema cache and the settings of roles again, and waits for that.
	Reload(ctx context.Context) error
	// Close stops the server and drops the database.
	Close(ctx context.Context) error
}

// Gated is implemented by instances whose server was started by somebody else, and answers through a gateway. The headers of
// cross-origin answers are the gateway's there, and are not compared.
type Gated interface {
	// Suits says whether the server has the settings, before anything is made: nil, or a *[parity.NotAskedError].
	Suits(config map[string]string) error
	// Passes says whether the server gets a step's request, and gets it as the recorded one did: nil, or a *[parity.NotAskedError].
	Passes(step Step) error
}

// Superuser stands for a role that may do everything.
const Superuser = "superuser"

// BaseConfig are the settings that all recordings share, by PostgREST's names.
func BaseConfig() map[string]string {
	return map[string]string{
		"db-schemas":           "public,graphql_public",
		"db-extra-search-path": "public,extensions",
		"db-max-rows":          "1000",
		"db-anon-role":         "anon",
		"jwt-secret":           jwtSecret,
	}
}

// Environment renders the settings of Instance.Start as the environment variables of PostgREST: PGRST_ and the name in
// capitals. uri is the connection of the login role, which recordings do not have. The server is not to listen for changes
// unless a recording says so, since the recordings say when it learns of one.
func Environment(uri string, config map[string]string) map[string]string {
	env := map[string]string{"PGRST_DB_URI": uri, "PGRST_DB_CHANNEL_ENABLED": "false"}
	for name, value := range config {
		env["PGRST_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = value
	}
	return env
}
