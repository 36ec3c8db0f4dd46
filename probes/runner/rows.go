package runner

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/internal/bare"
	"github.com/supascore/supascore/probes/rest"
)

// rows sends every row probe, one after the other: what is logged meanwhile then
// belongs to one of them.
func (r *run) rows(ctx context.Context) {
	for _, probe := range r.cfg.Plan.Rows {
		if ctx.Err() != nil {
			return
		}
		start := time.Now()
		seen := &probes.RowObservation{
			Timing: probes.Timing{Started: start.UTC()}, As: probe.As, Verb: probe.Verb, Table: probe.Table,
		}
		r.tryRow(ctx, probe, seen)
		seen.MS = bare.Milliseconds(time.Since(start))
		r.seen.Rows[probe.ID] = seen
	}
}

// tryRow prepares a row, sends the person's request, and counts what is left.
func (r *run) tryRow(ctx context.Context, probe probes.RowProbe, seen *probes.RowObservation) {
	if seen.Withheld = r.withheld(probe.Own); seen.Withheld != "" {
		return
	}
	row, absent := r.resolve(probe.Row)
	if absent == "" && r.tokens[probe.As] == "" {
		absent = probe.As
	}
	if absent != "" {
		seen.Person, seen.Unready = absent, absent+" has no session"
		return
	}
	set, absent := r.resolve(probe.Set)
	if absent != "" {
		seen.Person, seen.Unready = absent, absent+" has not signed up"
		return
	}
	seen.Row = row
	request, counted, ok := r.prepare(ctx, probe, row, seen)
	if !ok {
		return
	}
	if probe.Verb == probes.VerbUpdate {
		request.Values = set
		maps.Copy(counted, set)
	}
	if probe.Verb == probes.VerbInsert && seen.Before == 0 {
		r.remember(probe.Table, row) // it is there only if somebody lets them write it
	}
	r.send(ctx, request, seen)
	after, refused, err := r.db.Count(ctx, probe.Table, counted)
	seen.After, seen.Failed = after, refused
	seen.Counted = err == nil && refused == nil
	if seen.Counted {
		err = r.explain(ctx, request, seen)
	}
	if seen.Trouble == "" {
		seen.Trouble = errorText(err)
	}
}

// explain asks, after a request without effect, what tells a denial from a request
// that could not have had one: for an insert, whether the owner can write such a
// row; for a delete or an update, whether the person sees the row at all.
func (r *run) explain(ctx context.Context, request rest.Request, seen *probes.RowObservation) error {
	switch {
	case request.Verb == probes.VerbInsert && seen.After == 0:
		var err error
		seen.OwnerRefused, err = r.db.CanInsert(ctx, request.Table, request.Values)
		return err
	case request.Verb == probes.VerbDelete && seen.After > 0, request.Verb == probes.VerbUpdate && seen.After == 0:
		request.Verb = probes.VerbRead
		ctx, cancel := context.WithTimeout(ctx, r.cfg.RequestTimeout)
		defer cancel()
		if answer, trouble := r.rest.Do(ctx, request); trouble == "" && answer.OK() {
			visible := answer.Rows > 0
			seen.Visible = &visible
		}
	}
	return nil
}

// prepare writes the row that the request is about, unless the request is to
// insert it, and counts it. It returns the request and the values by which the
// outcome is counted; false when the request makes no sense, which seen explains.
func (r *run) prepare(
	ctx context.Context, probe probes.RowProbe, row map[string]any, seen *probes.RowObservation,
) (rest.Request, map[string]any, bool) {
	request := rest.Request{Token: r.tokens[probe.As], Verb: probe.Verb, Table: probe.Table}
	complete, err := r.db.Complete(ctx, probe.Table, row, r.userIDs())
	if err != nil {
		seen.Trouble = err.Error()
		return request, nil, false
	}
	counted := map[string]any{}
	if probe.Verb == probes.VerbInsert {
		request.Values = complete
		maps.Copy(counted, row)
	} else {
		request.Key, seen.Failed, err = r.db.Insert(ctx, probe.Table, complete)
		if err != nil || seen.Failed != nil {
			seen.Trouble = errorText(err)
			return request, nil, false
		}
		maps.Copy(counted, anyValues(request.Key))
		r.remember(probe.Table, anyValues(request.Key))
	}
	if probe.Verb != probes.VerbInsert && len(counted) == 0 {
		seen.Failed = unwritten(probe.Table)
		return request, nil, false
	}
	if seen.Before, seen.Failed, err = r.db.Count(ctx, probe.Table, counted); err != nil || seen.Failed != nil {
		seen.Trouble = errorText(err)
		return request, nil, false
	}
	if probe.Verb != probes.VerbInsert && seen.Before != 1 {
		seen.Failed = unwritten(probe.Table)
		return request, nil, false
	}
	return request, counted, true
}

// unwritten is the refusal of a row that was written without an error and is not
// there: a trigger or a rule keeps it out, or it conflicts with another.
func unwritten(table string) *probes.SQLError {
	return &probes.SQLError{Message: fmt.Sprintf("the row was written to %s and is not there", table)}
}

// send sends the request and records its answer.
func (r *run) send(ctx context.Context, request rest.Request, seen *probes.RowObservation) {
	mark := r.mark()
	ctx, cancel := context.WithTimeout(ctx, r.cfg.RequestTimeout)
	defer cancel()
	answer, trouble := r.rest.Do(ctx, request)
	seen.Answer, seen.Trouble = &answer, trouble
	if seen.Trouble == "" {
		seen.Trouble = r.gone(ctx, answer.Status)
	}
	if !answer.OK() {
		seen.Logs = r.since(mark)
	}
}
