package arena_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/rest"
)

const (
	alice = "00000000-0000-4000-8000-00000000000a"
	bob   = "00000000-0000-4000-8000-00000000000b"
)

// notes is a setup with two owners' notes.
func notes() arena.Setup {
	return arena.Setup{
		Expose: true,
		Schema: `create table notes (id int primary key, owner uuid, body text);
			create function is_owner(note int) returns boolean language sql stable as 'select owner = auth.uid() from notes where id = note';`,
		Seed: `insert into notes values (1, '` + alice + `', 'a'), (2, '` + bob + `', 'b');`,
	}
}

const policies = `alter table notes enable row level security;
	create policy own on notes for all to authenticated using (owner = (select auth.uid()));`

// newArena is an arena with one cluster, stopped when the test ends.
func newArena(t testing.TB) *arena.Arena {
	t.Helper()
	a, err := arena.New(arena.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return a
}

// enter clones the setup; the clone is closed when the test ends.
func enter(t testing.TB, a *arena.Arena, setup arena.Setup) *arena.Clone {
	t.Helper()
	c, err := a.Clone(t.Context(), setup)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return c
}

func TestACandidateRunsInItsOwnCopy(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	first := enter(t, a, notes())
	require.NoError(t, first.Apply(t.Context(), "candidate.sql", policies+"delete from notes"))
	require.NoError(t, first.Close(t.Context()))

	second := enter(t, a, notes())
	require.NoError(t, second.Apply(t.Context(), "candidate.sql", policies))
	owner, err := second.Owner(t.Context())
	require.NoError(t, err)
	var count int
	require.NoError(t, owner.QueryRow(t.Context(), "select count(*) from notes").Scan(&count))
	assert.Equal(t, 2, count)
	changes, err := second.Changes(t.Context())
	require.NoError(t, err)
	assert.Empty(t, changes)
}

func TestTheDataAPIOfACloneUndoesWhatItIsShownDoing(t *testing.T) {
	t.Parallel()
	c := enter(t, newArena(t), notes())
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", policies))
	api, err := c.Serve(t.Context(), false)
	require.NoError(t, err)
	token, err := api.Token(map[string]any{"role": "authenticated", "sub": alice})
	require.NoError(t, err)

	var seen arena.Rows
	ctx := rest.WithObserver(t.Context(), rest.Observer{
		Before: func(ctx context.Context, conn *pgconn.PgConn) error {
			return conn.ExecParams(ctx, "select supascore.owner_run($1)",
				[][]byte{[]byte("insert into notes values (3, '" + alice + "', 'c')")}, nil, nil, nil).Read().Err
		},
		After: []rest.Statement{{SQL: "select supascore.look()"}},
		Seen: func(answers [][][][]byte, err error) {
			require.NoError(t, err)
			seen, err = arena.ParseRows(answers[0][0][0])
			require.NoError(t, err)
		},
	})
	answer := request(t, ctx, api, token, http.MethodDelete, "/notes?id=gt.0", "")
	assert.Equal(t, http.StatusNoContent, answer.status, answer.body)
	assert.Equal(t, []string{"(2," + bob + ",b)"}, seen["public.notes"], "her two notes are gone before the end")

	answer = request(t, t.Context(), api, token, http.MethodGet, "/notes?select=id", "")
	assert.JSONEq(t, `[{"id":1}]`, answer.body, "and back after it, without the one that was set up")
	answer = request(t, ctx, api, token, http.MethodGet, "/notes?select=id&order=id", "")
	assert.JSONEq(t, `[{"id":1},{"id":3}]`, answer.body, "a read sees what is set up")
}

type answer struct {
	status int
	body   string
}

func request(t *testing.T, ctx context.Context, api *arena.API, token, method, path, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, api.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Apikey", api.Key)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := api.RoundTrip(r)
	require.NoError(t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answer{resp.StatusCode, string(text)}
}

func BenchmarkClone(b *testing.B) {
	a := newArena(b)
	var total arena.Timing
	for b.Loop() {
		c, err := a.Clone(b.Context(), notes())
		require.NoError(b, err)
		require.NoError(b, c.Apply(b.Context(), "candidate.sql", policies))
		_, err = c.Changes(b.Context())
		require.NoError(b, err)
		_, err = c.Serve(b.Context(), false)
		require.NoError(b, err)
		total.Copy += c.Timing.Copy
		total.Apply += c.Timing.Apply
		total.Check += c.Timing.Check
		total.Serve += c.Timing.Serve
		require.NoError(b, c.Close(b.Context()))
	}
	n := float64(b.N) * 1e6
	b.ReportMetric(float64(total.Copy)/n, "copy-ms")
	b.ReportMetric(float64(total.Apply)/n, "apply-ms")
	b.ReportMetric(float64(total.Check)/n, "check-ms")
	b.ReportMetric(float64(total.Serve)/n, "serve-ms")
}

func TestASetupThatDoesNotRunSaysWhereAndWhy(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	for _, test := range []struct {
		setup arena.Setup
		want  string
	}{
		{arena.Setup{Schema: "create table a (id int);\ncreate tabel b ()"}, `schema.sql:2:8: syntax error at or near "tabel" (SQLSTATE 42601)`},
		{arena.Setup{Schema: "create table a (id int primary key)", Seed: "insert into a values (1), (1)"}, "seed.sql: duplicate key"},
		{arena.Setup{Schema: "create table a (id int)", Seed: "select 1;\ncopy a from stdin;"}, "seed.sql:2:1: COPY FROM STDIN has no data here"},
	} {
		_, err := a.Clone(t.Context(), test.setup)
		var wrong *arena.SQLError
		require.ErrorAs(t, err, &wrong)
		assert.ErrorContains(t, err, test.want)
	}
	enter(t, a, notes())
}

func TestRolesOfOneTaskAreNotMetByAnother(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	withRole := notes()
	withRole.Schema += "create role editor; grant editor to authenticator; grant select on notes to editor;"
	c := enter(t, a, withRole)
	session, err := c.Session(t.Context(), "editor")
	require.NoError(t, err)
	_, err = session.Exec(t.Context(), "set role editor")
	require.NoError(t, err)
	require.NoError(t, c.Close(t.Context()))
	again := enter(t, a, withRole)
	require.NoError(t, again.Close(t.Context()))

	other := notes()
	other.Schema += "create role editor;"
	c = enter(t, a, other)
	_, err = c.Session(t.Context(), "editor")
	require.NoError(t, err, "the other task's role of that name is its own")
}

func TestASessionCanBecomeOneRoleOnly(t *testing.T) {
	t.Parallel()
	c := enter(t, newArena(t), notes())
	for role, others := range map[string][]string{
		"anon": {"authenticated", "service_role", "postgres"}, "service_role": {"anon", "postgres", "supabase_admin"},
	} {
		session, err := c.Session(t.Context(), role)
		require.NoError(t, err)
		_, err = session.Exec(t.Context(), "set role "+role)
		require.NoError(t, err)
		for _, other := range others {
			_, err = session.Exec(t.Context(), "set role "+other)
			assert.ErrorContains(t, err, "permission denied to set role", "%s as %s", other, role)
		}
		_, err = session.Exec(t.Context(), "reset role")
		require.NoError(t, err)
		var user string
		require.NoError(t, session.QueryRow(t.Context(), "select current_user").Scan(&user))
		assert.Equal(t, "authenticator", user)
	}
}

func TestAProcessCannotTakeMoreMemoryThanIsAllowed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can bound the memory of another process")
	}
	a, err := arena.New(arena.Config{Limits: arena.Limits{Memory: 128 << 20}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	c := enter(t, a, notes())
	err = c.Apply(t.Context(), "candidate.sql", "select length(repeat('x', 300000000))")
	require.ErrorContains(t, err, "out of memory (SQLSTATE 53200)")
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", "select length(repeat('x', 30000000))"), "the session lives on")
}

func TestTheSeedCanComeAfterTheCandidate(t *testing.T) {
	t.Parallel()
	setup := notes()
	setup.SeedAfter = true
	a := newArena(t)
	c := enter(t, a, setup)
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", policies))
	rows, err := c.StartRows(t.Context())
	require.NoError(t, err)
	assert.Len(t, rows["public.notes"], 2)
	require.NoError(t, c.Close(t.Context()))
	c = enter(t, a, setup)
	err = c.Apply(t.Context(), "candidate.sql", "alter table notes add check (id < 2)")
	require.ErrorContains(t, err, "seed.sql: new row for relation", "a candidate that leaves no room for the seed")
}

func TestWhatACandidateDidBesidePoliciesIsFound(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	for sql, want := range map[string][]arena.Change{
		policies + "grant select on notes to anon; revoke all on notes from service_role;": nil,
		"create function f() returns int language sql as 'select 1'":                       {{Kind: "function", Name: "public.f()", How: "added"}},
		"create or replace function is_owner(note int) returns boolean language sql stable as 'select true'": {
			{Kind: "function", Name: "public.is_owner(integer)", How: "changed"},
		},
		"alter table notes add secret text": {{Kind: "column", Name: "public.notes.secret", How: "added"}},
		"alter table notes alter body type varchar(9)": {
			{Kind: "column", Name: "public.notes.body", How: "changed", Grave: true},
		},
		"alter table notes add secret text; update notes set body = 'x'": {
			{Kind: "column", Name: "public.notes.secret", How: "added"}, {Kind: "rows", Name: "public.notes", How: "changed", Grave: true},
		},
		"create view all_notes as select * from notes": {{Kind: "view", Name: "public.all_notes", How: "added"}},
		"update notes set body = 'x' where id = 1":     {{Kind: "rows", Name: "public.notes", How: "changed", Grave: true}},
		"alter default privileges in schema public revoke all on tables from anon": {
			{Kind: "default privileges", Name: "postgres public r", How: "changed"},
		},
	} {
		c := enter(t, a, notes())
		require.NoError(t, c.Apply(t.Context(), "candidate.sql", sql))
		changes, err := c.Changes(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, changes, sql)
		require.NoError(t, c.Close(t.Context()))
	}
}

func TestAnArenaTriesAsManyCandidatesAtATimeAsItHasClusters(t *testing.T) {
	t.Parallel()
	a, err := arena.New(arena.Config{Clusters: 2, Limits: arena.Limits{Templates: 1}})
	require.NoError(t, err)
	one, two := enter(t, a, notes()), enter(t, a, notes())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Clone(ctx, notes())
	require.ErrorIs(t, err, context.Canceled, "both clusters are in use")
	require.NoError(t, one.Close(t.Context()))
	other := notes()
	other.Seed = ""
	three := enter(t, a, other) // the only template of the cluster makes room
	require.NoError(t, three.Close(t.Context()))
	require.NoError(t, a.Stop(t.Context()))
	require.NoError(t, two.Apply(t.Context(), "candidate.sql", policies), "a clone outlives the arena until it is closed")
	require.NoError(t, two.Close(t.Context()))
	_, err = a.Clone(t.Context(), notes())
	require.ErrorIs(t, err, arena.ErrStopped)
	_, err = arena.New(arena.Config{Clusters: -1})
	require.ErrorContains(t, err, "-1 clusters are too few")
}
