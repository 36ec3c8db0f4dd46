package supascore_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/rest"
	"github.com/supascore/supascore/tasks"
)

// apart is an engine whose servers are reached over the network, and whose requests'
// transactions last: what the real executables are, without being them.
type apart struct{}

func (apart) Name() string { return "apart" }

func (apart) StartREST(ctx context.Context, env map[string]string) (arena.Server, error) {
	cfg, err := rest.FromEnv(env)
	if err != nil {
		return nil, err
	}
	server, err := rest.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return newSite(server, server.Stop)
}

func (apart) StartAuth(ctx context.Context, env map[string]string) (arena.Server, error) {
	cfg, err := auth.FromEnv(env)
	if err != nil {
		return nil, err
	}
	server, err := auth.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return newSite(server, server.Stop)
}

// site is a server behind an address of its own.
type site struct {
	http.Handler
	address *httptest.Server
	stop    func(context.Context) error
}

func newSite(server http.Handler, stop func(context.Context) error) (arena.Server, error) {
	address := httptest.NewServer(server)
	target, err := url.Parse(address.URL)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.URL.RawQuery = r.In.URL.RawQuery
	}}
	return &site{proxy, address, stop}, nil
}

func (s *site) Version() string { return "1.2.3" }

func (s *site) Stop(ctx context.Context) error {
	s.address.Close()
	return s.stop(ctx)
}

