package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/runner"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// forum lets everybody read, members delete their own posts, and moderators, by
// their token, all.
const forum = `
	create type forum_role as enum ('moderator');
	create table posts (
		id bigint generated always as identity primary key,
		author_id uuid not null references auth.users (id) on delete cascade,
		body text not null
	);
	create table member_roles (
		member_id uuid not null references auth.users (id), role forum_role not null, primary key (member_id, role)
	);
	alter table posts enable row level security;
	alter table member_roles enable row level security;
	grant select, delete, update on posts to authenticated;
	create policy read on posts for select to authenticated using (true);
	create policy own on posts for delete to authenticated using (author_id = (select auth.uid()));
	create policy own_update on posts for update to authenticated using (author_id = (select auth.uid()));
	create policy moderators on posts for delete to authenticated
		using ((select auth.jwt() ->> 'user_role') = 'moderator')
`

func ref(person string) probes.Value { return probes.Value{Person: person, Field: "id"} }

func lit(value any) probes.Value { return probes.Value{Literal: value} }

func forumPlan() probes.Plan {
	people := func(ids ...string) (list []probes.Person) {
		for _, id := range ids {
			list = append(list, probes.Person{ID: id, Password: "secret123"})
		}
		return list
	}
	return probes.Plan{
		People: people("member", "stranger", "moderator"),
		Steps: []probes.Step{
			{SignUp: []string{"member", "stranger", "moderator"}},
			{Insert: &probes.RowInsert{Table: "public.member_roles", For: "moderator", Row: probes.Row{"member_id": ref("moderator"), "role": lit("moderator")}}},
			{SignIn: []string{"moderator"}},
		},
		Rows: []probes.RowProbe{
			{ID: "own", As: "member", Verb: probes.VerbDelete, Table: "public.posts", Row: probes.Row{"author_id": ref("member")}},
			{ID: "others", As: "member", Verb: probes.VerbDelete, Table: "public.posts", Row: probes.Row{"author_id": ref("stranger")}},
			{ID: "moderate", As: "moderator", Verb: probes.VerbDelete, Table: "public.posts", Row: probes.Row{"author_id": ref("stranger")}},
			{ID: "promote", As: "member", Verb: probes.VerbInsert, Table: "public.member_roles", Row: probes.Row{"member_id": ref("member"), "role": lit("moderator")}},
			{ID: "read", As: "member", Verb: probes.VerbRead, Table: "public.posts", Row: probes.Row{"author_id": ref("stranger")}},
			{ID: "edit", As: "member", Verb: probes.VerbUpdate, Table: "public.posts", Row: probes.Row{"author_id": ref("member")}, Set: probes.Row{"body": lit("new")}},
			{ID: "edit-others", As: "member", Verb: probes.VerbUpdate, Table: "public.posts", Row: probes.Row{"author_id": ref("stranger")}, Set: probes.Row{"body": lit("new")}},
		},
		Hooks: []string{"custom_access_token"},
	}
}

func forumRun(t *testing.T, s *fakeStack) *probes.Observations {
	t.Helper()
	seen, err := runner.Run(t.Context(), runner.Config{Target: s.target(), Plan: forumPlan(), Run: "0123abcd", Stack: probes.StackState{Ready: true}})
	require.NoError(t, err)
	return seen
}

