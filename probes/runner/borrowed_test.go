package runner_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/runner"
)

// count counts the rows of a table.
func (s *fakeStack) count(t *testing.T, schema, table string) (n int) {
	t.Helper()
	name := pgx.Identifier{schema, table}.Sanitize()
	require.NoError(t, s.pool.QueryRow(context.WithoutCancel(t.Context()), "select count(*) from "+name).Scan(&n))
	return n
}

// borrow runs the forum's plan on a stack that goes on.
func borrow(ctx context.Context, s *fakeStack, plan probes.Plan, how runner.Borrowed) (*probes.Observations, error) {
	return runner.Run(ctx, runner.Config{Target: s.target(), Plan: plan, Run: "0123abcd", Stack: probes.StackState{Ready: true}, Borrowed: &how})
}

func TestABorrowedStackIsLeftAsFound(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	// Somebody else's data, which a run must neither touch nor remove.
	_, err := s.pool.Exec(t.Context(), `insert into auth.users (id, email) values ('00000000-0000-0000-0000-000000000001', 'member-0123abcd@example.org');
		insert into public.posts (author_id, body) values ('00000000-0000-0000-0000-000000000001', '');
		insert into public.member_roles values ('00000000-0000-0000-0000-000000000001', 'moderator')`)
	require.NoError(t, err)
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{})
	require.NoError(t, err)
	// Of six posts two are deleted by the probes themselves; the moderator's role and, as
	// nobody may write it, no other.
	assert.Equal(t, &probes.LeftObservation{Rows: 5, People: 3}, seen.Left)
	assert.Equal(t, 1, s.count(t, "auth", "users"))
	assert.Equal(t, 1, s.count(t, "public", "posts"))
	assert.Equal(t, 1, s.count(t, "public", "member_roles"))
}

func TestARowThatALeakLetInIsRemovedToo(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum+`; grant insert on member_roles to authenticated; create policy open on member_roles for insert to authenticated with check (true)`)
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{})
	require.NoError(t, err)
	require.Equal(t, 1, seen.Rows["promote"].After, "the leak")
	assert.Empty(t, seen.Left.Problems)
	assert.Zero(t, s.count(t, "public", "member_roles"))
	assert.Zero(t, s.count(t, "auth", "users"))
}

func TestKeptDataStays(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{Keep: true})
	require.NoError(t, err)
	assert.Equal(t, &probes.LeftObservation{Kept: true}, seen.Left)
	assert.Equal(t, 3, s.count(t, "auth", "users"))
	assert.Equal(t, 1, s.count(t, "public", "member_roles"))
}

func TestAStackOfTheRunsOwnIsNotCleaned(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	assert.Nil(t, forumRun(t, s).Left)
	assert.Equal(t, 3, s.count(t, "auth", "users"))
}

func TestACancelledRunCleansUpAsWell(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	s.failREST = func(http.ResponseWriter, *http.Request) bool {
		if s.count(t, "auth", "users") == 3 {
			cancel(stop)
		}
		return false
	}
	seen, err := borrow(ctx, s, forumPlan(), runner.Borrowed{})
	require.ErrorIs(t, err, stop)
	assert.Equal(t, 3, seen.Left.People)
	assert.Empty(t, seen.Left.Problems)
	assert.Zero(t, s.count(t, "auth", "users"))
	assert.Zero(t, s.count(t, "public", "posts"))
}

func TestSomebodyWhoseSignUpGotNoAnswerIsRemovedByTheirAddress(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failAuth = func(_ http.ResponseWriter, kind, email string) bool {
		if kind != "sign-up" {
			return false
		}
		_, err := s.pool.Exec(context.WithoutCancel(t.Context()), "insert into auth.users (id, email) values (gen_random_uuid(), $1)", email)
		assert.NoError(t, err)
		panic(http.ErrAbortHandler) // the connection breaks after the work
	}
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{})
	require.NoError(t, err)
	assert.Equal(t, &probes.LeftObservation{People: 3}, seen.Left)
	assert.Zero(t, s.count(t, "auth", "users"))
}

