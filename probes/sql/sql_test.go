package sql_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/sql"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

const (
	alice = "00000000-0000-4000-8000-00000000000a"
	bob   = "00000000-0000-4000-8000-00000000000b"
)

// forum is a workspace's schema with two users.
const forum = `
	insert into auth.users (id, email) values ('` + alice + `', 'a@example.com'), ('` + bob + `', 'b@example.com');
	create type forum_role as enum ('moderator');
	create table posts (
		id bigint generated always as identity primary key,
		author_id uuid not null references auth.users (id) on delete cascade,
		body text not null,
		created_at timestamptz not null default now()
	);
	create table member_roles (
		member_id uuid not null references auth.users (id),
		role forum_role not null,
		primary key (member_id, role)
	);
	alter table posts enable row level security;
	alter table posts force row level security;
	alter table member_roles enable row level security;
`

// bundle is a database of its own with the forum in it.
type bundle struct {
	server   *postgres.Server
	database string
	db       *sql.DB
}

func setup(t *testing.T, more ...string) *bundle {
	t.Helper()
	server := postgrestest.Shared(t)
	b := &bundle{server: server, database: postgrestest.Database(t, server)}
	b.exec(t, "supabase_admin", forumAsOwner())
	for _, statement := range more {
		b.exec(t, "postgres", statement)
	}
	db, err := sql.New(server.URL("postgres", b.database), 5*time.Second)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close(context.Background())) })
	b.db = db
	return b
}

// forumAsOwner makes the users as a superuser and everything else as the owner.
func forumAsOwner() string { return "set role postgres;" + forum }

func (b *bundle) exec(t *testing.T, role, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.server.URL(role, b.database))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), statement)
	require.NoError(t, err)
}

func TestARowIsWrittenWithWhatItsTableNeeds(t *testing.T) {
	t.Parallel()
	b := setup(t, `
		create type mood as enum ('good', 'bad');
		create table wide (
			id uuid default gen_random_uuid() primary key,
			author_id uuid not null references auth.users (id),
			editor_id uuid not null references auth.users (id),
			title varchar(40) not null, score numeric not null, open boolean not null, day date not null,
			took interval not null, tags text[] not null, extra jsonb not null, feeling mood not null, other uuid not null,
			twice int generated always as (2) stored not null, maybe text
		)`)
	ctx := t.Context()
	given := map[string]any{"author_id": bob}
	complete, err := b.db.Complete(ctx, "public.wide", given, []string{alice, bob})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"author_id": bob}, given, "the given row stays as it is")
	assert.Equal(t, alice, complete["editor_id"], "a column that refers to a user gets one")
	assert.Equal(t, "good", complete["feeling"])
	for _, column := range []string{"id", "twice", "maybe"} {
		assert.NotContains(t, complete, column, "only what is needed")
	}

	key, refused, err := b.db.Insert(ctx, "public.wide", complete)
	require.NoError(t, err)
	require.Nil(t, refused)
	require.Len(t, key, 1)
	count, refused, err := b.db.Count(ctx, "public.wide", map[string]any{"id": key["id"], "author_id": bob})
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Equal(t, 1, count)
}

func TestKeysKeepTheirDigits(t *testing.T) {
	t.Parallel()
	b := setup(t, `create table big (id bigint primary key, "Odd ""name" text not null)`)
	key, refused, err := b.db.Insert(t.Context(), "public.big", map[string]any{"id": int64(9007199254740993), `Odd "name`: "x"})
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Equal(t, map[string]string{"id": "9007199254740993"}, key)
	count, refused, err := b.db.Count(t.Context(), "public.big", map[string]any{"id": "9007199254740993", `Odd "name`: "x"})
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Equal(t, 1, count)
}

func TestATableWithoutAKeyIsKnownByTheRow(t *testing.T) {
	t.Parallel()
	b := setup(t, `create table loose (a int, b text)`)
	key, refused, err := b.db.Insert(t.Context(), "public.loose", map[string]any{"a": 1, "b": "x"})
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Equal(t, map[string]string{"a": "1", "b": "x"}, key)
}

