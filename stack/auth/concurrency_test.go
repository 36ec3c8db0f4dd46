package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth"
)

// claimsHook adds a claim, as most projects' hooks do.
const claimsHook = `
	create function public.custom_access_token_hook(event jsonb) returns jsonb language sql stable as
		$$ select jsonb_set(event, '{claims,user_role}', '"admin"') $$;
	grant execute on function public.custom_access_token_hook to supabase_auth_admin;`

func hookEnv() map[string]string {
	return map[string]string{
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true",
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI":     "pg-functions://postgres/public/custom_access_token_hook",
	}
}

// realTime lets a server's clock go, for waits inside it.
func realTime(cfg *auth.Config) { cfg.Now = time.Now }

// fewConns leaves the server far fewer connections than it gets requests.
func fewConns(cfg *auth.Config) { cfg.MaxConns = 3 }

// together runs n functions at once and returns their replies.
func together(t *testing.T, n int, do func(i int) (reply, error)) []reply {
	t.Helper()
	replies := make([]reply, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			replies[i], err = do(i)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	return replies
}

func TestTwoHundredAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	const n = 200
	s := hookedSite(t, claimsHook, hookEnv(), fewConns, realTime)
	email := func(i int) string { return fmt.Sprintf("user%d@example.com", i) }

	users := map[string]bool{}
	sessions := make([]session, n)
	for i, r := range together(t, n, func(i int) (reply, error) {
		return s.try("POST", "/signup", "", in{"email": email(i), "password": goodPassword})
	}) {
		require.Equal(t, http.StatusOK, r.status, r.body)
		sessions[i] = r.session()
		users[sessions[i].id] = true
	}
	assert.Len(t, users, n)

	for i, r := range together(t, n, func(i int) (reply, error) {
		return s.try("POST", "/token?grant_type=password", "", in{"email": email(i), "password": goodPassword})
	}) {
		require.Equal(t, http.StatusOK, r.status, r.body)
		assert.Equal(t, sessions[i].id, r.session().id)
	}
	for i, r := range together(t, n, func(i int) (reply, error) {
		return s.try("POST", "/token?grant_type=refresh_token", "", in{"refresh_token": sessions[i].refresh})
	}) {
		require.Equal(t, http.StatusOK, r.status, r.body)
		assert.Equal(t, sessions[i].id, r.session().id)
		assert.NotEqual(t, sessions[i].refresh, r.session().refresh)
	}
	assert.Equal(t, n, value[int](s, `select count(*) from auth.users`))
	assert.Equal(t, 2*n, value[int](s, `select count(*) from auth.sessions`))
	assert.Equal(t, 3*n, value[int](s, `select count(*) from auth.refresh_tokens`))
	assert.Equal(t, n, value[int](s, `select count(*) from auth.refresh_tokens where revoked`))
}

func TestOneAddressIsTakenOnceByManySignUps(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, fewConns, realTime)
	won := 0
	for _, r := range together(t, 30, func(int) (reply, error) {
		return s.try("POST", "/signup", "", in{"email": "a@example.com", "password": goodPassword})
	}) {
		switch r.status {
		case http.StatusOK:
			won++
		case http.StatusUnprocessableEntity:
			assert.Equal(t, "user_already_exists", r.code())
		default: // Both had looked before either inserted: the unique index decides.
			assert.Equal(t, "23505", r.text("code"), r.body)
		}
	}
	assert.Equal(t, 1, won)
	assert.Equal(t, 1, value[int](s, `select count(*) from auth.users`))
	assert.Equal(t, 1, value[int](s, `select count(*) from auth.identities`))
}

