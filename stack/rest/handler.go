package rest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/rest/apierror"
	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
	"github.com/supascore/supascore/stack/rest/token"
)

// call is one request on its way through the server.
type call struct {
	server *Server
	state  *state
	http   *http.Request
	who    token.Identity
	req    *request.Request
	stages *stages
}

// ServeHTTP answers one request. The order is PostgREST's: a bad token is reported before anything else about the
// request, and what the schema does not know before anything that the database could say.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if tooLarge(r) {
		refuseTooLarge(w)
		return
	}
	s.state.Load().handler.ServeHTTP(w, r)
}

// serve answers a request under one state of the server.
func (s *Server) serve(st *state, w http.ResponseWriter, r *http.Request) {
	if name := st.config.TraceHeader; name != "" && r.Header.Get(name) != "" {
		w.Header().Set(name, r.Header.Get(name))
	}
	res, err := s.answer(st, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	res.write(w, r.Method == http.MethodHead)
}

// answer makes the response to a request.
func (s *Server) answer(st *state, r *http.Request) (*response, error) {
	stages := newStages(&st.config)
	who, denied := st.verifier.Identify(r.Header)
	stages.done(stageToken)
	if denied != nil {
		return nil, denied
	}
	if st.snapshot == nil {
		return nil, apierror.New(http.StatusServiceUnavailable, "PGRST002",
			"Could not query the database for the schema cache. Retrying.")
	}
	body, err := readBody(r)
	if err != nil {
		return nil, apierror.New(http.StatusBadRequest, "PGRST102", "Cannot read the body of the request")
	}
	stages.skip()
	req, err := request.Parse(request.Input{
		Method: r.Method, Path: r.URL.EscapedPath(), RawQuery: r.URL.RawQuery,
		Header: r.Header, Body: body, Settings: st.parsing,
	})
	stages.done(stageParse)
	if err != nil {
		return nil, err
	}
	c := &call{server: s, state: st, http: r, who: who, req: req, stages: stages}
	res, err := c.answer()
	if err != nil {
		return nil, err
	}
	stages.header(res.header)
	return res, nil
}

// readBody reads the body into one piece of memory, made for the length that the client announced unless that is a lot to
// believe.
func readBody(r *http.Request) ([]byte, error) {
	const believed = 1 << 20
	if r.Body == http.NoBody {
		return nil, nil
	}
	var body bytes.Buffer
	// The reader is asked once more at the end, with room for what does not come.
	body.Grow(int(min(max(r.ContentLength, 0), believed)) + bytes.MinRead)
	_, err := body.ReadFrom(r.Body)
	return body.Bytes(), err
}

// answer makes the response to a request that was understood.
func (c *call) answer() (*response, error) {
	switch c.req.Action {
	case request.ActionOptions:
		return c.options()
	case request.ActionOpenAPI:
		return c.document()
	default:
		return c.run()
	}
}

// run plans the request, runs its transaction and shapes the response.
func (c *call) run() (*response, error) {
	plan, err := query.Build(c.req, c.state.snapshot, c.state.config.queryOptions())
	c.stages.done(stagePlan)
	if err != nil {
		return nil, err
	}
	t := c.transaction(plan)
	res, err := c.transact(t)
	c.stages.done(stageTransaction)
	if err != nil {
		return nil, err
	}
	r, err := c.response(plan, res)
	c.stages.done(stageResponse)
	return r, err
}

// transact runs a transaction on a connection of the pool.
func (c *call) transact(t *transaction) (result, error) {
	ctx, done := c.server.whileRunning(c.http.Context())
	defer done()
	wait, cancel := context.WithTimeout(ctx, c.state.config.PoolTimeout)
	conn, giveBack, err := c.server.conns.lend(wait)
	cancel()
	if err != nil {
		return result{}, acquireError(ctx, err)
	}
	defer giveBack()
	if err := t.nest(); err != nil {
		return result{}, err
	}
	res, err := t.run(ctx, conn.PgConn())
	if ctx.Err() != nil {
		giveUp(ctx, conn)
	}
	if err != nil {
		return res, databaseError(err, c.who.Authenticated)
	}
	return res, nil
}

// giveUp closes a connection whose query was cancelled: the request to cancel may still be on its way, and must not meet
// the query of somebody else.
func giveUp(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // closed one way or the other
}

// transaction describes the work of a planned request.
func (c *call) transaction(plan *query.Plan) *transaction {
	var function []schema.Setting
	isolation := c.state.roles[c.who.Role].Isolation
	if f := plan.Function; f != nil {
		function = f.Settings
		if f.Isolation != "" {
			isolation = f.Isolation
		}
	}
	t := &transaction{
		begin: begin(isolation, plan.ReadOnly), role: c.who.Role, bare: c.state.config.Unprepared,
		savepoint: c.state.config.Savepoint,
		settings:  settingsStep(c.state, c.http, c.req, c.who, function, plan.ReadOnly),
		before:    c.preRequest(), main: plan.Main, bodyRaw: !plan.Explain, estimate: plan.Estimate,
		rollback: c.rollsBack(),
	}
	check := func(r result) error { return c.refuse(plan, r) }
	if plan.ReadOnly {
		// Nothing can be undone, so the answer is refused after the fact and no round trip is spent on it.
		t.after = check
	} else if c.canRefuse(plan) {
		t.check = check
	}
	return t
}

// preRequest calls the function that is configured to run before each request.
func (c *call) preRequest() *step {
	name := c.state.config.PreRequest
	if name == "" {
		return nil
	}
	return &step{sql: "SELECT " + functionName(name).SQL() + "()", role: c.who.Role}
}

// rollsBack reports whether the transaction is undone though nothing is wrong.
func (c *call) rollsBack() bool {
	switch c.req.Prefer.Tx {
	case request.TxRollback:
		return true
	case request.TxCommit:
		return false
	default:
		return c.state.config.TxEnd.Rollback
	}
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var api *apierror.Error
	if !errors.As(err, &api) {
		s.log.ErrorContext(r.Context(), "cannot answer the request", "error", err)
		api = apierror.New(http.StatusInternalServerError, "PGRSTX00", err.Error())
	}
	api.Write(w, r.Method == http.MethodHead)
}
