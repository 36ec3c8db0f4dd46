package ground_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/attach/ground"
)

func TestADatabaseWithSomethingOfSomebodyIsNamedAndLeftAlone(t *testing.T) {
	t.Parallel()
	place := running(t)
	for name, test := range map[string]struct{ make, found, unmake string }{
		"a table":                   {"create table public.mine (id int)", "table public.mine", "drop table public.mine"},
		"a view":                    {"create view public.v as select 1", "view public.v", "drop view public.v"},
		"a function":                {"create function public.f() returns int language sql as 'select 1'", "function public.f()", "drop function public.f()"},
		"a type":                    {"create type public.mood as enum ('good')", "type public.mood", "drop type public.mood"},
		"a schema":                  {"create schema \"my app\"", "schema \"my app\"", "drop schema \"my app\""},
		"a policy on files":         {"create policy p on storage.objects using (true)", "policy p on storage.objects", "drop policy p on storage.objects"},
		"a person":                  {"insert into auth.users (id) values ('00000000-0000-4000-8000-00000000000a')", "1 in auth.users", "delete from auth.users"},
		"a bucket":                  {"insert into storage.buckets (id, name) values ('a', 'a')", "1 in storage.buckets", "set storage.allow_delete_query = true; delete from storage.buckets; reset storage.allow_delete_query"},
		"what was left by a killed": {"create schema supascore; create table public.notes ()", "schema supascore, table public.notes", "drop table public.notes; drop schema supascore"},
	} {
		sql(t, place, test.make)
		before := state(t, place)
		_, err := ground.Open(t.Context(), ground.Config{Place: place})
		require.ErrorContains(t, err, "it has "+test.found, name)
		var hinted interface{ Hint() string }
		require.ErrorAs(t, err, &hinted, name)
		assert.Regexp(t, "supabase init|supabase db reset", hinted.Hint(), name)
		assert.Empty(t, whatDiffers(before, state(t, place)), name)
		sql(t, place, test.unmake)
	}
	g := open(t, place)
	sql(t, place, "create table public.late ()")
	_, err := g.Enter(t.Context(), notes())
	var full *ground.NotEmptyError
	require.ErrorAs(t, err, &full, "also when it comes later")
	assert.Equal(t, []string{"table public.late"}, full.Found)
	sql(t, place, "drop table public.late; create role clerk")
	before := state(t, place)
	_, err = g.Enter(t.Context(), arena.Setup{Schema: "create table t (id int); create role clerk"})
	require.ErrorAs(t, err, &full, "also when the task makes what is there")
	assert.Contains(t, err.Error(), "role clerk, which schema.sql makes as well")
	assert.Empty(t, whatDiffers(before, state(t, place)))
}

func TestASetupThatDoesNotRunIsTakenBack(t *testing.T) {
	t.Parallel()
	place := running(t)
	g := open(t, place)
	before := state(t, place)
	_, err := g.Enter(t.Context(), arena.Setup{Schema: "create table t (id int); commit; select nothing"})
	var refused *arena.SQLError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "schema.sql:1:41: column \"nothing\" does not exist (SQLSTATE 42703)", refused.Error())
	assert.Empty(t, whatDiffers(before, state(t, place)))
	c, err := g.Enter(t.Context(), notes())
	require.NoError(t, err)
	require.NoError(t, c.Close(t.Context()))
}

func TestOnlyOneAtATimeGradesOnAStack(t *testing.T) {
	t.Parallel()
	place := running(t)
	first := open(t, place)
	_, err := ground.Open(t.Context(), ground.Config{Place: place})
	var busy *ground.BusyError
	require.ErrorAs(t, err, &busy)
	require.NoError(t, first.Close(t.Context()))
	open(t, place)
}

func TestARoleThatCannotLendItsDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	place := running(t)
	for user, want := range map[string]string{
		"supabase_admin":      "is a superuser, and candidates would be, too",
		"supabase_auth_admin": "does not own the database",
	} {
		other := place
		other.DBURL = strings.Replace(place.DBURL, "//postgres:", "//"+user+":", 1)
		_, err := ground.Open(t.Context(), ground.Config{Place: other})
		var role *ground.RoleError
		require.ErrorAs(t, err, &role, user)
		assert.Equal(t, want, role.Problem)
	}
}