func TestAConflictWritesNothingAndIsNoError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := map[string]any{"member_id": alice, "role": "moderator"}
	key, refused, err := b.db.Insert(t.Context(), "public.member_roles", row)
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Equal(t, map[string]string{"member_id": alice, "role": "moderator"}, key)
	key, refused, err = b.db.Insert(t.Context(), "public.member_roles", row)
	require.NoError(t, err)
	assert.Nil(t, refused)
	assert.Nil(t, key)
	count, _, err := b.db.Count(t.Context(), "public.member_roles", row)
	require.NoError(t, err)
	assert.Equal(t, 1, count)
}

// The enum is widened and the member holds another role: that is no moderator row.
func TestOnlyRowsWithTheAskedValuesAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, `alter type forum_role add value 'member'`, `insert into member_roles values ('`+alice+`', 'member')`)
	count, refused, err := b.db.Count(t.Context(), "public.member_roles", map[string]any{"member_id": alice, "role": "moderator"})
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Zero(t, count)
}

func TestTheOwnerCountsRowsThatForcedRowLevelSecurityHides(t *testing.T) {
	t.Parallel()
	b := setup(t) // posts forces row level security on its owner and has no policy
	complete, err := b.db.Complete(t.Context(), "public.posts", map[string]any{"author_id": alice}, nil)
	require.NoError(t, err)
	key, refused, err := b.db.Insert(t.Context(), "public.posts", complete)
	require.NoError(t, err)
	require.Nil(t, refused)
	count, refused, err := b.db.Count(t.Context(), "public.posts", map[string]any{"id": key["id"]})
	require.NoError(t, err)
	require.Nil(t, refused)
	assert.Equal(t, 1, count)
}

func TestWhatPostgresRefusesIsAnObservation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	for _, test := range []struct {
		name, table string
		row         map[string]any
		state       string
	}{
		{"a table that is gone", "public.gone", map[string]any{"a": 1}, "42P01"},
		{"a column that is gone", "public.posts", map[string]any{"gone": 1}, "42703"},
		{"a label that is gone", "public.member_roles", map[string]any{"member_id": alice, "role": "king"}, "22P02"},
		{"nobody's row", "public.member_roles", map[string]any{"member_id": "00000000-0000-4000-8000-0000000000ff", "role": "moderator"}, "23503"},
	} {
		_, refused, err := b.db.Insert(ctx, test.table, test.row)
		require.NoError(t, err, test.name)
		require.NotNil(t, refused, test.name)
		assert.Equal(t, test.state, refused.SQLState, test.name)
		assert.Contains(t, refused.Error(), test.state)
	}
	_, refused, err := b.db.Count(ctx, "public.gone", map[string]any{"a": 1})
	require.NoError(t, err)
	require.NotNil(t, refused)
	assert.Equal(t, "42P01", refused.SQLState)
	complete, err := b.db.Complete(ctx, "public.gone", map[string]any{"a": 1}, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": 1}, complete)
}

func TestTryingARowLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	b := setup(t, `create table checked (id int primary key, n int check (n > 0), ref int references checked deferrable initially deferred)`)
	ctx := t.Context()
	for _, test := range []struct {
		row   map[string]any
		state string
	}{
		{map[string]any{"id": 1, "n": 1}, ""},
		{map[string]any{"id": 1, "n": 0}, "23514"},
		{map[string]any{"id": 1, "n": 1, "ref": 9}, "23503"},
		{map[string]any{"id": 1, "x": 1}, "42703"},
	} {
		refused, err := b.db.CanInsert(ctx, "public.checked", test.row)
		require.NoError(t, err)
		if test.state == "" {
			assert.Nil(t, refused)
		} else if assert.NotNil(t, refused, test.state) {
			assert.Equal(t, test.state, refused.SQLState)
		}
	}
	count, _, err := b.db.Count(ctx, "public.checked", map[string]any{"id": 1})
	require.NoError(t, err)
	assert.Zero(t, count)
}

func TestAValueIsNeverSQL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := map[string]any{"author_id": alice, "body": `'); drop table posts; --`}
	key, refused, err := b.db.Insert(t.Context(), "public.posts", row)
	require.NoError(t, err)
	require.Nil(t, refused)
	count, _, err := b.db.Count(t.Context(), "public.posts", map[string]any{"id": key["id"], "body": row["body"]})
	require.NoError(t, err)
	assert.Equal(t, 1, count)
	_, refused, err = b.db.Count(t.Context(), `public.posts"; drop table posts; --`, row)
	require.NoError(t, err)
	require.NotNil(t, refused)
	assert.Equal(t, "42P01", refused.SQLState)
}

