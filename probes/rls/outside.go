package rls

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/rls/translate"
)

// Outside says how a Data API is watched whose requests' transactions last, as those of
// a server of its own do: before and after each request, as the owner.
type Outside struct {
	// Owner returns a session as the database's owner, for set-ups and for what the owner
	// is asked after a test. It may be the same one each time, and is not the tests'.
	Owner func(ctx context.Context) (*pgx.Conn, error)
	// Look returns the committed rows of every table, in the form of Target.Rows. That
	// PostgreSQL cannot show them is a *pgconn.PgError.
	Look func(ctx context.Context) (map[string][]string, error)
	// Undo ends what is left of a request and makes the rows what they were before the
	// tests, Target.Rows, the state of sequences included. After its error no test can
	// begin.
	Undo func(ctx context.Context) error
}

// sending is a test as a request to be sent.
type sending struct {
	t       *planned
	o       *probes.RLSObservation
	request *translate.Request
	token   string
}

// watched says whether the request's transaction has to be looked into: one that can
// only read leaves nothing to look at (PostgREST documentation, "Access mode").
func (s sending) watched() bool {
	return s.t.test.Setup != "" || s.t.after != nil || !isRead(s.request)
}

// sendInside sends a request to a Data API that undoes its writes, and looks into its
// transaction.
func (r *runner) sendInside(ctx context.Context, s sending) (*answer, error) {
	var looking error
	observed := ctx
	if s.watched() {
		observed = r.observe(ctx, s.t, s.o, &looking)
	}
	answer, err := r.send(observed, s.request, s.token)
	if looking != nil {
		return nil, looking
	}
	return answer, err
}

// sendOutside sends a request whose transaction lasts, and looks before and after it.
// What there is to undo is noted in r.dirty.
func (r *runner) sendOutside(ctx context.Context, s sending) (*answer, error) {
	before, err := r.setUpOutside(ctx, s)
	if err != nil || s.o.SetupFailed != nil {
		return nil, err
	}
	answer, err := r.send(ctx, s.request, s.token)
	if err != nil {
		r.dirty = true // it may still be running
		return nil, err
	}
	if answer.status == http.StatusBadGateway {
		return nil, fmt.Errorf("the Data API is gone: %s", answer.said())
	}
	if !s.watched() {
		return answer, nil
	}
	if err := r.lookOutside(ctx, s, before, answer.lasted()); err != nil || s.o.LookFailed != nil {
		return nil, err
	}
	if s.t.after != nil && answer.lasted() {
		err = r.afterOutside(ctx, s)
	}
	return answer, err
}

// lasted says whether the request's transaction came to its end.
func (a *answer) lasted() bool { return a.status < http.StatusMultipleChoices }

// setUpOutside runs the test's set-up as the owner and returns the rows that the request
// begins with.
func (r *runner) setUpOutside(ctx context.Context, s sending) (map[string][]string, error) {
	if s.t.test.Setup == "" {
		return r.Target.Rows, nil
	}
	r.dirty = true
	owner, err := r.Target.Outside.Owner(ctx)
	if err != nil {
		return nil, err
	}
	made := setup(s.t)[:1]
	made[0].refused = func(failed *probes.SQLError) { s.o.SetupFailed = failed }
	err = send(ctx, owner.PgConn(), made)
	if failed := refused(err); failed != nil { // at its end, by a constraint that waits for it
		s.o.SetupFailed = failed
		return nil, nil
	}
	if err != nil || s.o.SetupFailed != nil {
		return nil, err
	}
	rows, err := r.Target.Outside.Look(ctx)
	if failed := refused(err); failed != nil {
		s.o.SetupFailed = failed
		return nil, nil
	}
	return rows, err
}

// lookOutside records what the request changed, and notes whether there is anything to
// undo.
func (r *runner) lookOutside(ctx context.Context, s sending, before map[string][]string, lasted bool) error {
	now, err := r.Target.Outside.Look(ctx)
	if err != nil {
		r.dirty = true
		failed := refused(err)
		if failed == nil {
			return fmt.Errorf("look at the rows after the test: %w", err)
		}
		if lasted {
			s.o.LookFailed = failed
		}
		return nil
	}
	if len(changes(r.Target.Rows, now)) > 0 {
		r.dirty = true
	}
	if lasted {
		s.o.Changes = changes(before, now)
	}
	return nil
}

// afterOutside asks the owner what the test wants to know, with the claims of the
// request, which within its transaction would still be set.
func (r *runner) afterOutside(ctx context.Context, s sending) error {
	owner, err := r.Target.Outside.Owner(ctx)
	if err != nil {
		return err
	}
	claims, err := r.claimsOf(s)
	if err != nil {
		return err
	}
	conn, about := owner.PgConn(), seen{t: s.t, o: s.o}
	after := looks(s.t)[1]
	after.keep = func(rows [][][]byte) error { return r.keepLook(about, 1, rows) }
	after.refused = func(failed *probes.SQLError) { about.failed(1, failed) }
	err = send(ctx, conn, []step{
		{sql: "begin"},
		{sql: "select pg_catalog.set_config('request.jwt.claims', $1, true)", args: []string{claims}},
		after,
		{sql: "rollback"},
	})
	return errors.Join(err, rollback(conn))
}

// claimsOf are the claims that the request's token carries, as the database sees them.
func (r *runner) claimsOf(s sending) (string, error) {
	if parts := strings.Split(s.token, "."); len(parts) == 3 {
		if payload, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && json.Valid(payload) {
			return string(payload), nil
		}
	}
	claims, err := json.Marshal(r.claims(s.t))
	if err != nil {
		return "", fmt.Errorf("write the claims: %w", err)
	}
	return string(claims), nil
}

// undo takes back what a test left, so that the next one begins with the same rows.
func (r *runner) undo(ctx context.Context, test string) error {
	if !r.dirty || ctx.Err() != nil {
		return nil
	}
	r.dirty = false
	limited, cancel := context.WithTimeout(ctx, r.Target.Limit)
	defer cancel()
	if err := r.Target.Outside.Undo(limited); err != nil {
		return fmt.Errorf("what test %s wrote cannot be undone: %w", test, err)
	}
	return nil
}
