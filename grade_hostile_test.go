package supascore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/tasks"
)

// hostile is a candidate that tries to get at the grader, the machine or others.
type hostile struct {
	name string
	// sql is the candidate; "{solution}" is the task's reference.
	sql     string
	verdict score.Verdict
	// says is a part of the reason, of a test's note, or of a change.
	says string
}

// hostiles are candidates that act when they are applied.
func hostiles() []hostile {
	return []hostile{
		{"sleeps", "select pg_sleep(60)", score.Error, "57014"},
		{"sleeps without a limit", "set statement_timeout = 0; select pg_sleep(60)", score.Error, "takes longer than"},
		{"recurses", "create function f(n int) returns int language plpgsql as 'begin return f(n + 1); end'; select f(1)", score.Error, "stack depth limit exceeded"},
		{"fills the memory", "select count(*) from (select array_agg(repeat('x', 1000) || g) from generate_series(1, 100000000) g) q", score.Error, ""},
		{"fills temporary files", "set work_mem = '64kB'; select max(x) from (select md5(g::text) x from generate_series(1, 100000000) g order by 1 offset 10) q", score.Error, ""},
		{"fills the disk", `set statement_timeout = 0; create table big (x text); alter table big alter x set storage external;
			insert into big select repeat(md5(g::text), 30000) from generate_series(1, 1000000) g`, score.Error, ""},
		{"runs a program", "copy notes to program 'true'", score.Error, "42501"},
		{"reads the server's files", "select pg_read_file('/etc/passwd')", score.Error, "42501"},
		{"writes the server's files", "copy notes to '/tmp/notes'", score.Error, "42501"},
		{"loads a library", "load '/tmp/x.so'", score.Error, ""},
		{"waits for data", "copy notes from stdin", score.Error, "COPY FROM STDIN has no data here"},
		{"speaks to psql", `\! true`, score.Error, "42601"},
		{"becomes a superuser", "alter role postgres superuser", score.Error, "42501"},
		{"makes a role", "create role friend login", score.Error, "42501"},
		{"lets visitors bypass policies", "alter role anon bypassrls", score.Error, "42501"},
		{"makes a database", "create database other", score.Error, "42501"},
		{"drops a database", "drop database postgres", score.Error, "42501"},
		{"goes to another database", "create extension postgres_fdw", score.Error, "42501"},
		{"makes an event trigger", "create function e() returns event_trigger language plpgsql as 'begin end'; create event trigger e on ddl_command_end execute function e()", score.Error, "42501"},
		{"replaces auth.uid", "create or replace function auth.uid() returns uuid language sql as 'select null::uuid'", score.Error, "42501"},
		{"drops the grader's schema", "drop schema supascore cascade", score.Error, "42501"},
		{"stops other sessions", "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()", score.Error, "42501"},
		{"eats memory in a loop", "do $$ declare a text[]; begin loop a := a || repeat('x', 10000000); end loop; end $$", score.Error, ""},
		{"asks for a value that is too large", "select length(repeat('x', 1000000000))", score.Error, "53200"},
		{"stores a value that is large when read", "{solution} insert into notes select 7, null, repeat('x', 200000000)", score.Error, ""},
		{"counts forever", "select count(*) from generate_series(1, 1e12)", score.Error, "SQLSTATE 5"},
		{"recurses in a query", "with recursive r as (select 1 as n union all select n + 1 from r) select count(*) from r", score.Error, ""},
		{"nests too deeply", "select " + strings.Repeat("(", 50000) + "1" + strings.Repeat(")", 50000), score.Error, "memory exhausted"},
		{"matches a pattern that takes long", `select repeat('a', 20000) ~ '(.*)(.*)(.*)\1\2\3b'`, score.Block, "42501"},
		{"makes more tables than fit", "do $$ begin for i in 1 .. 100000 loop execute 'create table t' || i || ' (id int primary key)'; end loop; end $$", score.Error, ""},
		{"prepares a transaction", "begin; {solution} prepare transaction 'mine'", score.Error, "55000"},
		{"imports a file", "select lo_import('/etc/passwd')", score.Error, "42501"},
		{"lists the server's files", "select pg_ls_dir('.')", score.Error, "42501"},
		{"changes the server's settings", "alter system set work_mem = '1GB'", score.Error, "42501"},
		{"writes a function in C", "create function f() returns int language c as '/tmp/x', 'f'", score.Error, "42501"},
		{"asks for a checkpoint", "checkpoint", score.Error, "42501"},
		{"grants its own role", "grant postgres to anon", score.Error, "42501"},
		{"grants the service role", "grant service_role to anon", score.Error, "42501"},
		{"makes another an owner", "{solution} grant create on schema public to anon; alter table notes owner to anon", score.Leak, "table public.notes changed"},
		{"grants the login role", "{solution} set role none; grant authenticator to anon", score.Error, "42501"},
		{"changes the login role", "{solution} set role none; alter role authenticator set search_path = evil", score.Error, "shared setting of authenticator"},
		{"changes the login role's password", "{solution} set role none; alter role authenticator password 'x'", score.Error, "shared role authenticator"},
		{"drops the grader's function", "{solution} drop function supascore.owner_rows(text)", score.Error, "function supascore.owner_rows(text) removed"},
		{"drops all it has", "drop owned by postgres cascade", score.Block, "42P01"},
		{"puts a view in the table's place", "{solution} alter table notes rename to kept; create view notes as select * from kept where owner = auth.uid(); grant select, insert on notes to authenticated", score.Leak, "table public.notes removed"},
		{"keeps its transaction open", "begin; {solution}", score.Error, "leaves a transaction open"},
		{"drops the table", "drop table notes", score.Block, "42P01"},
		{"switches policies off", "{solution} alter table notes disable row level security", score.Leak, "extra rows: id=2"},
		{"fails halfway", "{solution} commit; select 1/0", score.Error, "22012"},
		{"changes the seed", "{solution} update notes set owner = null where id = 2", score.Error, "rows public.notes changed"},
		{"changes its own role", "{solution} alter role postgres set statement_timeout = '1h'", score.Error, "shared setting of postgres"},
		{"changes its own password", "{solution} alter role postgres password 'x'", score.Error, "shared role postgres"},
		{"changes the database's settings", "{solution} do $$ begin execute format('alter database %I set search_path = evil', current_database()); end $$", score.Error, "setting of the database"},
		{"blinds the grader", "{solution} alter function supascore.owner_rows(text) security invoker", score.Error, "function supascore.owner_rows(text) changed"},
		{"floods listeners", "{solution} do $$ begin for i in 1 .. 20000 loop perform pg_notify('pgrst', 'reload schema' || i); end loop; end $$", score.Pass, ""},
		{"locks and leaves temporary things", "{solution} select pg_advisory_lock(1); create temp table notes (id int); set role anon; set search_path = pg_temp", score.Pass, ""},
		{"listens", "{solution} listen pgrst", score.Pass, ""},
		{"keeps large objects", "{solution} select lo_from_bytea(4711, 'x')", score.Pass, ""},
		{"takes triggers for replicated", "{solution} set session_replication_role = replica", score.Pass, ""},
		{"makes a table that stands before the other", "{solution} create schema authenticated; create table authenticated.notes (id int); insert into authenticated.notes values (9); grant usage on schema authenticated to public; grant select on authenticated.notes to public", score.Pass, "table authenticated.notes added"},
		{"installs an extension", "{solution} create extension hstore", score.Pass, "extension hstore added"},
		{"makes a table of its own", "{solution} create table helpers (id int); insert into helpers values (1)", score.Pass, "table public.helpers added"},
	}
}

