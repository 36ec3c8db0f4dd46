package ground

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/keys"
)

// API is the stack's Data API while it answers for a candidate's database.
type API struct {
	// URL is its root, AuthURL that of Auth, each without a final slash.
	URL, AuthURL string
	// Key is the key that clients send, ServiceKey that of the project's servers; empty
	// when it is not known.
	Key, ServiceKey string
	// Schema and Run are the function by which SQL is run as the caller.
	Schema, Run string

	candidate *Candidate
	transport *http.Transport
	secret    string
	// hanging says that a request has ended without an answer, so that its transaction may
	// still be running.
	hanging atomic.Bool
	// sequences are the sequences' states before the tests, rows the tables' rows.
	sequences map[string]sequence
	rows      arena.Rows
}

// sequence is the state of a sequence.
type sequence struct {
	last   int64
	called bool
}

// Serve makes the stack's Data API answer for the database as it is now. signIn says that
// users will sign in. Nobody may change the schema afterwards. Errors: *APIError,
// *TokenError.
func (c *Candidate) Serve(ctx context.Context, signIn bool) (*API, error) {
	if c.api != nil {
		return c.api, nil
	}
	began := time.Now()
	defer func() { c.Timing.Serve += time.Since(began) }()
	place := c.ground.config.Place
	a := &API{
		URL: place.APIURL + "/rest/v1", AuthURL: place.APIURL + "/auth/v1", Key: place.Keys.Publishable, ServiceKey: place.Keys.Secret,
		Schema: arena.APISchema, candidate: c, secret: place.Keys.JWTSecret,
		transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, MaxIdleConnsPerHost: 4, DisableCompression: true},
	}
	c.api = a
	if signIn && a.ServiceKey == "" {
		return nil, &TokenError{"users cannot be made without the secret key", "give --secret-key, or leave --real-sign-in out"}
	}
	token, err := a.ownToken()
	if err != nil {
		return nil, err
	}
	if err := c.expose(ctx, a); err != nil {
		return nil, err
	}
	// Two turns: the first function may be seen by a look at the catalogs that began
	// before the candidate's last statement. The look that sees the second one began
	// after that which saw the first had ended.
	for turn := 0; turn < 2; turn++ {
		err := c.publish(ctx, a, token)
		var unseen *APIError
		if errors.As(err, &unseen) && unseen.code == codeNotExposed {
			// Its configuration is not to be changed from the database.
			c.ground.inPublic, a.Schema, turn = true, "public", -1
			c.ground.config.Log.Warn("the Data API does not expose a schema of ours, so the function that tests call is in schema public, where tests can see it")
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Begin remembers the rows and the sequences as they are now, before the tests; Undo goes
// back to them.
func (a *API) Begin(ctx context.Context) error {
	start, err := a.candidate.StartRows(ctx)
	if err != nil {
		return err
	}
	if a.rows, err = rowsInOrder(ctx, a.candidate.ground.keeper, slices.Collect(maps.Keys(start))); err != nil {
		return err
	}
	a.sequences, err = a.candidate.readSequences(ctx)
	return err
}

// Owner is a session as the database's owner, with nothing left of what it was used for
// before.
func (a *API) Owner(ctx context.Context) (*pgx.Conn, error) {
	owner, err := a.candidate.Owner(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := owner.Exec(ctx, "discard all", pgx.QueryExecModeSimpleProtocol); err == nil {
		return owner, nil
	}
	a.candidate.hangUp(ctx)
	return a.candidate.Owner(ctx)
}

// ownToken is the token of somebody whom no policy knows.
func (a *API) ownToken() (string, error) {
	if a.secret == "" {
		return "", &TokenError{"the JWT secret is not known", "give --jwt-secret, as `supabase status` shows it, or take --path sql alone"}
	}
	return a.Token(map[string]any{"role": "service_role", "iss": "supascore"})
}

// Token signs claims with the stack's JWT secret, valid for an hour.
func (a *API) Token(claims map[string]any) (string, error) { return keys.Token(a.secret, claims) }

// RoundTrip sends a request to the stack.
func (a *API) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.transport.RoundTrip(request)
	if err != nil {
		a.hanging.Store(true)
	}
	return response, err
}

func (a *API) close() { a.transport.CloseIdleConnections() }

// Look returns the committed rows of every table. That PostgreSQL cannot show them is a
// *pgconn.PgError.
func (a *API) Look(ctx context.Context) (map[string][]string, error) {
	return arena.LookRows(ctx, a.candidate.ground.keeper)
}

// Undo ends what is left of requests and makes rows and sequences what they were before
// the tests.
func (a *API) Undo(ctx context.Context) error {
	c := a.candidate
	keeper, err := c.ground.alive(ctx)
	if err != nil {
		return err
	}
	if err := c.endRequests(ctx, keeper); err != nil {
		return err
	}
	now, err := arena.LookRows(ctx, keeper)
	if err != nil {
		return err
	}
	if err := restoreRows(ctx, keeper, differing(c.start, now), a.rows); err != nil {
		return err
	}
	if err := c.restoreSequences(ctx); err != nil {
		return err
	}
	if now, err = arena.LookRows(ctx, keeper); err != nil {
		return err
	}
	if left := differing(c.start, now); len(left) > 0 {
		return fmt.Errorf("the rows of %s are not what they were", strings.Join(left, ", "))
	}
	return nil
}

// endRequests ends the transactions of requests that nobody waits for any more.
func (c *Candidate) endRequests(ctx context.Context, keeper *pgx.Conn) error {
	if c.api == nil || !c.api.hanging.Swap(false) {
		return nil
	}
	return endAll(ctx, keeper, "usename = 'authenticator' and datname = current_database() and state <> 'idle'")
}

// readSequences reads the states of the sequences that the setup and the candidate made.
func (c *Candidate) readSequences(ctx context.Context) (map[string]sequence, error) {
	rows, err := c.ground.keeper.Query(ctx, `select format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null
		from pg_sequences where schemaname <> all ($1::text[]) and schemaname not in ('auth', 'storage') and pg_has_role(sequenceowner, 'usage')`, c.unseen)
	if err != nil {
		return nil, fmt.Errorf("look at the sequences: %w", err)
	}
	states := map[string]sequence{}
	var name string
	var s sequence
	if _, err = pgx.ForEachRow(rows, []any{&name, &s.last, &s.called}, func() error { states[name] = s; return nil }); err != nil {
		return nil, fmt.Errorf("look at the sequences: %w", err)
	}
	return states, nil
}

func (c *Candidate) restoreSequences(ctx context.Context) error {
	now, err := c.readSequences(ctx)
	if err != nil {
		return err
	}
	for name, state := range c.api.sequences {
		if now[name] == state {
			continue
		}
		if _, err := c.ground.keeper.Exec(ctx, "select setval($1::regclass, $2, $3)", name, state.last, state.called); err != nil {
			return fmt.Errorf("put sequence %s back: %w", name, err)
		}
	}
	return nil
}
