package rest

import (
	"net/http"
	"strconv"

	"github.com/supascore/supascore/stack/rest/apierror"
	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
)

// response is what is sent when nothing went wrong.
type response struct {
	status int
	header http.Header
	body   []byte
}

// newResponse has no headers and no body yet.
func newResponse(status int) *response { return &response{status: status, header: make(http.Header)} }

// write sends the response.
func (r *response) write(w http.ResponseWriter, headersOnly bool) {
	h := w.Header()
	for name, values := range r.header {
		h[name] = values
	}
	bodiless := r.status == http.StatusNoContent || r.status == http.StatusNotModified
	if bodiless {
		h.Del("Content-Length") // SQL may have chosen a status that has no body
	}
	w.WriteHeader(r.status)
	if !headersOnly && !bodiless {
		_, _ = w.Write(r.body) // the client is gone when this fails
	}
}

// setBody adds a body and its length.
func (r *response) setBody(body []byte) {
	r.body = body
	r.header.Set("Content-Length", strconv.Itoa(len(body)))
}

// setType adds the media type of the body and, when there is a choice of schemas, the schema.
func (r *response) setType(c *call, media request.MediaType) {
	r.header.Set("Content-Type", media.ContentType())
	if c.req.ContentProfile {
		r.header.Set("Content-Profile", c.req.Schema)
	}
}

// response shapes the result of a request.
func (c *call) response(plan *query.Plan, res result) (*response, error) {
	if plan.Explain {
		return c.planResponse(plan, res), nil
	}
	var r *response
	switch c.req.Action {
	case request.ActionRead:
		r = c.readResponse(plan, res)
	case request.ActionInsert:
		r = c.insertResponse(plan, res)
	case request.ActionUpsertOne:
		r = c.upsertResponse(plan, res)
	case request.ActionUpdate, request.ActionDelete:
		r = c.changeResponse(plan, res)
	default:
		r = c.callResponse(plan, res)
	}
	if applied := c.appliedPreferences(plan).Applied(); applied != "" {
		r.header.Set("Preference-Applied", applied)
	}
	return r, r.override(res)
}

// readResponse answers GET and HEAD on a relation.
func (c *call) readResponse(plan *query.Plan, res result) *response {
	r := c.rangeResponse(res)
	location := "/" + plan.Table.Name.Name
	if q := canonicalQuery(c.http.URL.RawQuery); q != "" {
		location += "?" + q
	}
	r.header.Set("Content-Location", location)
	r.setType(c, plan.Media)
	return r
}

// rangeResponse has the status, the range and the body of a read: 206 when a known total says that there is more, 416
// when it says that the range lies behind the end.
func (c *call) rangeResponse(res result) *response {
	offset, total := c.req.Read.Range.Offset, c.total(res)
	last := offset + res.page - 1
	r := newResponse(http.StatusOK)
	body := res.body
	switch {
	case total == nil: // without a total nobody can say whether there is more
	case offset > *total:
		r.status = http.StatusRequestedRangeNotSatisfiable
		body = outOfRange(offset, *total).Body()
	case 1+last-offset < *total:
		r.status = http.StatusPartialContent
	}
	r.header.Set("Content-Range", contentRange(offset, last, total))
	if c.req.HeadersOnly {
		return r // without Content-Length too: the body was not made, so its length is not known
	}
	r.setBody(body)
	return r
}

// outOfRange is PGRST103. Its body is sent with the headers of a read, as PostgREST does, and not as any other error.
func outOfRange(offset, total int64) *apierror.Error {
	return apierror.New(http.StatusRequestedRangeNotSatisfiable, "PGRST103", "Requested range not satisfiable").
		WithDetails("An offset of " + strconv.FormatInt(offset, 10) + " was requested, but there are only " +
			strconv.FormatInt(total, 10) + " rows.")
}

