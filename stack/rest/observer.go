package rest

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Observer looks into the transaction of a request that is made in process. Whoever grades policies needs it: a write
// that is undone at the end of its transaction can be seen only before that end. Both functions run as the login role,
// without the settings of the request, and must leave the transaction open. An error of theirs ends the transaction and
// is the request's.
type Observer struct {
	// Before runs when the transaction has begun, before anything of the request. It may write, also when the request may
	// only read. Nil for nothing.
	Before func(ctx context.Context, conn *pgconn.PgConn) error
	// After runs when the main statement has succeeded, before deferred constraints are checked. Nil for nothing.
	After func(ctx context.Context, conn *pgconn.PgConn) error
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

func (t *transaction) watch(ctx context.Context, x *exchange, o Observer) (result, error) {
	begun, steps, err := t.begun(ctx, x, o)
	if err != nil {
		return result{}, err
	}
	wanted := len(steps)
	if o.After != nil {
		// It changes nothing that the result depends on, so it need not wait for that.
		steps = append(steps, step{sql: "SELECT pg_catalog.set_config('role', 'none', true)"})
	}
	got, err := x.do(ctx, steps)
	if err != nil {
		return result{}, err
	}
	got = append(begun, got[:wanted]...)
	res, err := t.result(got[len(got)-len(t.steps()):]) // a change to reading only may stand before them
	for _, refuse := range []func(result) error{t.after, t.check} {
		if err == nil && refuse != nil {
			err = refuse(res)
		}
	}
	if err != nil {
		return res, err
	}
	if o.After != nil {
		if err := o.After(ctx, x.conn); err != nil {
			return res, err
		}
	}
	_, err = x.do(ctx, t.end(t.rollback))
	return res, err
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