func TestARunSeesWhoCanDoWhat(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	var phases []string
	seen, err := runner.Run(t.Context(), runner.Config{
		Target: s.target(), Plan: forumPlan(), Run: "0123abcd", Stack: probes.StackState{Ready: true, Engine: "embedded"},
		OnPhase: func(name string, took time.Duration) {
			phases = append(phases, name)
			assert.Positive(t, took)
		},
	})
	require.NoError(t, err)

	assert.Equal(t, []string{"liveness", "hooks", "arrange", "catalog", "probes"}, phases)
	assert.Equal(t, "embedded", seen.Stack.Engine)
	require.True(t, seen.Before.OK, "%+v", seen.Before)
	assert.True(t, seen.After.OK, "%+v", seen.After)
	for _, id := range []string{"member", "stranger", "moderator"} {
		person := seen.People[id]
		assert.Equal(t, id+"-0123abcd@example.com", person.Email)
		assert.NotEmpty(t, person.ID)
		assert.True(t, person.SignUp.Session)
		assert.Equal(t, 200, person.SignUp.Answer.Status)
		require.NotNil(t, person.Token, id)
		assert.Equal(t, probes.SignatureValid, person.Token.Signature)
	}
	require.Len(t, seen.Inserts, 1)
	assert.True(t, seen.Inserts[0].Present, "%+v", seen.Inserts[0])
	assert.Equal(t, map[string]any{"member_id": seen.People["moderator"].ID, "role": "moderator"}, seen.Inserts[0].Row)

	type outcome struct {
		before, after, status, rows int
	}
	got := map[string]outcome{}
	for id, row := range seen.Rows {
		require.Empty(t, row.Trouble, id)
		require.Empty(t, row.Unready, id)
		require.Nil(t, row.Failed, id)
		require.True(t, row.Counted, id)
		got[id] = outcome{row.Before, row.After, row.Answer.Status, row.Answer.Rows}
	}
	assert.Equal(t, map[string]outcome{
		"own":         {1, 0, 204, -1},
		"others":      {1, 1, 204, -1},
		"moderate":    {1, 0, 204, -1},
		"promote":     {0, 0, 403, -1},
		"read":        {1, 1, 200, 1},
		"edit":        {1, 1, 204, -1},
		"edit-others": {1, 0, 204, -1},
	}, got)
	assert.Equal(t, "42501", seen.Rows["promote"].Answer.Code)
	require.NotNil(t, seen.Rows["others"].Visible)
	assert.True(t, *seen.Rows["others"].Visible)
	assert.Nil(t, seen.Rows["own"].Visible, "nothing is asked about a request that took effect")
	assert.Nil(t, seen.Rows["promote"].OwnerRefused, "the owner can write the row that the member may not")
	assert.True(t, seen.Catalog.Tables["public.posts"].Granted("authenticated", "delete"))
	assert.False(t, seen.Hooks["custom_access_token"].Exists)
}

// The token of the sign-up predates the row: a run that used it would blame the
// candidate.
func TestThePersonWhoSignsInAgainActsWithTheNewToken(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	seen := forumRun(t, s)
	assert.Contains(t, string(seen.People["moderator"].Token.Claims), `"user_role":"moderator"`)
	assert.Contains(t, string(seen.People["member"].Token.Claims), `"user_role":null`)
	assert.Equal(t, map[string]int{"moderator-0123abcd@example.com": 1}, s.signIns)
	assert.Len(t, seen.People["moderator"].SignIns, 1)
}

func TestNothingSecretIsInWhatARunSaw(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	data, err := json.Marshal(forumRun(t, s))
	require.NoError(t, err)
	for _, secret := range []string{"secret123", testSecret, testAPIKey, "eyJ"} {
		assert.NotContains(t, string(data), secret)
	}
}

func TestEveryRunHasDigitsOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	var runs []string
	for range 2 {
		seen, err := runner.Run(t.Context(), runner.Config{Target: s.target(), Plan: forumPlan()})
		require.NoError(t, err)
		assert.Regexp(t, `^[0-9a-f]{8}$`, seen.Run)
		assert.NotEmpty(t, seen.People["member"].ID)
		runs = append(runs, seen.Run)
	}
	assert.NotEqual(t, runs[0], runs[1])
}

