package ground_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach/ground"
)

// messy are candidates that leave more than policies behind.
func messy() map[string]string {
	return map[string]string{
		"a schema of helpers": `create schema private; create function private.mine(o uuid) returns boolean language sql as 'select o = auth.uid()';
			create policy p on notes using (private.mine(owner)); revoke all on schema private from public; grant usage on schema private to authenticated`,
		"odd names": `create schema "my ""schema"; create table "my ""schema"."a, b" ("c ""d" int primary key, e text unique); create function "my ""schema"."f g"(int, text) returns int language sql as 'select 1';
			create policy "p "" q" on "my ""schema"."a, b" to public using (true); create role "r ""o" nologin; grant select on "my ""schema"."a, b" to "r ""o"`,
		"types": `create type mood as enum ('good', 'bad'); create domain short as text check (length(value) < 9); create type pair as (a int, b mood);
			create type span as range (subtype = int4); alter table notes add mood mood default 'good'; create function f(pair, short) returns span language sql as 'select null::span';
			create aggregate total(int) (sfunc = int4pl, stype = int); create operator === (leftarg = int, rightarg = int, function = int4eq); create cast (text as mood) with inout as assignment;
			create collation plain from "C"; create text search configuration mine (copy = simple)`,
		"views and the like": `create view v as select * from notes; create materialized view m as select * from v; create unique index on m (id); create rule r as on update to v do instead nothing;
			create sequence s; create table part (id int, at date) partition by range (at); create table part_1 partition of part for values from ('2024-01-01') to ('2025-01-01'); create statistics st on id, owner from notes;
			create procedure p() language sql as 'select 1'; create index on notes (owner); alter table notes add constraint c check (id > 0)`,
		"policies on files": `create policy read on storage.objects for select to authenticated using (bucket_id = 'x'); create policy "all of it" on storage.buckets to anon using (true) with check (false);
			insert into storage.buckets (id, name) values ('x', 'x'); insert into storage.objects (bucket_id, name) values ('x', 'a/b.txt')`,
		"a trigger on people": `create function public.on_user() returns trigger language plpgsql security definer as 'begin insert into public.notes (owner) values (new.id); return new; end';
			create trigger on_user after insert on auth.users for each row execute function public.on_user();
			insert into auth.users (id, email) values ('00000000-0000-4000-8000-00000000000c', 'c@example.com')`,
		"default privileges": `alter default privileges in schema public revoke all on tables from anon, authenticated; alter default privileges revoke execute on functions from public;
			alter default privileges in schema public grant select on tables to public; alter default privileges for role postgres grant usage on schemas to anon with grant option; alter default privileges grant usage on types to anon`,
		"privileges on schemas": "revoke usage on schema public from public, anon; grant create on schema public to authenticated; grant usage on schema auth to public; comment on schema public is 'mine'",
		"roles": `create role friend login password 'x'; create role leader; grant leader to friend; grant friend to postgres; grant create on schema public to friend; create table leaders (id int); alter table leaders owner to friend;
			alter role anon set statement_timeout = '1s'; alter role anon set search_path = 'a b', public; alter role authenticated connection limit 3; alter default privileges for role friend grant select on tables to anon; grant select on notes to friend`,
		"its own role":         "alter role postgres set statement_timeout = '1h'; commit; alter role postgres password 'another'; alter role postgres in database postgres set work_mem = '1MB'",
		"the services' roles":  "alter role authenticator set pgrst.db_max_rows = '1'; commit; alter role authenticator password 'x'; commit; alter role service_role login; commit; alter role supabase_auth_admin noinherit password 'y'",
		"the database":         "alter database postgres set search_path = evil; grant create on database postgres to anon; create publication mine for table notes; alter publication supabase_realtime add table notes",
		"extensions":           "create extension hstore; create extension citext schema extensions; create table h (x hstore); select lo_from_bytea(0, 'x')",
		"a part of it":         "alter table notes enable row level security; commit; create table late (id int); commit; select 1/0",
		"other sessions ended": "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'postgres'; select pg_advisory_lock(1); listen pgrst; create temp table t (id int)",
		"the marker dropped":   "drop schema supascore cascade; create table supascore_left (id int)",
	}
}

func TestACandidateIsTakenAwayWithAllThatItMade(t *testing.T) {
	t.Parallel()
	place := running(t)
	g := open(t, place)
	before := state(t, place)
	for name, sql := range messy() {
		c, err := g.Enter(t.Context(), notes())
		require.NoError(t, err, name)
		err = c.Apply(t.Context(), "candidate.sql", sql)
		// Of some, PostgreSQL lets only a part through, by its version.
		if !slices.Contains([]string{"a part of it", "its own role", "the services' roles"}, name) {
			require.NoError(t, err, name)
			_, err := c.Changes(t.Context())
			if name != "the marker dropped" { // with what makes rows visible
				require.NoError(t, err, name)
			}
		}
		require.NoError(t, c.Close(t.Context()), name)
		require.Empty(t, whatDiffers(before, state(t, place)), name)
	}
	require.NoError(t, g.Close(t.Context()))
	_, err := ground.Open(t.Context(), ground.Config{Place: place})
	assert.NoError(t, err, "the next one finds an empty ground")
}

func TestWhatCannotBeTakenBackEndsItAndIsKnownToTheNextOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ sql, left string }{
		// What the superuser has granted to the owner, nobody else can grant again.
		"all that it was granted": {"drop owned by postgres cascade", "default privilege DELETE on tables in schema extensions"},
		"public made again":       {"drop schema public cascade; create schema public; create table other ()", "default privilege DELETE on tables in schema public"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := running(t)
			g := open(t, place)
			c, err := g.Enter(t.Context(), notes())
			require.NoError(t, err)
			require.NoError(t, c.Apply(t.Context(), "candidate.sql", test.sql))
			err = c.Close(t.Context())
			var undo *ground.UndoError
			require.ErrorAs(t, err, &undo)
			assert.Contains(t, err.Error(), "what the candidate did to the stack cannot be taken back: "+test.left)
			assert.Contains(t, undo.Hint(), "supabase db reset")
			for _, line := range undo.Left {
				assert.Contains(t, line, "by supabase_admin", "all else is as it was")
			}
			_, again := g.Enter(t.Context(), notes())
			assert.ErrorIs(t, again, err, "no other candidate gets in")

			require.NoError(t, g.Close(t.Context()))
			_, err = ground.Open(t.Context(), ground.Config{Place: place})
			var left *ground.LeftError
			require.ErrorAs(t, err, &left)
			assert.Contains(t, left.Hint(), "supabase db reset")
		})
	}
}
