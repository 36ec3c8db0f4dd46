package rest

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/rest/query"
)

// Observer looks into the transaction of a request that is made in process. Whoever grades policies needs it: a write
// that is undone at the end of its transaction can be seen only before that end. What it sends runs as the login role and
// must leave the transaction open. An error of it ends the transaction and is the request's, but for a refusal of After
// where the transaction is undone anyway.
type Observer struct {
	// Before runs when the transaction has begun, before anything of the request. It may write, also when the request may
	// only read. Nil for nothing.
	Before func(ctx context.Context, conn *pgconn.PgConn) error
	// After are statements that run when the main statement has succeeded, and, where the transaction is undone, when its
	// deferred constraints have been checked. They travel with the request, so they cost no round trip.
	After []Statement
	// Seen gets the rows of those of After that succeeded, in text format, and the error of the one that did not. It is
	// not called for a request that fails before them, or is refused. Required with After.
	Seen func(answers [][][][]byte, err error)
}

// Statement is a statement with text parameters.
type Statement struct {
	SQL  string
	Args []string
}

type observerKey struct{}

// WithObserver makes a context for a request that is to be observed. The request must reach the server with it, so it
// has to be made in process. A transaction that PostgreSQL asks to repeat is observed each time.
func WithObserver(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

func observerOf(ctx context.Context) (Observer, bool) {
	o, ok := ctx.Value(observerKey{}).(Observer)
	return o, ok
}

// observed runs the transaction with an observer, in as many round trips as that takes.
func (t *transaction) observed(ctx context.Context, x *exchange, o Observer) (result, error) {
	res, err := t.watch(ctx, x, o)
	if err != nil {
		x.abort(ctx)
	}
	return res, err
}

// watch runs the transaction in one round trip, behind what Before takes, or in two when its result can be refused and
// it is not undone anyway.
func (t *transaction) watch(ctx context.Context, x *exchange, o Observer) (result, error) {
	begun, steps, err := t.begun(ctx, x, o)
	if err != nil {
		return result{}, err
	}
	own, end := len(steps), t.end(t.rollback)
	if t.rollback {
		// Triggers that wait for the end run as the caller, as they would with a COMMIT.
		steps, end = append(steps, end[0]), end[1:]
	}
	steps = append(steps, step{sql: "SELECT pg_catalog.set_config('role', 'none', true)"})
	looks := len(steps)
	for _, statement := range o.After {
		steps = append(steps, statement.step())
	}
	looked := len(steps)
	if t.rollback || t.check == nil {
		steps, end = append(steps, end...), nil
	}
	got, err := x.do(ctx, steps)
	if len(got) < own {
		return result{}, err
	}
	answers := append(begun, got[:own]...)
	// A change to reading only may stand before those that the result is made of.
	res, refused := t.result(answers[len(answers)-len(t.steps()):])
	for _, refuse := range []func(result) error{t.after, t.check} {
		if refused == nil && refuse != nil {
			refused = refuse(res)
		}
	}
	if refused != nil {
		return res, refused
	}
	o.tell(got, looks, looked, err)
	var refusal *pgconn.PgError
	if t.rollback && len(got) >= looks && errors.As(err, &refusal) {
		x.abort(ctx)
		return res, nil // it is undone anyway, and what it has done so far is known
	}
	if err == nil && end != nil {
		_, err = x.do(ctx, end)
	}
	return res, err
}

// tell hands the answers from one place to another over, as far as they came.
func (o Observer) tell(got []rows, from, to int, err error) {
	if len(o.After) == 0 || len(got) < from {
		return
	}
	var answers [][][][]byte
	for _, answer := range got[from:min(to, len(got))] {
		answers = append(answers, answer)
	}
	if len(got) >= to {
		err = nil // or that of a later statement
	}
	o.Seen(answers, err)
}

func (s Statement) step() step {
	made := step{sql: s.SQL}
	for _, arg := range s.Args {
		made.args = append(made.args, query.Argument{Value: []byte(arg)})
	}
	return made
}

// begun begins the transaction as far as an observer has to be asked before the rest. It returns the answers so far, and
// the steps that are left.
func (t *transaction) begun(ctx context.Context, x *exchange, o Observer) ([]rows, []step, error) {
	steps := t.steps()
	if o.Before == nil {
		return nil, steps, nil
	}
	rest := steps[1:]
	// Going from reading and writing to reading only is allowed at any time (SET TRANSACTION), the other way is not.
	begin := t.begin
	if writable := strings.TrimSuffix(begin, " READ ONLY"); writable != begin {
		begin = writable + " READ WRITE"
		rest = append([]step{{sql: "SET TRANSACTION READ ONLY"}}, rest...)
	}
	got, err := x.do(ctx, []step{{sql: begin}})
	if err != nil {
		return nil, nil, err
	}
	return got, rest, o.Before(ctx, x.conn)
}