// A candidate owns schema public, and could put a count of its own before the real
// one if names were looked up there.
func TestFunctionsOfTheCandidateDoNotStandInForPostgresOwn(t *testing.T) {
	t.Parallel()
	b := setup(t,
		`create function public.jsonb_populate_record(anyelement, jsonb) returns anyelement language sql as 'select null'`,
		`do $$ begin execute format('alter role postgres in database %I set search_path = public, pg_catalog', current_database()); end $$`)
	row := map[string]any{"member_id": alice, "role": "moderator"}
	_, refused, err := b.db.Insert(t.Context(), "public.member_roles", row)
	require.NoError(t, err)
	require.Nil(t, refused)
	count, _, err := b.db.Count(t.Context(), "public.member_roles", row)
	require.NoError(t, err)
	assert.Equal(t, 1, count)
}

func TestABrokenConnectionIsMadeAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Empty(t, b.db.Alive(t.Context()))
	b.exec(t, "supabase_admin", `select pg_terminate_backend(pid) from pg_stat_activity
		where application_name = 'supascore probes' and datname = current_database()`)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Empty(c, b.db.Alive(t.Context()))
	}, 5*time.Second, 20*time.Millisecond)
}

func TestADatabaseThatIsNotThereIsSaidToBeDeadWithoutItsPassword(t *testing.T) {
	t.Parallel()
	db, err := sql.New("postgres://postgres:hunter2@127.0.0.1:1/postgres", time.Second)
	require.NoError(t, err)
	problem := db.Alive(t.Context())
	assert.Contains(t, problem, "connect to the database as its owner")
	assert.NotContains(t, problem, "hunter2")
	_, _, err = db.Insert(t.Context(), "public.posts", map[string]any{"a": 1})
	assert.Error(t, err, "no connection is no refusal")

	_, err = sql.New("postgres://postgres:hunter2@[bad", time.Second)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestAStatementThatRunsTooLongIsARefusal(t *testing.T) {
	t.Parallel()
	b := setup(t, `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(30); return new; end'`,
		`create trigger slow before insert on member_roles for each row execute function slow()`)
	db, err := sql.New(b.server.URL("postgres", b.database), 300*time.Millisecond)
	require.NoError(t, err)
	defer db.Close(context.Background())
	require.Empty(t, db.Alive(t.Context()))
	_, refused, err := db.Insert(t.Context(), "public.member_roles", map[string]any{"member_id": alice, "role": "moderator"})
	// Postgres' own limit and ours end at the same time; either way it ends.
	if err == nil {
		require.NotNil(t, refused)
		assert.Equal(t, "57014", refused.SQLState)
	}
}

func TestTheCatalogSaysWhoMayDoWhatOnATable(t *testing.T) {
	t.Parallel()
	b := setup(t,
		`grant select, delete on posts to authenticated`,
		`grant insert (body) on posts to anon`,
		`create policy own on posts for delete to authenticated using (author_id = (select auth.uid()))`,
		`create policy slow on posts as restrictive for all using (auth.uid() is not null) with check (false)`,
		`create function helper(who uuid) returns boolean language sql security definer as 'select true /* posts */'`,
		`create function lookup() returns bigint language sql as 'select count(*) from public.posts'`,
		`create function pinned() returns boolean language sql security definer set search_path = '' as 'select true'`,
	)
	seen := b.db.Catalog(t.Context(), []string{"public.posts", "public.gone"}, "public")
	require.Empty(t, seen.Trouble)

	table := seen.Tables["public.posts"]
	require.NotNil(t, table)
	assert.True(t, table.Exists)
	assert.True(t, table.RLS)
	assert.Equal(t, "postgres", table.Owner)
	assert.Equal(t, []string{"delete", "select"}, table.Grants["authenticated"])
	assert.Equal(t, []string{"insert"}, table.Grants["anon"])
	assert.True(t, table.Granted("authenticated", "delete"))
	assert.False(t, table.Granted("authenticated", "update"))
	assert.Equal(t, []probes.PolicyFacts{
		{Name: "own", Permissive: true, Command: "delete", Roles: []string{"authenticated"}, Using: "(author_id = ( SELECT auth.uid() AS uid))"},
		{Name: "slow", Permissive: false, Command: "all", Roles: []string{"public"}, Using: "(auth.uid() IS NOT NULL)", Check: "false"},
	}, table.Policies)

	gone := seen.Tables["public.gone"]
	require.NotNil(t, gone)
	assert.False(t, gone.Exists)
	assert.Empty(t, gone.Policies)

	functions := map[string]probes.FunctionFacts{}
	for _, function := range seen.Functions {
		functions[function.Name] = function
	}
	assert.Equal(t, probes.FunctionFacts{
		Schema: "public", Name: "helper", Arguments: "who uuid", Returns: "boolean", Language: "sql", Definer: true,
	}, functions["helper"])
	assert.True(t, functions["pinned"].SearchPath)
	assert.Equal(t, []string{"public.posts"}, functions["lookup"].Mentions)
}

const hookFunction = `
	create function public.custom_hook(event jsonb) returns jsonb language plpgsql stable as $$
	declare found text;
	begin
		-- user_roles is not read here, whatever this comment says
		select role into found from public.member_roles where member_id = (event ->> 'user_id')::uuid;
		return event;
	end $$;
	create table user_roles (id int);
	create table posts_archive (id int);
	revoke execute on function public.custom_hook(jsonb) from public;
`

func TestAHookIsLookedAtAsTheRoleThatRunsIt(t *testing.T) {
	t.Parallel()
	config := probes.HookConfig{Enabled: true, Schema: "public", Function: "custom_hook"}
	for _, test := range []struct {
		name    string
		more    []string
		change  func(config *probes.HookConfig)
		execute bool
		reads   []probes.HookRead
	}{
		{"nothing is granted", nil, nil, false, []probes.HookRead{{Table: "public.member_roles", RLS: true}}},
		{
			"everything is granted", []string{
				"grant execute on function custom_hook(jsonb) to supabase_auth_admin",
				"grant select on member_roles to supabase_auth_admin",
				"create policy hook on member_roles for select to supabase_auth_admin using (true)",
			}, nil, true, []probes.HookRead{{Table: "public.member_roles", Select: true, RLS: true, Policy: true}},
		},
		{
			"everything but a policy", []string{
				"grant execute on function custom_hook(jsonb) to supabase_auth_admin",
				"grant all on member_roles to supabase_auth_admin",
				"create policy other on member_roles for select to authenticated using (true)",
			}, nil, true, []probes.HookRead{{Table: "public.member_roles", Select: true, RLS: true}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, append([]string{hookFunction}, test.more...)...)
			seen := b.db.Hook(t.Context(), config)
			require.Empty(t, seen.Trouble)
			assert.True(t, seen.Checked)
			assert.True(t, seen.Exists)
			assert.True(t, seen.Callable)
			assert.Equal(t, []string{"custom_hook(event jsonb) returns jsonb"}, seen.Signatures)
			assert.Equal(t, test.execute, seen.Execute)
			assert.Equal(t, test.reads, seen.Reads)
		})
	}
}

func TestAHookThatIsNotThereIsReportedWithWhatCouldBeMeant(t *testing.T) {
	t.Parallel()
	b := setup(t, hookFunction, `create function wrong_arguments(a int, b int) returns jsonb language sql as 'select null::jsonb'`)
	seen := b.db.Hook(t.Context(), probes.HookConfig{Enabled: true, Schema: "public", Function: "custom_hooks"})
	require.Empty(t, seen.Trouble)
	assert.True(t, seen.Checked)
	assert.False(t, seen.Exists)
	assert.Equal(t, []string{"public.custom_hook"}, seen.Similar)

	seen = b.db.Hook(t.Context(), probes.HookConfig{Enabled: true, Schema: "public", Function: "wrong_arguments"})
	assert.True(t, seen.Exists)
	assert.False(t, seen.Callable)
	assert.Equal(t, []string{"wrong_arguments(a integer, b integer) returns jsonb"}, seen.Signatures)

	seen = b.db.Hook(t.Context(), probes.HookConfig{Enabled: true, URI: "https://example.com/hook"})
	assert.False(t, seen.Checked, "only functions are in the database")
}
