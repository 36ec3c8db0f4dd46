package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/keys"
)

// attachFlags are the flags that point a verb at a stack which already runs. Each of
// them stands for --engine attach as well.
type attachFlags struct {
	apiURL, dbURL, publishable, secret, jwtSecret string
	fromCLI, start, allowRemote                   bool
	// lends says that candidates are let into the stack's database, so that the verb
	// itself says what is in it.
	lends bool

	// log is that of the stack, once it is found.
	log recordedLog
}

// placeFlags are the flags that say where a stack is, and what lets one in.
func placeFlags() []string {
	return []string{"api-url", "db-url", "publishable-key", "secret-key", "jwt-secret"}
}

func (f *attachFlags) register(c *cobra.Command) {
	const implies = " (implies --engine attach)"
	flags := c.Flags()
	remote := "let a running stack be on another machine; only rows of the run's own people are touched there"
	if f.lends {
		remote = "changes nothing here: candidates change the schema, so they are never let into a stack on another machine"
	}
	flags.StringVar(&f.apiURL, "api-url", "", "use the running stack whose API is here, such as http://127.0.0.1:54321"+implies)
	flags.StringVar(&f.dbURL, "db-url", "", "its database as the owner, postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	flags.StringVar(&f.publishable, "publishable-key", "", "its publishable key, or the legacy anon key")
	flags.StringVar(&f.secret, "secret-key", "", "its secret key, or the legacy service_role key; optional")
	flags.StringVar(&f.jwtSecret, "jwt-secret", "", "its JWT secret, so that signatures of tokens can be checked; optional")
	flags.BoolVar(&f.fromCLI, "from-cli", false, "use the stack that `supabase status` names, by the supabase in PATH"+implies)
	flags.BoolVar(&f.start, "start", false, "run `supabase start` first, and stop afterwards what that started"+implies)
	flags.BoolVar(&f.allowRemote, "allow-remote", false, remote)
}

// wanted reports whether a running stack is meant. A flag that contradicts --engine is
// a usage error.
func (f *attachFlags) wanted(c *cobra.Command, engine string) (bool, error) {
	given := ""
	for _, name := range append(placeFlags(), "from-cli", "start") {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed && given == "" {
			given = name
		}
	}
	attached := engine == string(stack.EngineAttach)
	switch {
	case f == nil && attached:
		return false, usagef(c, "only `supascore eval run` scores a stack that runs already", "%s, so it cannot use a stack that runs already", whyNoAttach(c))
	case given != "" && !attached && c.Flags().Changed("engine"):
		return false, usagef(c, "leave --engine out, or say --engine attach",
			"--%s is for a stack that runs already, and --engine %s boots one", given, engine)
	}
	return attached || given != "", nil
}

// whyNoAttach says what a verb does that a running stack cannot be used for.
func whyNoAttach(c *cobra.Command) string {
	path := strings.TrimPrefix(c.CommandPath(), "supascore ")
	for _, verb := range []struct{ name, why string }{
		{"eval verify", "boots a stack for every fixture"},
		{"demo", "boots stacks of two workspaces of its own"},
		{"stack", "starts a stack of its own"},
	} {
		if path == verb.name || strings.HasPrefix(path, verb.name+" ") {
			return path + " " + verb.why
		}
	}
	return path + " boots its own stack"
}

// config is the stack that the flags point at. What is given on the command line and
// makes no sense is a usage error; what a finder finds is known later only.
func (f *attachFlags) config(c *cobra.Command, a *app) (attach.Config, error) {
	cfg := attach.Config{AllowRemote: f.allowRemote, Docker: &attach.Docker{Env: a.env}}
	for _, name := range []string{
		"postgres-bin", "postgrest-bin", "auth-bin", "bcrypt-cost", "auto-expose-new-tables", "random-keys",
	} {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed && (!f.lends || name != "auto-expose-new-tables") {
			return cfg, usagef(c, "leave it out", "--%s says how a stack is booted, and this one runs already", name)
		}
	}
	given := false
	for _, name := range placeFlags() {
		given = given || c.Flags().Changed(name)
	}
	switch {
	case given && (f.fromCLI || f.start):
		return cfg, usagef(c, "give one or the other", "--from-cli and --start ask the supabase command for what the other flags say")
	case given:
		err := f.given(c, &cfg)
		return cfg, err
	case f.fromCLI || f.start:
		cfg.Finder = recordedFinder{&attach.CLI{Env: a.env, Start: f.start}, &f.log}
	default:
		cfg.Finder = detachedFinder{&f.log}
	}
	return cfg, nil
}

// given fills in the place that the command line describes.
func (f *attachFlags) given(c *cobra.Command, cfg *attach.Config) error {
	place, err := attach.Place{
		APIURL: f.apiURL, DBURL: f.dbURL,
		Keys: keys.Set{Publishable: f.publishable, Secret: f.secret, JWTSecret: f.jwtSecret},
	}.Complete()
	if err != nil {
		return usagef(c, "a running stack is given by --api-url, --db-url and --publishable-key together", "%w", err)
	}
	cfg.Finder = recordedFinder{givenFinder{place}, &f.log}
	if f.lends {
		return nil // whoever lends its database is on this machine, whatever is allowed
	}
	hosts, err := place.Remote(c.Context(), nil)
	if err != nil {
		return usagef(c, "", "%w", err)
	}
	if refused := (&attach.RemoteError{Hosts: hosts}); len(hosts) > 0 && !f.allowRemote {
		return usagef(c, refused.Hint(), "%w", refused)
	}
	return nil
}
