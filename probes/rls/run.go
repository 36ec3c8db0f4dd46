package rls

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// Watch looks into the transaction of a request.
type Watch struct {
	// Before runs at its beginning; nil for nothing.
	Before func(ctx context.Context, conn *pgconn.PgConn) error
	// After are statements for its end, before it is undone and after its deferred
	// constraints were checked, as the login role. Seen gets the rows of those that
	// succeeded and the error of the one that did not.
	After []Statement
	Seen  func(answers [][][][]byte, err error)
}

// Statement is a statement with text parameters.
type Statement struct {
	SQL  string
	Args []string
}

// Target is a candidate's database with its Data API. Schema supascore there has the
// functions look, owner_run and owner_rows for the sessions; RunFunction is for requests.
type Target struct {
	// Session returns a session whose login role can become the role and no other. It may
	// be the same one each time, and the one that requests are answered over.
	Session func(ctx context.Context, role string) (*pgx.Conn, error)
	// Owner returns a session as the database's owner. It may be the tests' session, so
	// it is not used once Session has been asked.
	Owner func(ctx context.Context) (*pgx.Conn, error)
	// Savepoint names a savepoint of the transaction that sessions are in: tests go back to it before and after, instead
	// of having transactions of their own. Empty when sessions are in none.
	Savepoint string
	// Rows are the rows of every table as they are before a test, as supascore.look
	// shows them: by "schema.table".
	Rows map[string][]string
	// Shape tells databases apart whose tables, columns and functions differ; those with
	// the same may differ in rows, policies and privileges. Empty when it is not known.
	Shape string
	// URL is the Data API's root without a final slash, Key the key that clients send.
	URL, Key string
	// Transport carries requests. Their writes have to be undone at the end, or by
	// Outside.
	Transport http.RoundTripper
	// Observe makes a context for a request whose transaction is looked into. It is not
	// asked with Outside.
	Observe func(ctx context.Context, watch Watch) context.Context
	// Outside is how requests are watched whose transactions last; nil for Observe.
	Outside *Outside
	// RunFunction is where SQL without a request of its own goes.
	RunFunction RunFunction
	// Token returns the access token of a user with the claims.
	Token func(ctx context.Context, user tasks.User, claims map[string]any) (Token, error)
	// Limit bounds one test on one path. Default 8 s.
	Limit time.Duration
}

// RunFunction names the exposed function that runs SQL as the caller.
type RunFunction struct {
	// Schema and Name are its own. Default: run in supascore_api.
	Schema, Name string
}

func (f RunFunction) withDefaults() RunFunction {
	if f == (RunFunction{}) {
		return RunFunction{Schema: "supascore_api", Name: "run"}
	}
	return f
}

// Token is an access token.
type Token struct {
	// Text is the token itself.
	Text string
	// Signed is, where users really sign in, why this one's token was signed with their
	// claims instead; empty otherwise.
	Signed string
}

// Config says what to run.
type Config struct {
	Plan   *Plan
	Target Target
	// Paths are the paths to take; default both.
	Paths []probes.RLSPath
	// Order is the order of the tests, as positions in the task; default the file's.
	Order []int
}

// Timing is how long the paths took.
type Timing struct{ SQL, API time.Duration }

// Run runs the tests, on one path after the other, and returns what each did, in the
// order in which they ran. The error is ctx's, says that the target is gone, or wraps that
// of Outside.Undo; what else a candidate breaks is in the observations.
func Run(ctx context.Context, cfg Config) (*probes.RLSRun, Timing, error) {
	order, err := cfg.Plan.order(cfg.Order)
	if err != nil {
		return nil, Timing{}, err
	}
	if cfg.Paths == nil {
		cfg.Paths = []probes.RLSPath{probes.RLSPathSQL, probes.RLSPathAPI}
	}
	if cfg.Target.Limit == 0 {
		cfg.Target.Limit = 8 * time.Second
	}
	r := &runner{Config: cfg, tokens: map[string]Token{}}
	if r.shape, err = cfg.Plan.described(ctx, cfg.Target); err != nil {
		return nil, Timing{}, err
	}
	run := &probes.RLSRun{}
	var timing Timing
	for _, path := range cfg.Paths {
		for _, at := range order {
			t := &cfg.Plan.tests[at]
			began := time.Now()
			o := r.test(ctx, t, path)
			err := r.undo(ctx, t.test.ID)
			if ctx.Err() != nil {
				return nil, timing, context.Cause(ctx)
			}
			if err != nil {
				return nil, timing, err
			}
			took := time.Since(began)
			o.Started, o.MS = began, float64(took.Microseconds())/1000
			run.Observations = append(run.Observations, *o)
			if path == probes.RLSPathSQL {
				timing.SQL += took
			} else {
				timing.API += took
			}
		}
	}
	return run, timing, nil
}

// runner is one run.
type runner struct {
	Config
	tokens map[string]Token
	shape  *shape
	// dirty says that a test left something to undo.
	dirty bool
}

func (r *runner) test(ctx context.Context, t *planned, path probes.RLSPath) *probes.RLSObservation {
	o := t.observation(path)
	limited, cancel := context.WithTimeout(ctx, r.Target.Limit)
	defer cancel()
	if path == probes.RLSPathAPI {
		if o.Skipped = t.unprepared(); o.Skipped == "" {
			r.api(limited, t, o)
		}
	} else {
		r.sql(limited, t, o)
	}
	if limited.Err() != nil && ctx.Err() == nil && o.Failed == nil {
		o.Failed = &probes.SQLError{SQLState: "57014", Message: fmt.Sprintf("took longer than %s", r.Target.Limit)}
		o.Result, o.Trouble = nil, ""
	}
	return o
}

// claims are the claims of a test's user.
func (r *runner) claims(t *planned) map[string]any {
	return t.test.As.TokenClaims(r.Plan.readings.Claims)
}

// changes compares the rows that a transaction left with those before it.
func changes(before, now map[string][]string) []probes.RLSChange {
	var list []probes.RLSChange
	for table, rows := range now {
		if slices.Equal(before[table], rows) {
			continue
		}
		c := probes.RLSChange{Table: table, Removed: without(before[table], rows), Added: without(rows, before[table])}
		if len(c.Removed)+len(c.Added) > 0 {
			list = append(list, c)
		}
	}
	for table, rows := range before {
		if _, found := now[table]; !found && len(rows) > 0 {
			list = append(list, probes.RLSChange{Table: table, Removed: rows})
		}
	}
	slices.SortFunc(list, func(a, b probes.RLSChange) int { return strings.Compare(a.Table, b.Table) })
	return list
}

// without is the bag of rows less the bag of others.
func without(rows, others []string) []string {
	count := map[string]int{}
	for _, other := range others {
		count[other]++
	}
	var left []string
	for _, row := range rows {
		if count[row] > 0 {
			count[row]--
			continue
		}
		left = append(left, row)
	}
	return left
}

// refused is PostgreSQL's refusal; nil when the error is none, such as a connection's.
func refused(err error) *probes.SQLError {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return nil
	}
	return &probes.SQLError{SQLState: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint}
}