func TestASignUpThatFailsIsObservedWithItsAnswerAndTheErrorBehindIt(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.log(probes.LogEntry{Message: "from before", Error: "not this one"})
	s.failAuth = func(w http.ResponseWriter, kind, email string) bool {
		s.log(probes.LogEntry{Message: "request completed"})
		s.log(probes.LogEntry{Message: "Hook errored out", Error: "permission denied for function hook", SQLState: "42501"})
		fail(w, 500, "Error running hook URI: pg-functions://postgres/public/hook")
		return true
	}
	seen := forumRun(t, s)
	for id, person := range seen.People {
		require.NotNil(t, person.SignUp, id)
		assert.Equal(t, 500, person.SignUp.Answer.Status)
		assert.Equal(t, "unexpected_failure", person.SignUp.Answer.Code)
		assert.Equal(t, "Error running hook URI: pg-functions://postgres/public/hook", person.SignUp.Answer.Message)
		assert.Empty(t, person.SignUp.Trouble, "the database is there, so it is the candidate's")
		assert.Nil(t, person.Token)
		assert.Empty(t, person.SignIns, "a second failure would hide the first")
		require.NotEmpty(t, person.SignUp.Logs)
		for _, entry := range person.SignUp.Logs {
			assert.Equal(t, "42501", entry.SQLState)
		}
	}
	assert.Equal(t, "moderator has not signed up", seen.Inserts[0].Skipped)
	assert.Equal(t, "member", seen.Rows["own"].Person)
	assert.Equal(t, "member has no session", seen.Rows["own"].Unready)
	assert.Nil(t, seen.Rows["own"].Answer)
	assert.True(t, seen.After.OK)
}

func TestASignInThatFailsTakesTheOldTokenAway(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failAuth = func(w http.ResponseWriter, kind, email string) bool {
		if kind != "sign-in" {
			return false
		}
		fail(w, 500, "the hook fails for moderators only")
		return true
	}
	seen := forumRun(t, s)
	assert.NotEmpty(t, seen.People["moderator"].ID)
	assert.Nil(t, seen.People["moderator"].Token)
	assert.Equal(t, "moderator has no session", seen.Rows["moderate"].Unready)
	assert.Zero(t, seen.Rows["own"].After, "others are not concerned")
}

func TestAnAnswerWithoutASessionIsNoToken(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failAuth = func(w http.ResponseWriter, kind, email string) bool {
		now := time.Now().UTC().Format(time.RFC3339)
		answer(w, 200, map[string]any{"id": "00000000-0000-4000-8000-00000000000a", "email": email, "created_at": now, "updated_at": now})
		return true
	}
	seen := forumRun(t, s)
	assert.True(t, seen.People["member"].SignUp.Answer.OK())
	assert.False(t, seen.People["member"].SignUp.Session)
	assert.Nil(t, seen.People["member"].Token)
	assert.Equal(t, "00000000-0000-4000-8000-00000000000a", seen.People["member"].ID)
}

func TestARowThatCannotBeWrittenIsTheCandidatesAndOthersGoOn(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum+`;
		create function nothing() returns trigger language plpgsql as 'begin return null; end';
		create trigger nothing before insert on posts for each row execute function nothing();
		create function refuse() returns trigger language plpgsql as 'begin raise exception ''no moderators here''; end';
		create trigger refuse before insert on member_roles for each row execute function refuse()`)
	seen := forumRun(t, s)
	require.NotNil(t, seen.Inserts[0].Failed)
	assert.Equal(t, "no moderators here (SQLSTATE P0001)", seen.Inserts[0].Failed.Error())
	assert.False(t, seen.Inserts[0].Present)
	require.NotNil(t, seen.Rows["own"].Failed)
	assert.Contains(t, seen.Rows["own"].Failed.Message, "the row was written to public.posts and is not there")
	assert.Empty(t, seen.Rows["own"].Trouble)
	assert.True(t, seen.Rows["promote"].Counted)
	require.NotNil(t, seen.Rows["promote"].OwnerRefused)
	assert.Equal(t, "P0001", seen.Rows["promote"].OwnerRefused.SQLState)
}

func TestAnAnswerThatNeverCameIsTrouble(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failREST = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodDelete {
			return false
		}
		connection, _, err := http.NewResponseController(w).Hijack()
		if assert.NoError(t, err) {
			connection.Close()
		}
		return true
	}
	seen := forumRun(t, s)
	assert.NotEmpty(t, seen.Rows["own"].Trouble)
	assert.Empty(t, seen.Rows["promote"].Trouble)
}