func TestSomebodyWhoHadTheAddressBeforeIsNotRemoved(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	_, err := s.pool.Exec(t.Context(), "insert into auth.users (id, email) values (gen_random_uuid(), 'member-0123abcd@example.com'), (gen_random_uuid(), 'stranger-0123abcd@example.com')")
	require.NoError(t, err)
	s.failAuth = func(w http.ResponseWriter, kind, email string) bool {
		switch {
		case kind != "sign-up":
			return false
		case email == "member-0123abcd@example.com":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, err := w.Write([]byte(`{"code":422,"error_code":"user_already_exists","msg":"User already registered"}`))
			assert.NoError(t, err)
		default: // Auth keeps a user whose first token a hook refused
			w.WriteHeader(http.StatusInternalServerError)
			_, err := w.Write([]byte(`{"code":500,"error_code":"unexpected_failure","msg":"Error running hook"}`))
			assert.NoError(t, err)
		}
		return true
	}
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{})
	require.NoError(t, err)
	assert.Equal(t, &probes.LeftObservation{People: 1}, seen.Left)
	var left string
	require.NoError(t, s.pool.QueryRow(t.Context(), "select string_agg(email, ',') from auth.users").Scan(&left))
	assert.Equal(t, "member-0123abcd@example.com", left)
}

func TestWhatCannotBeRemovedIsNamed(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum+`;
		create table profiles (id uuid primary key references auth.users (id));
		create function remember() returns trigger language plpgsql security definer as $$ begin insert into public.profiles values (new.id); return new; end $$;
		create trigger remember after insert on auth.users for each row execute function remember()`)
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{})
	require.NoError(t, err)
	require.Len(t, seen.Left.Problems, 1)
	assert.Contains(t, seen.Left.Problems[0], "the people whose addresses end in -0123abcd@example.com: ")
	assert.Contains(t, seen.Left.Problems[0], "SQLSTATE 23503")
	assert.Zero(t, seen.Left.People)
	assert.Equal(t, 3, s.count(t, "auth", "users"))
}

func TestRowsOfNobodyAreLeftAloneWhenTheyAreShared(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	plan := forumPlan()
	for i := range plan.Rows {
		plan.Rows[i].Own = plan.Rows[i].ID == "own"
	}
	seen, err := borrow(t.Context(), s, plan, runner.Borrowed{NoShared: "it is somebody's"})
	require.NoError(t, err)
	assert.Equal(t, "it is somebody's", seen.Inserts[0].Withheld)
	for id, row := range seen.Rows {
		if id == "own" {
			assert.Equal(t, []int{1, 0}, []int{row.Before, row.After})
			assert.Empty(t, row.Withheld)
			continue
		}
		assert.Equal(t, "it is somebody's", row.Withheld, id)
		assert.Nil(t, row.Answer, id)
	}
	assert.Zero(t, s.count(t, "public", "member_roles"))
}

func TestNobodyIsSignedUpWhereThatIsNotWanted(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failAuth = func(http.ResponseWriter, string, string) bool { t.Error("Auth was asked"); return false }
	seen, err := borrow(t.Context(), s, forumPlan(), runner.Borrowed{NoSignUps: "they would get mail"})
	require.NoError(t, err)
	for _, person := range seen.People {
		assert.Equal(t, "they would get mail", person.Withheld)
		assert.Nil(t, person.SignUp)
	}
	assert.Equal(t, &probes.LeftObservation{}, seen.Left)
}

func TestAnOwnersDatabaseOfAnotherStackEndsTheRunBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	one, two := newFakeStack(t, forum), newFakeStack(t, forum)
	target := one.target()
	target.OwnerURL = two.target().OwnerURL
	seen, err := runner.Run(t.Context(), runner.Config{Target: target, Plan: forumPlan(), Borrowed: &runner.Borrowed{}})
	require.ErrorContains(t, err, "the API and the database are of different stacks")
	assert.Empty(t, seen.Inserts)
	assert.Empty(t, seen.Rows)
	assert.Zero(t, two.count(t, "public", "posts"))
}

func TestPeopleAreNotLedToOtherMachines(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer elsewhere.Close()
	s := newFakeStack(t, forum)
	s.failAuth = func(w http.ResponseWriter, _, _ string) bool {
		w.Header().Set("Location", elsewhere.URL+"/auth/v1/signup")
		w.WriteHeader(http.StatusTemporaryRedirect) // which repeats the request, password included
		return true
	}
	seen := forumRun(t, s)
	assert.Zero(t, reached.Load())
	assert.Contains(t, seen.People["member"].SignUp.Trouble, "which is not the stack")
}
