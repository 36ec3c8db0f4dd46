package rest

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/rest/query"
)

// maxRetries bounds how often a transaction is tried again after a serialization failure. PostgREST tries without end.
const maxRetries = 100

// transaction is the work of one request: in the order of their execution
//
//	BEGIN ISOLATION LEVEL … READ ONLY
//	SELECT set_config(…), …              -- who asks, and what SQL can know of the request
//	SELECT pre_request()                 -- where one is configured
//	WITH pgrst_source AS (…) SELECT …    -- the main statement
//	EXPLAIN (FORMAT JSON) …              -- where the client wants an estimate
//	COMMIT
//
// All of them are sent before the first answer is read, unless the main statement's result decides about the end.
type transaction struct {
	begin string
	bare  bool // prepare nothing
	// savepoint is gone back to at the beginning and at the end of a transaction that is a part of another one
	savepoint string
	role      string
	settings  step
	before    *step // the pre-request function
	main      query.Statement
	bodyRaw   bool // main has the columns of package query, and its body is taken as bytes
	estimate  *query.Statement
	rollback  bool               // undo everything, though nothing is wrong
	check     func(result) error // refuses a result and with it the transaction; nil when it cannot
	after     func(result) error // refuses a result when the transaction is over; nil when it cannot
}

// result is the row that a main statement returns.
type result struct {
	total    *int64 // rows without limit, nil when not counted
	page     int64  // rows of this answer
	body     []byte
	headers  []byte // response.headers, nil when unset
	status   []byte // response.status, nil when unset
	inserted *int64
	location []string // "column=eq.value"
	estimate int64    // rows expected by the planner, when asked for
	lines    rows     // all rows of an EXPLAIN
}

// run runs a transaction on a connection, again when PostgreSQL asks for it.
func (t *transaction) run(ctx context.Context, conn *pgconn.PgConn) (result, error) {
	for try := 0; ; try++ {
		res, err := t.once(ctx, conn)
		var pgErr *pgconn.PgError
		// 40001 is serialization_failure. Deadlocks (40P01) are not tried again, as in PostgREST.
		if !errors.As(err, &pgErr) || pgErr.Code != "40001" || try == maxRetries || ctx.Err() != nil {
			return res, err
		}
	}
}

// once runs the transaction: in one round trip, or, when its result can be refused, in two.
func (t *transaction) once(ctx context.Context, conn *pgconn.PgConn) (result, error) {
	x := newExchange(conn)
	x.bare, x.savepoint = t.bare, t.savepoint
	if o, ok := observerOf(ctx); ok {
		return t.observed(ctx, x, o)
	}
	steps := t.steps()
	// The end travels with the rest when nothing can stop it. PostgreSQL skips it when a statement before it fails, so
	// a COMMIT is never reached after an error.
	if t.check == nil {
		steps = append(steps, t.end(t.rollback)...)
	}
	got, err := x.do(ctx, steps)
	if err != nil {
		x.abort(ctx)
		return result{}, err
	}
	res, err := t.result(got)
	// Refusals of a read-only transaction have nothing to undo.
	if err == nil && t.after != nil {
		err = t.after(res)
	}
	if err != nil || t.check == nil {
		return res, err
	}
	if err := t.check(res); err != nil {
		x.abort(ctx)
		return res, err
	}
	if _, err := x.do(ctx, t.end(t.rollback)); err != nil {
		x.abort(ctx)
		return res, err
	}
	return res, nil
}

// steps are the statements before the end of the transaction.
func (t *transaction) steps() []step {
	steps := []step{{sql: t.begin}, t.settings}
	if t.before != nil {
		steps = append(steps, *t.before)
	}
	steps = append(steps, step{sql: t.main.SQL, args: t.main.Args, role: t.role, formats: t.mainFormats()})
	if t.estimate != nil {
		steps = append(steps, step{sql: t.estimate.SQL, args: t.estimate.Args, role: t.role})
	}
	return steps
}

// mainFormats asks for the body in binary format: the same bytes for text and JSON, and the plain bytes of a bytea that a
// media type handler returns.
func (t *transaction) mainFormats() []int16 {
	if !t.bodyRaw {
		return nil
	}
	formats := make([]int16, query.ColumnCount)
	formats[query.ColumnBody] = 1
	return formats
}

// end are the statements that end the transaction. A rollback on request still checks deferred constraints.
func (t *transaction) end(rollback bool) []step {
	if rollback {
		return []step{{sql: "SET CONSTRAINTS ALL IMMEDIATE"}, {sql: undo(t.savepoint)}}
	}
	return []step{{sql: "COMMIT"}}
}

// abort undoes a transaction that is still open. When that fails the pool gives the connection up.
func (x *exchange) abort(ctx context.Context) {
	if x.conn.IsClosed() || x.conn.TxStatus() == 'I' {
		return // a savepoint is gone, too
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, _ = x.do(ctx, []step{{sql: undo(x.savepoint)}})
}

// result reads the rows of the steps.
func (t *transaction) result(got []rows) (result, error) {
	at := 2 // after BEGIN and the settings
	if t.before != nil {
		at++
	}
	main := got[at]
	res, err := t.decode(main)
	if err != nil || t.estimate == nil {
		return res, err
	}
	res.estimate, err = plannedRows(got[at+1])
	return res, err
}

// decode reads the row of a main statement. An EXPLAIN has another shape, and is kept as it is.
func (t *transaction) decode(main rows) (result, error) {
	res := result{lines: main}
	if t.bodyRaw && len(main) == 0 {
		// A handler that makes one row of one value has none behind an offset, and that is then all that is known.
		res.total = new(int64)
		return res, nil
	}
	if len(main) != 1 || len(main[0]) != query.ColumnCount {
		return res, nil
	}
	row := main[0]
	var err error
	if res.total, err = number(row[query.ColumnTotal]); err != nil {
		return res, err
	}
	page, err := number(row[query.ColumnPage])
	if err != nil {
		return res, err
	}
	if page != nil {
		res.page = *page
	}
	if res.inserted, err = number(row[query.ColumnInserted]); err != nil {
		return res, err
	}
	if l := row[query.ColumnLocation]; l != nil {
		if err := json.Unmarshal(l, &res.location); err != nil {
			return res, err
		}
	}
	res.body, res.headers, res.status = row[query.ColumnBody], row[query.ColumnHeaders], row[query.ColumnStatus]
	return res, nil
}

// number reads a bigint in text format; NULL is nil.
func number(text []byte) (*int64, error) {
	if text == nil {
		return nil, nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// plannedRows reads the number of rows out of EXPLAIN (FORMAT JSON).
func plannedRows(lines rows) (int64, error) {
	var plans []struct {
		Plan struct {
			Rows int64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal([]byte(lines.text()), &plans); err != nil {
		return 0, err
	}
	if len(plans) == 0 {
		return 0, errors.New("the query plan is empty")
	}
	return plans[0].Plan.Rows, nil
}

// text joins the first column of all rows, one line each.
func (r rows) text() string {
	var b strings.Builder
	for _, row := range r {
		if len(row) > 0 {
			b.Write(row[0])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