// apartGrader is a grader on that engine.
func apartGrader(t testing.TB) *supascore.Grader {
	t.Helper()
	a, err := arena.New(arena.Config{Engine: apart{}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return supascore.NewGrader(a)
}

// answersOf are the wrong and right answers to a task that are known.
func answersOf(task *tasks.Task) []tasks.NamedSQL {
	list := append([]tasks.NamedSQL{{Name: "solution.sql", SQL: task.Solution}}, task.TrapFiles...)
	return append(list, supascore.Baselines()...)
}

// volatile finds what is new each time: moments, ids that are made up, and the numbers
// above 1000 that T029's sequence gives out, which a transaction that is undone does not
// give back.
var volatile = regexp.MustCompile(`\b10\d\d\b|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.\d]*(\+\d\d(:\d\d)?)?|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// steady takes out of an observation what is new each time.
func steady(o probes.RLSObservation) probes.RLSObservation {
	o.Timing = probes.Timing{}
	plain := func(rows []string) []string {
		var out []string
		for _, row := range rows {
			out = append(out, volatile.ReplaceAllString(row, "*"))
		}
		slices.Sort(out)
		return out
	}
	o.Changes = slices.Clone(o.Changes)
	for i, c := range o.Changes {
		o.Changes[i].Removed, o.Changes[i].Added = plain(c.Removed), plain(c.Added)
	}
	return o
}

func TestWhatIsSeenFromOutsideIsWhatIsSeenFromWithin(t *testing.T) {
	t.Parallel()
	within, outside := newGrader(t), apartGrader(t)
	// Set-ups, partitions, and functions that write and number what they write.
	for _, id := range []string{"T016", "T018", "T029"} {
		task := builtin(t, id)
		for _, candidate := range answersOf(task) {
			sameFromOutside(t, within, outside, task, candidate)
		}
	}
}

// sameFromOutside grades a candidate on both graders, holds the observations of the Data
// API against each other and returns those from outside by test.
func sameFromOutside(t *testing.T, within, outside *supascore.Grader, task *tasks.Task, candidate tasks.NamedSQL) map[string]probes.RLSObservation {
	t.Helper()
	var seen [2]*supascore.TaskGrade
	for i, g := range []*supascore.Grader{within, outside} {
		var err error
		seen[i], err = g.Grade(t.Context(), task, candidate, supascore.GradeOptions{
			KeepRun: true, Paths: []probes.RLSPath{probes.RLSPathAPI},
		})
		require.NoError(t, err, "%s %s", task.ID, candidate.Name)
	}
	assert.Equal(t, seen[0].Verdict, seen[1].Verdict, "%s %s", task.ID, candidate.Name)
	if seen[0].Run == nil {
		assert.Nil(t, seen[1].Run)
		return nil
	}
	byTest := map[string]probes.RLSObservation{}
	for i, o := range seen[1].Run.Observations {
		assert.Equal(t, steady(seen[0].Run.Observations[i]), steady(o), "%s %s", task.ID, candidate.Name)
		byTest[o.Test] = o
	}
	return byTest
}

func TestSetUpsAndTheOwnersQueriesAreTheSameFromOutside(t *testing.T) {
	t.Parallel()
	task := pathsTask(t, `
  - {id: claims, as: alice, rules: [R2], query: "delete from notes where id = 1", expect: {affected: 1}, after: {query: "select auth.uid(), auth.jwt() ->> 'role'", rows: [["00000000-0000-4000-8000-00000000000a", authenticated]]}}
  - {id: set-up, as: alice, rules: [R1], setup: "insert into notes (id, owner) values (8, '00000000-0000-4000-8000-00000000000a')", query: "select id from notes where id > 3", expect: {rows: [[8]]}}
  - {id: undone, as: alice, rules: [R1], query: "select id from notes", expect: {rows: [[1], [3]]}}
  - {id: set-up-write, as: alice, rules: [R1], setup: "delete from notes where id = 3", query: "update notes set body = 'z'", expect: {affected: 1}, after: {query: select count(*) from notes, count: 2}}
  - {id: set-up-fails, as: alice, rules: [R1], setup: "insert into notes (id) values (1)", query: "select id from notes", expect: {rows: []}}
  - {id: refused, as: alice, rules: [R2], query: "insert into notes (id, owner) values (7, '00000000-0000-4000-8000-00000000000b')", expect: {denied: true}, after: {query: select count(*) from notes, count: 3}}
  - {id: late, as: alice, rules: [R2], query: "insert into late values (1)", expect: {denied: error}}
  - {id: broken-look, as: alice, rules: [R2], query: "delete from notes where id = 1", expect: {affected: 1}, after: {query: select 1 / 0, count: 1}}
  - {id: statements, as: alice, rules: [R2], query: ["delete from notes where id = 1", "select id from notes"], expect: {rows: [[3]]}}
`)
	task.Schema += `; create table late (id int references notes deferrable initially deferred, more int);
		alter table late add unique (more) deferrable initially deferred;
		create function refuse_late() returns trigger language plpgsql as $$ begin raise exception 'at the end'; end $$;
		create constraint trigger refuse_late after insert on late deferrable initially deferred for each row execute function refuse_late();
		grant all on late to authenticated;`
	task.Hash += " changed"
	seen := sameFromOutside(t, newGrader(t), apartGrader(t), task, tasks.NamedSQL{Name: "solution.sql", SQL: task.Solution})
	assert.Equal(t, [][]any{{"00000000-0000-4000-8000-00000000000a", "authenticated"}}, seen["claims"].After.Table.Rows)
	assert.Len(t, seen["claims"].Changes, 1)
	assert.Equal(t, int64(2), seen["undone"].Affected, "what the test before set up is gone")
	assert.Equal(t, "23505", seen["set-up-fails"].SetupFailed.SQLState)
	assert.Nil(t, seen["set-up-fails"].Answer)
	assert.Equal(t, "42501", seen["refused"].Failed.SQLState)
	assert.Nil(t, seen["refused"].After)
	assert.Equal(t, "at the end", seen["late"].Failed.Message, "a real COMMIT asks what waits for it")
	assert.Empty(t, seen["late"].Changes)
	assert.Equal(t, "22012", seen["broken-look"].After.Failed.SQLState)
}

// gone is an engine whose Data API dies with the first request.
type gone struct{ apart }

func (g gone) StartREST(context.Context, map[string]string) (arena.Server, error) {
	return newSite(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(`{"message": "rest: ended: signal: killed"}`))
	}), func(context.Context) error { return nil })
}

func TestADataAPIThatDiesIsHeldAgainstNobody(t *testing.T) {
	t.Parallel()
	a, err := arena.New(arena.Config{Engine: gone{}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	task := builtin(t, "T002")
	_, err = supascore.NewGrader(a).Grade(t.Context(), task, tasks.NamedSQL{Name: "solution.sql", SQL: task.Solution}, supascore.GradeOptions{})
	assert.ErrorContains(t, err, "rest: ended: signal: killed")
	assert.ErrorContains(t, err, "cannot be judged")
}

func TestWhatCannotBeUndoneIsTheCandidatesError(t *testing.T) {
	t.Parallel()
	task := notesTask(t, nil)
	grade, err := apartGrader(t).Grade(t.Context(), task, tasks.NamedSQL{Name: "broken.sql", SQL: task.Solution + `;
		create function refuse() returns trigger language plpgsql as $$ begin
			if current_setting('session_replication_role') = 'replica' then raise exception 'not again'; end if;
			return new; end $$;
		create trigger refuse before insert on notes for each row execute function refuse();
		alter table notes enable always trigger refuse;`}, supascore.GradeOptions{})
	require.NoError(t, err)
	assert.Equal(t, score.Error, grade.Verdict)
	assert.Contains(t, grade.Reason, "wrote cannot be undone: the rows cannot be put back: not again")
}
