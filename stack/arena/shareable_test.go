package arena_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/arena"
)

func TestSQLThatDefinesPoliciesAndCodeIsShareable(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"",
		"-- nothing but a comment",
		"create policy own on notes using (owner = auth.uid());\n-- the end",
		"/* one /* in */ another */ ALTER\n\tTABLE notes enable row level security;",
		"grant select on notes to authenticated; revoke all on notes from anon;",
		`alter table"notes" force row level security`,
		"create or replace function f() returns text language sql as $$ select 'begin; vacuum' $$",
		"do $$ begin execute 'grant select on notes to anon'; end $$",
		"create function f() returns void language plpgsql as $f$ begin perform 1; end $f$;",
		"create schema private; comment on schema private is 'begin';",
		"create unique index on notes (id);",
		"drop policy if exists a on notes",
		"create view mine with (security_invoker = on) as select * from notes",
		"alter table transactions enable row level security",
	} {
		assert.True(t, arena.Shareable(sql), sql)
	}
}

func TestSQLThatGivesValuesToSettingsOfItsOwnIsFound(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"select set_config('app.tenant', '1', true)", `perform "set_config"('a.b', 'c', false)`, "set app.tenant = 1", "SET LOCAL app . tenant TO 1",
		`set session "App".tenant = 1`, "create function f() returns int language sql set app.tenant = '1' as 'select 1'", "execute 'set' || ' app.x = 1'",
		"begin execute\nformat('x'); end",
	} {
		assert.True(t, arena.MakesSettings(sql), sql)
	}
	for _, sql := range []string{
		"grant execute on function f() to anon", "create trigger a before insert on notes for each row execute function f()", "execute procedure f()",
		"select has_function_privilege('anon', 'f()', 'EXECUTE')",
		"create function f() returns int language sql set search_path = '' as 'select 1'", "update notes set body = 'a.b'", "alter table notes alter id set not null",
		"current_setting('app.tenant', true)",
	} {
		assert.False(t, arena.MakesSettings(sql), sql)
	}
}

func TestSQLThatEndsTransactionsWritesRowsOrReachesOthersIsNotShareable(t *testing.T) {
	t.Parallel()
	policy := "create policy own on notes using (true);"
	for _, sql := range []string{
		"commit", "begin; " + policy + " commit;", policy + "end", "ROLLBACK", "start transaction; " + policy, "savepoint a", "prepare transaction 'x'",
		"/**/commit", "--\ncommit", policy + "/* */ --x\n /* /* */ */ commit",
		"insert into notes values (1)", "update notes set id = 1", "do $$ begin commit; end $$", "select pg_sleep(1)", "call p()", "with x as (select 1) select 1",
		"create table t (id int)", "create table t as select 1", "create materialized view v as select 1", "create temp view v as select 1",
		"alter type e add value 'x'", "create extension hstore", "create role r", "set role anon", "reset role", "discard all", "vacuum notes", "listen x", "lock notes",
		"create index concurrently i on notes (id)", "drop index Concurrently i",
		"create function f() returns int language sql set default_transaction_isolation = serializable as 'select 1'",
		"create function f() returns void language plpgsql as 'begin set transaction  isolation level serializable; end'",
		"create view v as select from supascore.barrier", "create view v as select from SupaScore.barrier", `create view v as select from u&"\0073upascore".barrier`,
		"create function f() returns void language plpgsql as 'begin alter  role postgres set work_mem = 1; end'",
		"(select 1)", "\\! true", "create policy \\gexec", "/* never ends", `"create" policy`, "create_policy x",
		strings.Repeat("grant select on notes to anon;", 1<<16),
	} {
		assert.False(t, arena.Shareable(sql), "%.200s", sql)
	}
}