func TestAnAnswerThatRESTHasNoDatabaseIsTrouble(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failREST = func(w http.ResponseWriter, _ *http.Request) bool {
		answer(w, 503, map[string]any{"code": "PGRST001", "message": "Database client error. Retrying the connection."})
		return true
	}
	seen := forumRun(t, s)
	assert.Contains(t, seen.Rows["own"].Trouble, "PGRST001")
}

func TestARequestThatTakesTooLongIsTrouble(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	s.failREST = func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}
	plan := forumPlan()
	plan.Rows = plan.Rows[:1]
	seen, err := runner.Run(t.Context(), runner.Config{Target: s.target(), Plan: plan, RequestTimeout: 300 * time.Millisecond})
	require.NoError(t, err)
	assert.Contains(t, seen.Rows["own"].Trouble, "deadline exceeded")
}

// The server of this test is its own, because it is killed.
func TestPostgresDyingMidRunIsTroubleFromThenOnOnly(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, postgres.Config{})
	s := fakeStackOn(t, server, "postgres", forum)
	s.failREST = func(w http.ResponseWriter, r *http.Request) bool {
		// The insert comes after the three deletes.
		if r.Method != http.MethodPost {
			return false
		}
		if err := server.Stop(context.WithoutCancel(r.Context())); err != nil {
			t.Errorf("stop postgres: %s", err)
		}
		answer(w, 500, map[string]any{"code": "57P01", "message": "terminating connection"})
		return true
	}
	seen := forumRun(t, s)
	assert.True(t, seen.Before.OK)
	assert.Empty(t, seen.Rows["moderate"].Trouble, "what was seen before still counts")
	assert.True(t, seen.Rows["moderate"].Counted)
	assert.Contains(t, seen.Rows["promote"].Trouble, "postgres is gone")
	assert.NotEmpty(t, seen.Rows["read"].Trouble)
	require.NotNil(t, seen.After)
	assert.False(t, seen.After.OK)
	assert.NotEmpty(t, seen.After.Postgres)
}

func TestAStackThatDoesNotAnswerIsNotProbed(t *testing.T) {
	t.Parallel()
	seen, err := runner.Run(t.Context(), runner.Config{
		Target: probes.Target{
			AuthURL: "http://127.0.0.1:1/auth/v1", RESTURL: "http://127.0.0.1:1/rest/v1",
			APIKey: "k", OwnerURL: "postgres://postgres:hunter2@127.0.0.1:1/postgres",
		},
		Plan: forumPlan(),
	})
	require.NoError(t, err)
	assert.False(t, seen.Before.OK)
	assert.NotEmpty(t, seen.Before.Postgres)
	assert.NotEmpty(t, seen.Before.Auth)
	assert.NotEmpty(t, seen.Before.REST)
	assert.Nil(t, seen.After)
	assert.Empty(t, seen.People)
}

func TestACancelledRunEndsWithItsCauseAndWhatItSaw(t *testing.T) {
	t.Parallel()
	s := newFakeStack(t, forum)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user pressed Ctrl-C")
	s.failREST = func(http.ResponseWriter, *http.Request) bool {
		cancel(stop)
		return false
	}
	seen, err := runner.Run(ctx, runner.Config{Target: s.target(), Plan: forumPlan()})
	require.ErrorIs(t, err, stop)
	require.NotNil(t, seen)
	assert.NotEmpty(t, seen.People["member"].ID)
	assert.Less(t, len(seen.Rows), len(forumPlan().Rows))
}

func TestABadConfigIsAnError(t *testing.T) {
	t.Parallel()
	_, err := runner.Run(t.Context(), runner.Config{Run: "x"})
	require.Error(t, err)
	for _, want := range []string{"no AuthURL", "no RESTURL", "no APIKey", "no OwnerURL", `run "x" is not eight hex digits`} {
		assert.ErrorContains(t, err, want)
	}
}
