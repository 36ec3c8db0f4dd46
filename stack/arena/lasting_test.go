package arena_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/arena"
)

// silent is an engine whose servers know nothing; dsn is where they would connect to.
type silent struct{ dsn chan string }

func (silent) Name() string { return "silent" }

func (s silent) StartREST(_ context.Context, env map[string]string) (arena.Server, error) {
	s.dsn <- env["PGRST_DB_URI"]
	return nobody{http.NotFoundHandler()}, nil
}

func (silent) StartAuth(context.Context, map[string]string) (arena.Server, error) {
	return nobody{http.NotFoundHandler()}, nil
}

type nobody struct{ http.Handler }

func (nobody) Version() string            { return "0" }
func (nobody) Stop(context.Context) error { return nil }

// lasting applies a candidate to the setup's clone, whose requests last from now on, and
// returns a session as the servers have.
func lasting(t *testing.T, setup arena.Setup, candidate string) (*arena.Clone, *arena.Lasting, *pgx.Conn) {
	t.Helper()
	engine := silent{make(chan string, 1)}
	a, err := arena.New(arena.Config{Engine: engine})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	c := enter(t, a, setup)
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", candidate))
	_, err = c.Changes(t.Context())
	require.NoError(t, err)
	api, err := c.Serve(t.Context(), false)
	require.NoError(t, err)
	require.NoError(t, api.Lasting().Begin(t.Context()))
	conn, err := pgx.Connect(t.Context(), <-engine.dsn)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close(context.Background())) })
	return c, api.Lasting(), conn
}

func TestWhatRequestsWroteIsTakenBackFromTablesOfEveryKind(t *testing.T) {
	t.Parallel()
	setup := arena.Setup{
		Expose: true,
		Schema: `
			create type mood as enum ('good', 'bad');
			create domain short as text check (length(value) < 9);
			create table always (id int generated always as identity primary key, name short, feels mood, "Odd ""Name""" int, gone int);
			alter table always drop column gone;
			create table computed (id int primary key, twice int generated always as (id * 2) stored);
			create table parent (id serial primary key, boss int references parent deferrable);
			create table child (id int primary key, parent int not null references parent on delete cascade);
			create table parts (id int, at date not null) partition by range (at);
			create table parts_a partition of parts for values from ('2024-01-01') to ('2025-01-01');
			create table parts_b partition of parts for values from ('2025-01-01') to ('2026-01-01');
			create table base (id int); create table derived (more text) inherits (base);
			create table nothing ();
			create table many (id int primary key, text text);
			create schema "Hidden"; create table "Hidden"."Table" (id int, doc jsonb, tags text[], raw bytea);
			create sequence tickets;
			create table log (line text);
			create function note() returns trigger language plpgsql as $$ begin insert into log values (tg_op); return null; end $$;
			create trigger note after insert or update or delete on always for each row execute function note();
			create table forced (id int); alter table forced enable row level security; alter table forced force row level security;`,
		Seed: `
			insert into always (name, feels, "Odd ""Name""") values ('a', 'good', 1), ('b', null, null);
			insert into computed values (1), (2);
			insert into parent (boss) values (null), (1); insert into child values (1, 1), (2, 2);
			insert into parts values (1, '2024-05-01'), (2, '2025-05-01');
			insert into base values (1); insert into derived values (2, 'x');
			insert into many select n, 'row ' || n from generate_series(1, 3000) n;
			insert into "Hidden"."Table" values (1, '{"a": [1, 2.50]}', '{x,"y z",null}', '\x00ff');
			select nextval('tickets'); insert into forced values (1);
			insert into auth.users (id, email) values ('` + alice + `', 'alice@example.com');
			insert into storage.buckets (id, name) values ('b', 'b'); insert into storage.objects (bucket_id, name) values ('b', 'f');`,
	}
	c, l, _ := lasting(t, setup, "alter table log enable row level security")
	start, err := c.StartRows(t.Context())
	require.NoError(t, err)
	for name, sql := range map[string]string{
		"inserts": `insert into always (name) values ('n'); insert into parent default values; insert into child values (9, 1);
			insert into parts values (9, '2025-02-02'); insert into base values (9); insert into derived values (9); insert into forced values (9);
			insert into many values (9999, 'x'); insert into computed values (9); insert into auth.users (id) values ('` + bob + `');
			insert into storage.objects (bucket_id, name) values ('b', 'g'); select nextval('tickets')`,
		"updates": `update always set name = 'z', feels = 'bad'; update computed set id = id + 10; update parent set boss = 2;
			update parts set at = at + interval '1 year' where at < '2025-01-01'; update base set id = id * 5; update many set text = 'y' where id = 2500;
			update "Hidden"."Table" set doc = null, tags = null, raw = null; update auth.users set email = 'x'; update storage.objects set name = 'h'`,
		"deletes":  `delete from always; delete from parent; delete from parts; delete from base; delete from many; delete from forced; delete from auth.users`,
		"truncate": `truncate parent, child, always, many restart identity cascade`,
		"sequence": `select setval('tickets', 1000)`,
	} {
		owner, err := l.Owner(t.Context())
		require.NoError(t, err)
		_, err = owner.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err, name)
		if name != "sequence" {
			now, err := l.Look(t.Context())
			require.NoError(t, err)
			assert.NotEqual(t, start, now, name)
		}
		require.NoError(t, l.Undo(t.Context()), name)
		now, err := l.Look(t.Context())
		require.NoError(t, err)
		assert.Equal(t, start, now, name)
		owner, err = l.Owner(t.Context())
		require.NoError(t, err)
		var ticket, parent, always int
		require.NoError(t, owner.QueryRow(t.Context(), `select (select last_value from tickets), (select last_value from parent_id_seq), (select last_value from always_id_seq)`).
			Scan(&ticket, &parent, &always))
		assert.Equal(t, []int{1, 2, 2}, []int{ticket, parent, always}, name)
	}
}

