package arena

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/native"
)

// Engine plays the Data API and Auth of clones in place of this module's own engines.
// Its servers are started with the environment variables that the real executables
// are configured by.
type Engine interface {
	// Name is the engine's name, such as "native".
	Name() string
	// StartREST starts a Data API and returns when it can answer. That the database
	// keeps it from that is ErrUnserved.
	StartREST(ctx context.Context, env map[string]string) (Server, error)
	// StartAuth starts an Auth.
	StartAuth(ctx context.Context, env map[string]string) (Server, error)
}

// Server is a running Data API or Auth, a handler of requests whose public prefix is
// taken off.
type Server interface {
	http.Handler
	// Version is the version that it says it is.
	Version() string
	// Stop ends it. It is idempotent.
	Stop(ctx context.Context) error
}

// ErrUnserved is wrapped by the error of a Data API that runs and cannot serve the
// database.
var ErrUnserved = errors.New("the Data API cannot serve the database")

// Native is the real PostgREST and the real Auth, started for each clone as children of
// this process.
type Native struct {
	// Programs are their executables.
	Programs native.Programs
	// StartTimeout bounds how long each may take until it answers. Default 20 seconds:
	// a candidate that keeps PostgREST from it is not waited for longer.
	StartTimeout time.Duration
	// Log gets what they log; nil discards it.
	Log *slog.Logger
}

// Name is "native".
func (n Native) Name() string { return "native" }

// StartREST starts PostgREST.
func (n Native) StartREST(ctx context.Context, env map[string]string) (Server, error) {
	server, err := native.StartREST(ctx, n.config(n.Programs.PostgREST, env))
	if errors.Is(err, native.ErrNotReady) {
		return nil, fmt.Errorf("%w: %w", ErrUnserved, err)
	}
	if err != nil {
		return nil, err
	}
	return server, nil
}

// StartAuth lets Auth migrate its schema and starts it.
func (n Native) StartAuth(ctx context.Context, env map[string]string) (Server, error) {
	server, err := native.StartAuth(ctx, n.config(n.Programs.Auth, env))
	if err != nil {
		return nil, err
	}
	return server, nil
}

func (n Native) config(program native.Program, env map[string]string) native.Config {
	limit := n.StartTimeout
	if limit == 0 {
		limit = 20 * time.Second
	}
	return native.Config{Path: program.Path, Env: env, Log: n.Log, StartTimeout: limit}
}

// environments render what a clone's servers are configured by.
func (c *Clone) environments(ctx context.Context) (rest, auth map[string]string, err error) {
	project, err := fs.Sub(files, "project")
	if err != nil {
		return nil, nil, fmt.Errorf("arena: %w", err)
	}
	effective, err := config.Load(ctx, config.Options{FS: project})
	if err != nil {
		return nil, nil, fmt.Errorf("arena: %w", err)
	}
	login, err := c.limitedURL(login)
	if err != nil {
		return nil, nil, err
	}
	in := config.RenderInput{
		AuthDBURL: c.cluster.server.URL("supabase_auth_admin", c.database), RESTDBURL: login,
		APIURL: address, JWTSecret: c.arena.keys.JWTSecret,
	}
	rest, auth = effective.RESTEnv(in), effective.AuthEnv(in)
	for name, value := range map[string]string{
		// Nobody tells of changes, and what the candidate sets in the database is not the
		// server's configuration.
		"PGRST_DB_CHANNEL_ENABLED": "false", "PGRST_DB_CONFIG": "false",
		// Code of the candidate could deallocate prepared statements.
		"PGRST_DB_PREPARED_STATEMENTS": "false",
		"PGRST_DB_POOL":                "2",
	} {
		rest[name] = value
	}
	auth["GOTRUE_DB_MAX_POOL_SIZE"] = "4"
	return rest, auth, nil
}

// limitedURL is the address of the clone for a server that logs in as a role, whose
// sessions begin within the limits.
func (c *Clone) limitedURL(role string) (string, error) {
	u, err := url.Parse(c.cluster.server.URL(role, c.database))
	if err != nil {
		return "", fmt.Errorf("arena: %w", err)
	}
	var options []string
	for name, value := range sessionSettings(c.cluster.config.Limits) {
		// Backslashes keep blanks within a value (documentation, "options").
		options = append(options, "-c "+name+"="+strings.NewReplacer(`\`, `\\`, " ", `\ `).Replace(value))
	}
	slices.Sort(options)
	query := u.Query()
	query.Set("options", strings.Join(options, " "))
	// What reads it is libpq, to which + is no blank.
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String(), nil
}
