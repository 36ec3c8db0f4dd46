package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/stack/rest"
)

// seen is what a request knows of itself.
type seen struct {
	Role   string `json:"role"`
	Sub    string `json:"sub"`
	Tag    string `json:"tag"`
	Before string `json:"before"` // what was left of earlier requests
	Rows   int    `json:"rows"`
}

const isolationSQL = `
	create table public.notes (id int, owner uuid);
	insert into public.notes select n, ('00000000-0000-4000-8000-00000000000' || n % 5)::uuid from generate_series(1, 50) n;
	alter table public.notes enable row level security;
	create policy own on public.notes to authenticated using (owner = auth.uid());
	create function public.who(tag text) returns json language plpgsql volatile as $$
	declare before text := current_setting('app.tag', true);
	begin
	  perform set_config('app.tag', tag, true);
	  return json_build_object('role', current_user, 'sub', coalesce(auth.uid()::text, ''), 'tag', current_setting('app.tag'),
	    'before', coalesce(before, ''), 'rows', (select count(*) from public.notes));
	end $$;`

// TestNothingOfARequestReachesAnother sends requests of many callers over few connections and checks that each sees its
// own role, claims, rows and settings.
func TestNothingOfARequestReachesAnother(t *testing.T) {
	t.Parallel()
	a := serve(t, isolationSQL, func(c *rest.Config) { c.PoolSize = 3 })
	callers := []struct {
		who  caller
		want seen
	}{
		{nobody(), seen{Role: "anon"}},
		{as("anon"), seen{Role: "anon"}},
		{as("service_role"), seen{Role: "service_role", Rows: 50}},
	}
	for n := range 5 {
		id := fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", n)
		callers = append(callers, struct {
			who  caller
			want seen
		}{user(id), seen{Role: "authenticated", Sub: id, Rows: 10}})
	}
	const workers, each = 16, 625 // 10,000 requests
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			for i := range each {
				c := callers[(w+i)%len(callers)]
				want := c.want
				want.Tag = fmt.Sprintf("%d/%d", w, i)
				r, err := a.try(t.Context(), c.who, http.MethodPost, "/rpc/who", `{"tag":"`+want.Tag+`"}`)
				if err != nil {
					return err
				}
				var got seen
				if err := json.Unmarshal([]byte(r.body), &got); err != nil || got != want {
					return fmt.Errorf("%d: got %s, want %+v", r.status, r.body, want)
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
}

func TestARefusedRequestLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	a := serve(t, isolationSQL+`
		create table public.log (id int primary key);
		create function public.fail_after(tag text) returns void language plpgsql volatile as $$
		begin
		  perform set_config('app.tag', tag, true);
		  insert into public.log values (1);
		  raise exception 'no';
		end $$;`, func(c *rest.Config) { c.PoolSize = 1 })
	one := user("00000000-0000-4000-8000-000000000001")
	for range 3 {
		a.send(one, http.MethodPost, "/rpc/fail_after", `{"tag":"x"}`).refuses(400, "P0001")
		a.get(nobody(), "/log").answers(200, `[]`)
		var got seen
		r := a.send(nobody(), http.MethodPost, "/rpc/who", `{"tag":"y"}`)
		require.NoError(t, json.Unmarshal([]byte(r.body), &got), r.body)
		assert.Equal(t, seen{Role: "anon", Tag: "y"}, got)
	}
}

func TestManyRolesShareAConnectionUnderTheirOwnPolicies(t *testing.T) {
	t.Parallel()
	a := serve(t, isolationSQL, func(c *rest.Config) { c.PoolSize = 1 })
	// The same statement text each time: what is prepared for one role must not be used for the next.
	for range 5 {
		a.get(nobody(), "/notes?select=id&id=eq.6").answers(200, `[]`)
		a.get(user("00000000-0000-4000-8000-000000000001"), "/notes?select=id&id=eq.6").answers(200, `[{"id":6}]`)
		a.get(user("00000000-0000-4000-8000-000000000002"), "/notes?select=id&id=eq.6").answers(200, `[]`)
		a.get(as("service_role"), "/notes?select=id&id=eq.6").answers(200, `[{"id":6}]`)
	}
}

func TestMoreStatementsThanAConnectionKeepsAreAnswered(t *testing.T) {
	t.Parallel()
	a := serve(t, isolationSQL, func(c *rest.Config) { c.PoolSize = 1 })
	shape := func(n int) string {
		path := "/notes?select=id&id=in.(1)"
		for range n {
			path += "&id=gt.0"
		}
		return path
	}
	for n := range 300 {
		a.get(as("service_role"), shape(n)).answers(200, `[{"id":1}]`)
	}
	a.get(as("service_role"), shape(0)).answers(200, `[{"id":1}]`)
}