func TestRowsComeBackInTheOrderInWhichTheyWere(t *testing.T) {
	t.Parallel()
	setup := notes()
	setup.Seed += "insert into notes select n, null, repeat('x', 100) from generate_series(3, 5) n;"
	_, l, _ := lasting(t, setup, policies)
	for round := range 60 {
		owner, err := l.Owner(t.Context())
		require.NoError(t, err)
		_, err = owner.Exec(t.Context(), []string{
			"insert into notes values (100)", "update notes set body = 'y' where id = 1", "delete from notes where id = 4",
		}[round%3])
		require.NoError(t, err)
		require.NoError(t, l.Undo(t.Context()))
		var order string
		require.NoError(t, owner.QueryRow(t.Context(), "select string_agg(id::text, ' ') from (select id from notes) n").Scan(&order))
		require.Equal(t, "1 2 3 4 5", order, "round %d", round)
	}
}

func TestRowsArePutBackThatAConstraintWouldRefuse(t *testing.T) {
	t.Parallel()
	// The rows that are there were never held against it.
	c, l, _ := lasting(t, notes(), policies+"; alter table notes add constraint none check (id > 10) not valid;")
	start, err := c.StartRows(t.Context())
	require.NoError(t, err)
	for range 2 {
		owner, err := l.Owner(t.Context())
		require.NoError(t, err)
		_, err = owner.Exec(t.Context(), "delete from notes where id = 1")
		require.NoError(t, err)
		require.NoError(t, l.Undo(t.Context()))
		now, err := l.Look(t.Context())
		require.NoError(t, err)
		assert.Equal(t, start, now)
		_, err = owner.Exec(t.Context(), "insert into notes values (3)")
		assert.ErrorContains(t, err, `"none"`, "the constraint holds again")
	}
}

func TestCodeThatRefusesRowsRunsAsTheCandidateAndIsItsError(t *testing.T) {
	t.Parallel()
	c, l, _ := lasting(t, notes(), policies+`
		create function spy() returns trigger language plpgsql as $$ begin
			raise exception 'as %, superuser %', session_user, current_setting('is_superuser'); end $$;
		create trigger spy before insert on notes for each row execute function spy();
		alter table notes enable always trigger spy;`)
	owner, err := l.Owner(t.Context())
	require.NoError(t, err)
	_, err = owner.Exec(t.Context(), "delete from notes")
	require.NoError(t, err)
	var refused *arena.SQLError
	require.ErrorAs(t, l.Undo(t.Context()), &refused)
	assert.Equal(t, "the rows cannot be put back: as postgres, superuser off", refused.Message)
	assert.Equal(t, "P0001", refused.SQLState)
	require.NoError(t, c.Close(t.Context()))
}

func TestARequestThatGoesOnAfterItsClientGaveUpIsEnded(t *testing.T) {
	t.Parallel()
	c, l, conn := lasting(t, notes(), policies)
	start, err := c.StartRows(t.Context())
	require.NoError(t, err)
	running := make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		close(begun)
		_, err := conn.Exec(context.WithoutCancel(t.Context()), `begin; set local role authenticated; delete from notes;
			do $$ begin perform pg_sleep(60); exception when query_canceled then perform pg_sleep(60); end $$`, pgx.QueryExecModeSimpleProtocol)
		running <- err
	}()
	<-begun
	require.Eventually(t, func() bool {
		var active bool
		owner, err := l.Owner(t.Context())
		return err == nil && owner.QueryRow(t.Context(), `select exists (select from pg_stat_activity
			where datname = current_database() and usename = 'authenticator' and state = 'active')`).Scan(&active) == nil && active
	}, 30*time.Second, 5*time.Millisecond)
	require.NoError(t, l.Undo(t.Context()))
	require.Error(t, <-running)
	now, err := l.Look(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start, now)
}

func TestTheServersOfAnEngineLogInWithinTheLimits(t *testing.T) {
	t.Parallel()
	_, _, conn := lasting(t, notes(), policies)
	for setting, want := range map[string]string{
		"statement_timeout": "5s", "lock_timeout": "1s", "datestyle": "ISO, MDY", "search_path": `"$user", public, extensions`, "timezone": "UTC",
	} {
		var value string
		require.NoError(t, conn.QueryRow(t.Context(), "select current_setting($1)", setting).Scan(&value))
		assert.Equal(t, want, value, setting)
	}
	var may string
	require.NoError(t, conn.QueryRow(t.Context(), `select string_agg(rolname, ' ' order by rolname) from pg_roles
		where pg_has_role('authenticator', oid, 'member') and rolname <> 'authenticator'`).Scan(&may))
	assert.Equal(t, "anon authenticated service_role", may)
}
