package main

import (
	"cmp"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/postgres"
)

// stackFlags are the flags of every verb that boots a stack.
type stackFlags struct {
	engine     string
	programs   programFlags
	postgres   string
	cache      string
	bcryptCost int
	expose     string
	randomKeys bool
	verbose    bool
	// attach is set for the verbs that can use a stack which already runs.
	attach *attachFlags
}

func (f *stackFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.engine, "engine", "auto", "who plays REST and Auth: embedded, native (the real PostgREST and Auth), auto (native if both are installed), or attach; its default can be set by $"+engineVariable)
	f.programs.register(c)
	flags.StringVar(&f.postgres, "postgres-bin", "", "folder with postgres and initdb (default: found, else downloaded)")
	flags.StringVar(&f.cache, "cache-dir", "", "folder for cluster images (default: $SUPASCORE_CACHE_DIR or the user's cache)")
	flags.IntVar(&f.bcryptCost, "bcrypt-cost", 0, "cost of password hashes, 4 to 31 (default 4, the fastest)")
	flags.StringVar(&f.expose, "auto-expose-new-tables", "", "true or false, instead of what config.toml says")
	flags.BoolVar(&f.randomKeys, "random-keys", false, "fresh API keys instead of the well-known local ones")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log what the services do to stderr")
}

// engineVariable says who plays REST and Auth where --engine does not.
const engineVariable = "SUPASCORE_ENGINE"

// config turns the flags into a stack's configuration.
func (f *stackFlags) config(c *cobra.Command, a *app) (stack.Config, error) {
	a.out.verbose = f.verbose
	cfg := stack.Config{
		Env: environment(a.env), BcryptCost: f.bcryptCost, RandomKeys: f.randomKeys,
		Postgres: postgres.Config{BinDir: f.postgres, CacheDir: f.cache, Log: a.logger(f.verbose)}, Log: a.logger(f.verbose),
	}
	if !f.verbose {
		cfg.Postgres.Log = slog.New(&noteHandler{out: a.out})
	}
	if flag := c.Flags().Lookup("engine"); flag != nil && !flag.Changed {
		f.engine = cmp.Or(a.getenv(engineVariable), f.engine)
	}
	attached, err := f.attach.wanted(c, f.engine)
	if err != nil {
		return cfg, err
	}
	if attached {
		cfg.Engine, cfg.AttachLog = stack.EngineAttach, f.attach.log.all
		cfg.Attach, err = f.attach.config(c, a)
		return cfg, err
	}
	if err := f.setEngine(c, &cfg); err != nil {
		return cfg, err
	}
	if cfg.ExposeNewTables, err = exposed(c, f.expose); err != nil {
		return cfg, err
	}
	if f.bcryptCost != 0 && (f.bcryptCost < 4 || f.bcryptCost > 31) {
		return cfg, usagef(c, "", "--bcrypt-cost takes a number from 4 to 31, got %d", f.bcryptCost)
	}
	return cfg, nil
}

// exposed reads the flag --auto-expose-new-tables; nil when it was not given.
func exposed(c *cobra.Command, value string) (*bool, error) {
	switch strings.ToLower(value) {
	case "":
		return nil, nil
	case "true", "false":
		expose := strings.EqualFold(value, "true")
		return &expose, nil
	}
	return nil, usagef(c, "", "--auto-expose-new-tables takes true or false, got %q", value)
}

// setEngine says who plays REST and Auth. Flags that mean nothing to an engine are
// usage errors; that its executables are missing, the start says.
func (f *stackFlags) setEngine(c *cobra.Command, cfg *stack.Config) error {
	cfg.Engine, cfg.PostgREST, cfg.AuthServer = stack.Engine(f.engine), f.programs.postgrest, f.programs.auth
	switch cfg.Engine {
	case stack.EngineAuto:
	case stack.EngineEmbedded:
		return f.programs.unused(c, cfg.Engine)
	case stack.EngineNative:
		if f.bcryptCost != 0 {
			return usagef(c, "leave it out", "--bcrypt-cost is the embedded engine's; the real Auth always hashes at cost 10")
		}
	default:
		return usagef(c, "the engines are: auto, embedded, native, attach", "unknown engine %q", f.engine)
	}
	return nil
}

// logger writes what the services do to stderr with --verbose, and nothing
// otherwise: what went wrong is quoted where it matters.
func (a *app) logger(verbose bool) *slog.Logger {
	if !verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// environment is a list of NAME=value as a map; the last setting wins.
func environment(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, setting := range list {
		if name, value, ok := strings.Cut(setting, "="); ok {
			env[name] = value
		}
	}
	return env
}