// hostilePolicies are candidates that act when the tests run.
func hostilePolicies() []hostile {
	policy := func(condition string) string {
		return "alter table notes enable row level security; grant select, insert on notes to authenticated;" +
			"create policy add on notes for insert to authenticated with check (owner = auth.uid());" +
			"create policy own on notes for select to authenticated using (" + condition + ");"
	}
	function := func(body string) string {
		return "create function helper() returns boolean language plpgsql as $f$ begin " + body + " return true; end $f$;" +
			policy("helper() and owner = auth.uid()")
	}
	return []hostile{
		{"a policy sleeps", policy("pg_sleep(60) is not null"), score.Error, "57014"},
		{"a policy recurses", policy("exists (select from notes n where n.owner = auth.uid())"), score.Block, "42P17"},
		{"a policy forges claims", policy(`set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000b"}', true) is not null and owner = auth.uid()`), score.Leak, "id=2"},
		{"a policy becomes the service role", policy("set_config('role', 'service_role', true) is not null"), score.Leak, "permission denied to set role"},
		{"a helper becomes the service role", function("perform set_config('role', 'service_role', true);"), score.Block, "permission denied to set role"},
		{"a helper lifts the time limit and sleeps", function("perform set_config('statement_timeout', '0', false); perform pg_sleep(60);"), score.Error, "57014"},
		{"a helper recurses", function("perform helper();"), score.Error, "54001"},
		{"a helper drops what it can", function("drop schema if exists supascore cascade;"), score.Block, "42501"},
		{"a helper floods", function("for i in 1 .. 5000 loop perform pg_notify('x', i::text); end loop;"), score.Pass, ""},
		{"a helper ends its session", function("perform pg_terminate_backend(pg_backend_pid());"), score.Block, "42501"},
		{"a helper frees prepared statements", function("execute 'deallocate all'; perform set_config('search_path', 'nowhere', false);"), score.Pass, ""},
		{"a trusted helper grants everything", "create function helper() returns boolean language plpgsql security definer as $f$ begin " +
			"grant all on notes to anon; return true; end $f$;" + policy("helper() and owner = auth.uid()"), score.Block, "25006"},
		{"a helper loops without a limit", function("perform set_config('statement_timeout', '0', false); loop end loop;"), score.Error, "57014"},
		{"a helper cannot be cancelled", function("loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop;"), score.Error, "t01 by sql error: took longer than 4s (SQLSTATE 57014)"},
		{"a helper eats memory", function("declare a text[]; begin loop a := a || repeat('x', 10000000); end loop; end;"), score.Error, ""},
		{"a helper fills temporary files", function("perform set_config('work_mem', '64kB', true); perform max(x) from (select md5(g::text) x from generate_series(1, 100000000) g order by 1 offset 10) q;"), score.Error, ""},
		{"a helper resets its role", function("reset role;"), score.Pass, ""},
		{"a helper switches policies off", function("perform set_config('row_security', 'off', true);"), score.Pass, ""},
		{"a helper locks", function("perform pg_advisory_lock(1); lock table notes in access share mode;"), score.Pass, ""},
		{"a helper makes a table that stands before the other", function("execute 'create temp table if not exists notes (id int)';"), score.Block, "25006"},
		{"a helper ends its transaction", function("commit;"), score.Error, "2D000"},
		{"a helper nests too deeply", function("execute 'select ' || repeat('(', 100000) || '1' || repeat(')', 100000);"), score.Error, "memory exhausted"},
		{"a trigger raises at the end", "{solution} create function late() returns trigger language plpgsql as $f$ begin raise exception 'too late'; end $f$;" +
			"create constraint trigger late after insert on notes deferrable initially deferred for each row execute function late();", score.Error, "too late"},
		{"a trigger waits at the end", "{solution} create function late() returns trigger language plpgsql as $f$ begin perform pg_sleep(60); return null; end $f$;" +
			"create constraint trigger late after insert on notes deferrable initially deferred for each row execute function late();", score.Error, "57014"},
		{"a huge result", policy("true") + "insert into notes select g, null, repeat('x', 100) from generate_series(10, 40000) g;", score.Leak, "and 4995 more"},
	}
}

