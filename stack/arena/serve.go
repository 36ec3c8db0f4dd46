package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/supascore/supascore/stack/gateway"
)

// serveOthers starts the engine's servers on the clone. Requests' transactions last.
func (c *Clone) serveOthers(ctx context.Context, withAuth bool) (_ *API, err error) {
	began := time.Now()
	defer func() { c.Timing.Serve += time.Since(began) }()
	engine, keys := c.arena.config.Engine, c.arena.keys
	restEnv, authEnv, err := c.environments(ctx)
	if err != nil {
		return nil, err
	}
	c.api = &API{URL: address + "/rest/v1", Key: keys.Publishable, secret: keys.JWTSecret, lasting: &Lasting{clone: c}}
	// Requests may become what they may in a project.
	if err := c.cluster.setMembers(ctx, c.cluster.apiRoles); err != nil {
		return nil, err
	}
	door := gateway.Config{Keys: keys, Log: c.cluster.config.Log}
	if withAuth {
		// First, because its migrations belong to what the Data API serves.
		server, err := engine.StartAuth(ctx, authEnv)
		if err != nil {
			return nil, fmt.Errorf("arena: start Auth: %w", err)
		}
		c.api.AuthURL, c.api.ServiceKey, c.api.authVersion = address+"/auth/v1", keys.ServiceRole, server.Version()
		door.Auth, c.api.others = server, append(c.api.others, server)
	}
	server, err := engine.StartREST(ctx, restEnv)
	if errors.Is(err, ErrUnserved) {
		return nil, &SQLError{Message: "the Data API does not get ready on it: " + err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("arena: start the Data API: %w", err)
	}
	c.api.restVersion = server.Version()
	door.REST, c.api.others = server, append(c.api.others, server)
	c.api.door = gateway.New(door)
	return c.api, nil
}

// enter makes ready for a request to servers of their own.
func (a *API) enter(ctx context.Context) error {
	if a.lasting == nil {
		return nil
	}
	// A test's session may have become another role.
	cluster := a.lasting.clone.cluster
	return cluster.setMembers(ctx, cluster.apiRoles)
}

// Lasting is how a Data API is watched whose requests' transactions last; nil for one
// whose requests are undone.
func (a *API) Lasting() *Lasting { return a.lasting }

// Engine is who plays the Data API and Auth: the name of Config.Engine, else "embedded".
func (c *Clone) Engine() string {
	if c.arena.config.Engine == nil {
		return "embedded"
	}
	return c.arena.config.Engine.Name()
}

// ServerVersions are the versions of an engine's servers; empty for those that do not
// run.
func (c *Clone) ServerVersions() (rest, auth string) {
	if c.api == nil {
		return "", ""
	}
	return c.api.restVersion, c.api.authVersion
}
