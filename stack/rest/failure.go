package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/rest/apierror"
	"github.com/supascore/supascore/stack/rest/dberror"
	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// acquireError is the answer when no connection could be had: PGRST003 when all were busy for too long, PGRST000 when
// the database could not be reached.
func acquireError(ctx context.Context, err error) error {
	var pgErr *pgconn.PgError
	var connect *pgconn.ConnectError
	// A refusal to connect is an answer, however long it took; a deadline alone means that the pool was busy.
	switch {
	case errors.As(err, &pgErr), errors.As(err, &connect):
		return apierror.New(http.StatusServiceUnavailable, "PGRST000", "Database connection error.").WithDetails(err.Error())
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return apierror.New(http.StatusGatewayTimeout, "PGRST003", "Timed out acquiring connection from connection pool.")
	default:
		return brokenConnection(err)
	}
}

// brokenConnection is the answer when a connection was lost in the middle of a request. Whether a write was committed is
// not known then, so it is not tried again.
func brokenConnection(err error) error {
	return apierror.New(http.StatusServiceUnavailable, "PGRST001", "Database client error. Retrying the connection.").
		WithDetails(err.Error())
}

// databaseError is the answer to an error of a transaction.
func databaseError(err error, authenticated bool) error {
	var api *apierror.Error
	if errors.As(err, &api) {
		return api
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return brokenConnection(err)
	}
	return apierror.FromDatabase(dberror.Raised(pgErr), authenticated)
}

// canRefuse reports whether a result can turn out to be one that must not be committed.
func (c *call) canRefuse(plan *query.Plan) bool {
	return plan.Media.Kind == request.MediaObject || c.req.Action == request.ActionUpsertOne || c.strictMaximum() != nil
}

// strictMaximum is the greatest number of rows that the request may touch, when it is to be enforced.
func (c *call) strictMaximum() *int64 {
	p := c.req.Prefer
	if p.Handling != request.HandlingStrict {
		return nil
	}
	switch c.req.Action {
	case request.ActionUpdate, request.ActionDelete, request.ActionCall:
		return p.MaxAffected
	default:
		return nil
	}
}

// refuse is the error of a result that is not what the client asked for. The transaction is undone then.
func (c *call) refuse(plan *query.Plan, r result) error {
	switch {
	case plan.Explain:
		return nil
	case c.req.Action == request.ActionUpsertOne:
		if r.page != 1 {
			return apierror.New(http.StatusBadRequest, "PGRST115", "Payload values do not match URL in primary key column(s)")
		}
		return nil
	case plan.Media.Kind == request.MediaObject && r.page != 1:
		return apierror.New(http.StatusNotAcceptable, "PGRST116", "Cannot coerce the result to a single JSON object").
			WithDetails("The result contains " + strconv.FormatInt(r.page, 10) + " rows")
	}
	if most := c.strictMaximum(); most != nil && r.page > *most {
		return apierror.New(http.StatusBadRequest, "PGRST124", "Query result exceeds max-affected preference constraint").
			WithDetails("The query affects " + strconv.FormatInt(r.page, 10) + " rows")
	}
	return nil
}

// begin is the statement that opens a transaction. Anything but the two stricter levels means READ COMMITTED.
func begin(isolation string, readOnly bool) string {
	level := "READ COMMITTED"
	switch strings.ToLower(isolation) {
	case "repeatable read":
		level = "REPEATABLE READ"
	case "serializable":
		level = "SERIALIZABLE"
	}
	if readOnly {
		return "BEGIN ISOLATION LEVEL " + level + " READ ONLY"
	}
	return "BEGIN ISOLATION LEVEL " + level + " READ WRITE"
}

// functionName reads "schema.name" or "name" from the configuration.
func functionName(text string) schema.Name {
	before, after, ok := strings.Cut(text, ".")
	if !ok {
		return schema.Name{Name: text}
	}
	return schema.Name{Schema: before, Name: after}
}
