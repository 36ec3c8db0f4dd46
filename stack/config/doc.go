// Package config reads a workspace's supabase/config.toml the way the Supabase CLI does and says, for every setting, what
// value is in effect and where it came from. It owns the list of keys, their defaults, the layers that may change them (the
// file, .env files, SUPABASE_ variables, a [remotes] block), the rules that make a file wrong, and the rendering of the
// result as the environment variables that Auth (GOTRUE_*) and PostgREST (PGRST_*) are started with. It promises that any
// legal TOML spelling of one configuration gives one result, that every complaint names a file, a line and a column, and
// that it reads nothing outside the workspace folder and no environment but the one it is given. It starts nothing, and it
// does not know whether a hook's function exists in a database.
//
// The rules are those of the CLI's own loader (supabase/cli, apps/cli-go/pkg/config and internal/start); where this package
// is stricter than the CLI, the comment at that place says so and why.
package config
