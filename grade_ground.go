package supascore

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	probe "github.com/supascore/supascore/probes/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/rest"
)

// grounds lend databases to candidates.
type grounds interface {
	// enter makes a database as the setup says, for one candidate. It waits while there is
	// no room. An error of the setup's own SQL is a *arena.SQLError.
	enter(ctx context.Context, setup arena.Setup) (ground, error)
}

// sharers are grounds that lend a database to one candidate after the other, too.
type sharers interface {
	// share lends a database for a transaction that is undone, see [arena.Arena.Share].
	share(ctx context.Context, setup arena.Setup) (ground, error)
}

// shared is a ground that sharers lend.
type shared interface {
	// Savepoint names the savepoint that tests go back to; empty when the database is the
	// candidate's own.
	Savepoint() string
	// Unshared says that what was seen is worth nothing, because the candidate has ended the
	// session.
	Unshared() bool
}

// savepointOf names the savepoint that tests go back to; empty for none.
func savepointOf(g ground) string {
	if one, ok := g.(shared); ok {
		return one.Savepoint()
	}
	return ""
}

// ground is the database of one candidate, as *arena.Clone describes it. It is used by
// one goroutine at a time.
type ground interface {
	Apply(ctx context.Context, name, sql string) error
	Changes(ctx context.Context) ([]arena.Change, error)
	Security(ctx context.Context, roles []string) (*arena.Security, error)
	Session(ctx context.Context, role string) (*pgx.Conn, error)
	Owner(ctx context.Context) (*pgx.Conn, error)
	StartRows(ctx context.Context) (arena.Rows, error)
	ForgetRows()
	Shape() string
	Limits() arena.Limits
	Version() string
	Close(ctx context.Context) error

	// serve makes the Data API answer for the database as it is now, and Auth when users
	// are to sign in.
	serve(ctx context.Context, signIn bool) (*dataAPI, error)
	// took is how long the parts of its life took so far.
	took() arena.Timing
	// played is who plays the Data API and Auth of it.
	played() players
}

// players are who plays the Data API and Auth.
type players struct {
	// engine is the engine's name.
	engine string
	// postgrest and auth are the versions that servers of their own say they are; empty
	// for those that do not run, or not yet.
	postgrest, auth string
}

// dataAPI is the Data API of a candidate's database, and how requests are watched: from
// within their transactions, or from outside.
type dataAPI struct {
	url, key string
	// authURL and serviceKey are empty when nobody signs in.
	authURL, serviceKey string
	transport           http.RoundTripper
	// sign signs a token with the claims.
	sign func(claims map[string]any) (string, error)

	observe func(ctx context.Context, watch probe.Watch) context.Context
	outside *probe.Outside
	// begin is called when the users have signed in, before the first test; nil for
	// nothing to do then.
	begin func(ctx context.Context) error
	// run is where SQL without a request of its own goes; the zero value is that of a clone.
	run probe.RunFunction
}

// clones are the clones of an arena.
type clones struct{ *arena.Arena }

func (c clones) enter(ctx context.Context, setup arena.Setup) (ground, error) {
	clone, err := c.Clone(ctx, setup)
	if err != nil {
		return nil, err
	}
	return cloneGround{clone}, nil
}

func (c clones) share(ctx context.Context, setup arena.Setup) (ground, error) {
	clone, err := c.Share(ctx, setup)
	if err != nil {
		return nil, err
	}
	return cloneGround{clone}, nil
}

// cloneGround is a clone, whose requests are answered within this process or by an
// engine's servers.
type cloneGround struct{ *arena.Clone }

func (c cloneGround) took() arena.Timing { return c.Timing }

func (c cloneGround) played() players {
	p := players{engine: c.Engine()}
	p.postgrest, p.auth = c.ServerVersions()
	return p
}

func (c cloneGround) serve(ctx context.Context, signIn bool) (*dataAPI, error) {
	api, err := c.Serve(ctx, signIn)
	if err != nil {
		return nil, err
	}
	data := &dataAPI{url: api.URL, key: api.Key, authURL: api.AuthURL, serviceKey: api.ServiceKey, transport: api, sign: api.Token}
	if lasting := api.Lasting(); lasting != nil {
		data.begin = lasting.Begin
		data.outside = &probe.Outside{
			Owner: lasting.Owner, Undo: lasting.Undo,
			Look: func(ctx context.Context) (map[string][]string, error) { return lasting.Look(ctx) },
		}
		return data, nil
	}
	data.observe = func(ctx context.Context, watch probe.Watch) context.Context {
		o := rest.Observer{Before: watch.Before, Seen: watch.Seen}
		for _, statement := range watch.After {
			o.After = append(o.After, rest.Statement(statement))
		}
		return rest.WithObserver(ctx, o)
	}
	return data, nil
}