// total is the number of rows without limit as far as the client asked for it. An estimate is exact up to max-rows and the
// planner's guess above.
func (c *call) total(res result) *int64 {
	switch c.req.Prefer.Count {
	case request.CountExact:
		return res.total
	case request.CountPlanned:
		if c.req.Action == request.ActionRead {
			return &res.estimate
		}
		return res.total
	case request.CountEstimated:
		limit := c.state.config.MaxRows
		if c.req.Action == request.ActionRead && res.total != nil && (limit == nil || *res.total > *limit) {
			guess := max(*res.total, res.estimate)
			return &guess
		}
		return res.total
	default:
		return res.total // not counted, so only known when there is nothing
	}
}

// contentRange renders Content-Range: the first and last row, or a star when there is none, and the total.
func contentRange(first, last int64, total *int64) string {
	rows, all := "*", "*"
	if total != nil {
		all = strconv.FormatInt(*total, 10)
	}
	if first <= last && (total == nil || *total != 0) {
		rows = strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(last, 10)
	}
	return rows + "/" + all
}

// counted is the number of rows that a write touched, when the client asked for a count.
func (c *call) counted(res result) *int64 {
	if c.req.Prefer.Count == request.CountExact || c.req.Prefer.Count == request.CountEstimated {
		return &res.page
	}
	return nil
}

// insertResponse answers POST on a relation.
func (c *call) insertResponse(plan *query.Plan, res result) *response {
	r := newResponse(http.StatusCreated)
	if c.req.Prefer.Resolution == request.ResolutionMerge && (res.inserted == nil || *res.inserted <= 0) {
		r.status = http.StatusOK
	}
	if len(res.location) > 0 {
		r.header.Set("Location", "/"+plan.Table.Name.Name+"?"+locationQuery(res.location))
	}
	// An insert has no range, only a count.
	r.header.Set("Content-Range", contentRange(1, 0, c.counted(res)))
	if c.req.Prefer.Return == request.ReturnRepresentation {
		r.setType(c, plan.Media)
		r.setBody(res.body)
	} else {
		r.setBody(nil)
	}
	return r
}

// upsertResponse answers PUT.
func (c *call) upsertResponse(plan *query.Plan, res result) *response {
	if c.req.Prefer.Return != request.ReturnRepresentation {
		return newResponse(http.StatusNoContent)
	}
	r := newResponse(http.StatusOK)
	if res.inserted != nil && *res.inserted > 0 {
		r.status = http.StatusCreated
	}
	r.setType(c, plan.Media)
	r.setBody(res.body)
	return r
}

// changeResponse answers PATCH and DELETE. No matching row is no error.
func (c *call) changeResponse(plan *query.Plan, res result) *response {
	r := newResponse(http.StatusNoContent)
	first, last := int64(1), int64(0)
	if c.req.Action == request.ActionUpdate {
		first, last = 0, res.page-1
	}
	r.header.Set("Content-Range", contentRange(first, last, c.counted(res)))
	if c.req.Prefer.Return == request.ReturnRepresentation {
		r.status = http.StatusOK
		r.setType(c, plan.Media)
		r.setBody(res.body)
	}
	return r
}

// callResponse answers the call of a function.
func (c *call) callResponse(plan *query.Plan, res result) *response {
	r := c.rangeResponse(res)
	if plan.Function.Void() {
		// Nothing to send, and no type of nothing.
		void := newResponse(http.StatusNoContent)
		void.header.Set("Content-Range", r.header.Get("Content-Range"))
		return void
	}
	r.setType(c, plan.Media)
	return r
}

// planResponse answers with a query plan.
func (c *call) planResponse(plan *query.Plan, res result) *response {
	r := newResponse(http.StatusOK)
	r.setType(c, plan.Media)
	r.setBody([]byte(res.lines.text()))
	return r
}

// appliedPreferences are the preferences that had a meaning for the request.
func (c *call) appliedPreferences(plan *query.Plan) request.Preferences {
	p := c.req.Prefer
	action := c.req.Action
	if action != request.ActionInsert || !plan.ConflictKey {
		p.Resolution = ""
	}
	if action == request.ActionRead || action == request.ActionCall {
		p.Return = ""
	}
	if action != request.ActionInsert && action != request.ActionUpdate {
		p.Missing = ""
	}
	if action != request.ActionUpdate && action != request.ActionDelete && action != request.ActionCall {
		p.MaxAffected = nil
	}
	return p
}