func TestARefreshRaceHasOneWinner(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, claimsHook, hookEnv(), fewConns, realTime)
	first := s.join("a@example.com")
	given := map[string]bool{}
	for _, r := range together(t, 20, func(int) (reply, error) {
		for {
			got, err := s.try("POST", "/token?grant_type=refresh_token", "", in{"refresh_token": first.refresh})
			if err != nil || got.status != http.StatusConflict { // a busy machine: nobody got through in time
				return got, err
			}
		}
	}) {
		require.Equal(t, http.StatusOK, r.status, r.body)
		given[r.session().refresh] = true
	}
	assert.Len(t, given, 1, "everybody gets the token that the winner made")
	assert.Equal(t, 2, value[int](s, `select count(*) from auth.refresh_tokens`))
	assert.Equal(t, 1, value[int](s, `select count(*) from auth.refresh_tokens where not revoked`))
}

// lockingHook waits for the user's row of public.locked.
const lockingHook = `
	create table public.locked (user_id uuid primary key);
	create function public.custom_access_token_hook(event jsonb) returns jsonb
	language plpgsql security definer set search_path = '' as $$
	begin
		perform 1 from public.locked where user_id = (event ->> 'user_id')::uuid for update;
		return event;
	end $$;
	grant execute on function public.custom_access_token_hook to supabase_auth_admin;`

// lockOut makes the hook wait for a user, until the returned function is called.
func lockOut(s *site, user session) (release func()) {
	s.t.Helper()
	holder := s.connect("postgres")
	_, err := holder.Exec(s.t.Context(), `insert into public.locked values ($1)`, user.id)
	require.NoError(s.t, err)
	tx, err := holder.Begin(s.t.Context())
	require.NoError(s.t, err)
	_, err = tx.Exec(s.t.Context(), `select 1 from public.locked for update`)
	require.NoError(s.t, err)
	return func() { require.NoError(s.t, tx.Rollback(context.Background())) }
}

func TestAHookThatWaitsForALockHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, lockingHook, hookEnv(), realTime,
		func(cfg *auth.Config) { cfg.Hooks.PostgresTimeout = 2 * patience }) // only the test ends the wait
	stuck, free := s.join("stuck@example.com"), s.join("free@example.com")
	release := lockOut(s, stuck)
	waiting := make(chan reply, 1)
	go func() {
		r, err := s.try("POST", "/token?grant_type=refresh_token", "", in{"refresh_token": stuck.refresh})
		assert.NoError(t, err)
		waiting <- r
	}()
	until(s, `select exists (select from pg_stat_activity
		where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock')`)
	for range 3 {
		r := s.refresh(free.refresh)
		require.Equal(t, http.StatusOK, r.status, r.body)
		free = r.session()
	}
	assert.Empty(t, waiting, "the hook still waits")
	release()
	assert.Equal(t, http.StatusOK, (<-waiting).status)
}

func TestAHookThatWaitsForALockEndsByItsTimeLimit(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, lockingHook, hookEnv(), realTime)
	stuck := s.join("stuck@example.com")
	release := lockOut(s, stuck)
	began := time.Now()
	r := s.refresh(stuck.refresh)
	assert.Equal(t, http.StatusInternalServerError, r.status)
	assert.Equal(t, "Error running hook URI: pg-functions://postgres/public/custom_access_token_hook", r.text("msg"))
	assert.GreaterOrEqual(t, time.Since(began), 2*time.Second)
	release()
	again := s.refresh(stuck.refresh)
	assert.Equal(t, http.StatusOK, again.status, "the failed refresh has not used up its token: %s", again.body)
}

func TestTheServerSurvivesARestartOfItsConnections(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, realTime)
	user := s.join("a@example.com")
	admin := s.connect("supabase_admin")
	for range 3 {
		_, err := admin.Exec(t.Context(), `select pg_terminate_backend(pid, 5000) from pg_stat_activity
			where datname = current_database() and usename = 'supabase_auth_admin'`)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, s.send("GET", "/user", user.access, nil).status)
		_, err = admin.Exec(t.Context(), `select pg_terminate_backend(pid, 5000) from pg_stat_activity
			where datname = current_database() and usename = 'supabase_auth_admin'`)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, s.signIn("a@example.com").status)
	}
}
