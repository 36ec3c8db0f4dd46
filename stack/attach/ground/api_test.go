package ground_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach/ground"
)

// serving is a candidate that is served, before its first test.
func serving(t *testing.T, g *ground.Ground, candidate string) (*ground.Candidate, *ground.API) {
	t.Helper()
	c, err := g.Enter(t.Context(), notes())
	require.NoError(t, err)
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", candidate))
	_, err = c.Changes(t.Context())
	require.NoError(t, err)
	api, err := c.Serve(t.Context(), false)
	require.NoError(t, err)
	require.NoError(t, api.Begin(t.Context()))
	return c, api
}

// call sends a request as a role and returns the status and the body.
func call(t *testing.T, api *ground.API, role, method, path, body string) (int, string) {
	t.Helper()
	token, err := api.Token(map[string]any{"role": role, "sub": "00000000-0000-4000-8000-00000000000a"})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), method, api.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Apikey", api.Key)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := api.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}

func TestWhatRequestsWriteIsTakenBack(t *testing.T) {
	t.Parallel()
	place := running(t)
	g := open(t, place)
	before := state(t, place)
	c, api := serving(t, g, `
		create table log (at timestamptz default now(), what text);
		create function log() returns trigger language plpgsql as 'begin insert into log (what) values (tg_op); return null; end';
		create trigger log after insert or update or delete on notes for each statement execute function log();
		create table likes (note int references notes on delete cascade, n numeric check (n > 0));
		insert into likes values (1, 1.50), (2, 7); alter table likes add constraint small check (n < 5) not valid;
		create table days (day date, x int) partition by range (day); create table days_1 partition of days for values from ('2024-01-01') to ('2025-01-01');
		insert into days values ('2024-05-05', 1); create table empty (); insert into empty default values;
		grant all on all tables in schema public to service_role; grant all on all sequences in schema public to service_role`)
	start, err := c.StartRows(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"(1,1.50)", "(2,7)"}, start["public.likes"])
	for round := range 10 {
		status, body := call(t, api, "service_role", http.MethodPost, "/notes?select=id", `{"body": "new"}`)
		require.Equal(t, http.StatusCreated, status, body)
		status, _ = call(t, api, "service_role", http.MethodDelete, "/notes?id=eq.1", "")
		require.Equal(t, http.StatusNoContent, status)
		status, _ = call(t, api, "service_role", http.MethodPatch, "/days?x=eq.1", `{"x": 2}`)
		require.Equal(t, http.StatusNoContent, status)
		now, err := api.Look(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"(2,7)"}, now["public.likes"], "what hangs on the note is gone, too")
		assert.Len(t, now["public.log"], 2)

		require.NoError(t, api.Undo(t.Context()))
		now, err = api.Look(t.Context())
		require.NoError(t, err)
		assert.Equal(t, map[string][]string(start), now)
		owner, err := api.Owner(t.Context())
		require.NoError(t, err)
		var order string
		var next int
		require.NoError(t, owner.QueryRow(t.Context(), "select string_agg(id::text, ' '), (select last_value from notes_id_seq) from (select id from notes) n").Scan(&order, &next))
		assert.Equal(t, "1 2", order, "round %d", round)
		assert.Equal(t, 2, next, "sequences, too")
	}
	owner, err := api.Owner(t.Context())
	require.NoError(t, err)
	_, err = owner.Exec(t.Context(), "insert into likes values (1, 6)", pgx.QueryExecModeSimpleProtocol)
	assert.ErrorContains(t, err, "small", "the constraint is still there")
	require.NoError(t, c.Close(t.Context()))
	assert.Empty(t, whatDiffers(before, state(t, place)))
}
