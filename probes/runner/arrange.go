package runner

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/auth"
	"github.com/supascore/supascore/probes/internal/bare"
	"github.com/supascore/supascore/probes/token"
)

// arrange carries out the plan's steps.
func (r *run) arrange(ctx context.Context) {
	for _, person := range r.cfg.Plan.People {
		r.seen.People[person.ID] = &probes.PersonObservation{
			Email: fmt.Sprintf("%s-%s@example.com", person.ID, r.cfg.Run),
		}
		if r.cfg.Borrowed != nil {
			r.seen.People[person.ID].Withheld = r.cfg.Borrowed.NoSignUps
		}
	}
	for _, step := range r.cfg.Plan.Steps {
		switch {
		case r.mixed != nil:
			return
		case step.SignUp != nil:
			r.together(ctx, step.SignUp, r.signUp)
			r.confirm(ctx, step.SignUp)
		case step.SignIn != nil:
			r.together(ctx, step.SignIn, r.signIn)
		case step.Insert != nil:
			r.seen.Inserts = append(r.seen.Inserts, r.insert(ctx, *step.Insert))
		}
	}
}

// session is what became of one person in one step.
type session struct {
	auth.Session
	attempt *probes.AuthAttempt
}

// together lets people do the same at once, since password hashes take most of the
// time of a sign-up, and records what became of them. Lines that were logged
// meanwhile go to everybody who failed: the log does not say whose they are.
func (r *run) together(ctx context.Context, people []string, do func(context.Context, string) *session) {
	mark := r.mark()
	sessions := make([]*session, len(people))
	var group errgroup.Group
	for i, id := range people {
		group.Go(func() error {
			sessions[i] = do(ctx, id)
			return nil
		})
	}
	// The group only waits: what fails is in the sessions.
	_ = group.Wait()
	for i, id := range people {
		if sessions[i] != nil {
			r.keep(id, sessions[i], mark)
		}
	}
}

// signUp signs a person up; nil when the plan does not know them.
func (r *run) signUp(ctx context.Context, id string) *session {
	return r.attempt(ctx, id, r.auth.SignUp)
}

// signIn signs a person in again. Somebody whose sign-up failed is left with that
// failure: a second one would hide it.
func (r *run) signIn(ctx context.Context, id string) *session {
	if person := r.seen.People[id]; person == nil || person.ID == "" {
		return nil
	}
	return r.attempt(ctx, id, r.auth.SignIn)
}

func (r *run) attempt(
	ctx context.Context, id string, do func(context.Context, string, string) (auth.Session, *probes.AuthAttempt),
) *session {
	person := r.seen.People[id]
	if person == nil || person.Withheld != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.cfg.RequestTimeout)
	defer cancel()
	got, attempt := do(ctx, person.Email, r.password(id))
	if attempt.Trouble == "" {
		attempt.Trouble = r.gone(ctx, attempt.Answer.Status)
	}
	return &session{Session: got, attempt: attempt}
}

func (r *run) password(id string) string {
	for _, person := range r.cfg.Plan.People {
		if person.ID == id {
			return person.Password
		}
	}
	return ""
}

// keep records a person's attempt. An attempt that brought no session takes the
// older one away: it must not be used in the newer one's place.
func (r *run) keep(id string, got *session, mark logMark) {
	person := r.seen.People[id]
	if !got.attempt.Answer.OK() {
		got.attempt.Logs = r.since(mark)
	}
	if person.SignUp == nil {
		person.SignUp = got.attempt
	} else {
		person.SignIns = append(person.SignIns, got.attempt)
	}
	if got.UserID != "" {
		person.ID = got.UserID
	}
	person.Token = nil
	delete(r.tokens, id)
	if got.AccessToken != "" {
		person.Token = token.Decode(got.AccessToken, r.keys())
		r.tokens[id] = got.AccessToken
	}
}

// insert writes a row as the owner and makes sure that it is there.
func (r *run) insert(ctx context.Context, step probes.RowInsert) probes.InsertObservation {
	start := time.Now()
	seen := probes.InsertObservation{
		Timing: probes.Timing{Started: start.UTC()}, Table: step.Table, For: step.For,
	}
	r.tryInsert(ctx, step, &seen)
	seen.MS = bare.Milliseconds(time.Since(start))
	return seen
}

func (r *run) tryInsert(ctx context.Context, step probes.RowInsert, seen *probes.InsertObservation) {
	if seen.Withheld = r.withheld(step.Own); seen.Withheld != "" {
		return
	}
	row, absent := r.resolve(step.Row)
	if absent != "" {
		seen.Skipped = absent + " has not signed up"
		return
	}
	seen.Row = row
	var err error
	if seen.Failed, err = r.write(ctx, step.Table, row); err != nil || seen.Failed != nil {
		seen.Trouble = errorText(err)
		return
	}
	var count int
	if count, seen.Failed, err = r.db.Count(ctx, step.Table, row); err != nil {
		seen.Trouble = errorText(err)
		return
	}
	seen.Present = count > 0
}

// write writes a row with what its table needs beside it. A row that is there
// already is as good as one that was written.
func (r *run) write(ctx context.Context, table string, row map[string]any) (*probes.SQLError, error) {
	complete, err := r.db.Complete(ctx, table, row, r.userIDs())
	if err != nil {
		return nil, err
	}
	key, refused, err := r.db.Insert(ctx, table, complete)
	r.remember(table, anyValues(key))
	return refused, err
}

// anyValues is a key as the values of a row.
func anyValues(key map[string]string) map[string]any {
	values := make(map[string]any, len(key))
	for column, value := range key {
		values[column] = value
	}
	return values
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// userIDs lists the users' ids in the plan's order.
func (r *run) userIDs() []string {
	var ids []string
	for _, person := range r.cfg.Plan.People {
		if seen := r.seen.People[person.ID]; seen != nil && seen.ID != "" {
			ids = append(ids, seen.ID)
		}
	}
	return ids
}

// resolve puts people's values in the place of references. The second result is a
// person who has no such value yet; empty when all have.
func (r *run) resolve(row probes.Row) (map[string]any, string) {
	values := make(map[string]any, len(row))
	for column, value := range row {
		if value.Person == "" {
			values[column] = value.Literal
			continue
		}
		person := r.seen.People[value.Person]
		if person == nil || person.ID == "" {
			return nil, value.Person
		}
		values[column] = person.ID
		if value.Field == "email" {
			values[column] = person.Email
		}
	}
	return values, ""
}