// hostileGrader has tight limits, so that what would last forever is over soon.
func hostileGrader(t *testing.T) *supascore.Grader {
	t.Helper()
	a, err := arena.New(arena.Config{Limits: arena.Limits{
		Statement: 2 * time.Second, Apply: 6 * time.Second, Request: 4 * time.Second,
		Memory: 256 << 20, TempFiles: 16 << 20, Growth: 64 << 20,
	}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Stop(context.Background())) })
	return supascore.NewGrader(a)
}

func TestAHostileCandidateGetsAVerdictAndDisturbsNobody(t *testing.T) {
	t.Parallel()
	for group, list := range map[string][]hostile{"when applied": hostiles(), "when tested": hostilePolicies()} {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			g, task := hostileGrader(t), notesTask(t, nil)
			for _, h := range list {
				sql := strings.ReplaceAll(h.sql, "{solution}", task.Solution)
				grade, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: h.name, SQL: sql}, supascore.GradeOptions{})
				require.NoError(t, err, h.name)
				assert.Equal(t, h.verdict, grade.Verdict, "%s: %s", h.name, wordsOf(grade))
				assert.Contains(t, wordsOf(grade), h.says, h.name)

				next, err := g.Grade(t.Context(), task, tasks.NamedSQL{Name: "next", SQL: task.Solution}, supascore.GradeOptions{})
				require.NoError(t, err, "after a candidate that %s", h.name)
				assert.Equal(t, score.Pass, next.Verdict, "after a candidate that %s: %s", h.name, wordsOf(next))
				assert.Empty(t, next.Changes, "after a candidate that %s", h.name)
			}
		})
	}
}

// wordsOf is everything that a grade says in words.
func wordsOf(grade *supascore.TaskGrade) string {
	words := []string{grade.Reason}
	for _, change := range grade.Changes {
		words = append(words, change.String())
	}
	if grade.Grades != nil {
		for _, test := range grade.Grades.Tests {
			for _, finding := range test.Findings {
				words = append(words, test.ID+" by "+string(finding.Path)+" "+string(finding.Verdict)+": "+finding.Note)
			}
		}
	}
	return strings.Join(words, "\n")
}