func TestAStackOnAnotherMachineIsNeverUsed(t *testing.T) {
	t.Parallel()
	place := attach.Place{APIURL: "http://203.0.113.7", DBURL: "postgres://postgres:postgres@203.0.113.8:5432/postgres"}
	place.Keys.Publishable = "key"
	_, err := ground.Open(t.Context(), ground.Config{Place: place})
	var remote *ground.RemoteError
	require.ErrorAs(t, err, &remote)
	assert.Equal(t, []string{"203.0.113.7", "203.0.113.8"}, remote.Hosts)
}

// behind is the place with a gateway in front that treats requests as it likes; it
// returns false for those that it passes on.
func behind(t *testing.T, place attach.Place, treat func(w http.ResponseWriter, r *http.Request) bool) attach.Place {
	t.Helper()
	target, err := url.Parse(place.APIURL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !treat(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	place.APIURL = server.URL
	return place
}

func TestADataAPIThatTakesNoTokensOfTheSecretIsTold(t *testing.T) {
	t.Parallel()
	place := behind(t, running(t), func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/rest/v1/rpc/") {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"code":"PGRST301","message":"No suitable key or wrong key type"}`))
		return true
	})
	before := state(t, place)
	g := open(t, place)
	c, err := g.Enter(t.Context(), notes())
	require.NoError(t, err)
	_, err = c.Serve(t.Context(), false)
	var token *ground.TokenError
	require.ErrorAs(t, err, &token)
	assert.Contains(t, err.Error(), "401 {\"code\":\"PGRST301\"")
	assert.Contains(t, token.Hint(), "ES256")
	require.NoError(t, c.Close(t.Context()))
	assert.Empty(t, whatDiffers(before, state(t, place)))
}

func TestADataAPIWhoseSchemasAreFixedCallsAFunctionInPublic(t *testing.T) {
	t.Parallel()
	denied := running(t)
	sql(t, denied, "revoke set on parameter pgrst.db_schemas from postgres")
	deaf := behind(t, running(t), func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Content-Profile") != "supascore_api" {
			return false
		}
		w.WriteHeader(http.StatusNotAcceptable)
		_, _ = w.Write([]byte(`{"code":"PGRST106","message":"Invalid schema: supascore_api"}`))
		return true
	})
	for name, place := range map[string]attach.Place{"the setting is not allowed": denied, "the setting is not read": deaf} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := ground.Open(t.Context(), ground.Config{Place: place, Reload: 2 * time.Second})
			require.NoError(t, err)
			c, err := g.Enter(t.Context(), notes())
			require.NoError(t, err)
			api, err := c.Serve(t.Context(), false)
			require.NoError(t, err)
			assert.Equal(t, "public", api.Schema)
			assert.Regexp(t, "^supascore_run_[0-9a-f]{8}$", api.Run)
			require.NoError(t, c.Close(t.Context()))
			require.NoError(t, g.Close(t.Context()))
		})
	}
}

func TestADataAPIThatTakesNothingOverIsTold(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	place := behind(t, running(t), func(w http.ResponseWriter, r *http.Request) bool {
		stale := strings.HasPrefix(r.URL.Path, "/rest/v1/rpc/")
		if stale && asked.Add(1) > 1 {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done() // the time is over in the middle of a request
			return true
		}
		if stale {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"code":"PGRST202","message":"Could not find the function"}`))
		}
		return stale
	})
	g, err := ground.Open(t.Context(), ground.Config{Place: place, Reload: time.Second})
	require.NoError(t, err)
	c, err := g.Enter(t.Context(), notes())
	require.NoError(t, err)
	_, err = c.Serve(t.Context(), false)
	var stale *ground.APIError
	require.ErrorAs(t, err, &stale)
	assert.Contains(t, stale.Answer, "404 {\"code\":\"PGRST202\"")
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, g.Close(t.Context()))
}
