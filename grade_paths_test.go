package supascore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

// pathsTask has tables of many types, and a test for each way in which a statement
// can reach the API.
func pathsTask(t testing.TB, tests string) *tasks.Task {
	t.Helper()
	return notesTask(t, map[string]string{
		"schema.sql": `create table notes (id int primary key, owner uuid default auth.uid(), body text, price numeric(8, 2), made timestamptz,
				doc jsonb, tags text[], done boolean);
			create table log (id int generated always as identity, note int, who text);
			create function keep_log() returns trigger language plpgsql security definer as
				$$ begin insert into log (note, who) values (new.id, auth.uid()); return new; end $$;
			create trigger keep_log after update on notes for each row execute function keep_log();`,
		"seed.sql": `insert into notes values
			(1, '00000000-0000-4000-8000-00000000000a', 'a', 1.50, '2024-05-01 10:00:00+02', '{"k": [1, 2.0]}', '{x,"y z"}', true),
			(2, '00000000-0000-4000-8000-00000000000b', 'b', null, null, null, null, null),
			(3, '00000000-0000-4000-8000-00000000000a', 'it''s', 20, '2024-05-02', '{}', '{}', false);`,
		"solution.sql": `alter table notes enable row level security;
			create policy own on notes to authenticated using (owner = (select auth.uid()));
			grant all on notes to authenticated;`,
		"tests.yaml": "users:\n  alice: {role: authenticated, sub: \"00000000-0000-4000-8000-00000000000a\"}\ntests:\n" + tests,
	})
}

// run grades the reference of a task and returns the grade with what the tests saw.
func run(t *testing.T, task *tasks.Task) *supascore.TaskGrade {
	t.Helper()
	grade, err := newGrader(t).Grade(t.Context(), task, tasks.NamedSQL{Name: "reference", SQL: task.Solution},
		supascore.GradeOptions{KeepRun: true})
	require.NoError(t, err)
	require.NotNil(t, grade.Grades, grade.Reason)
	return grade
}

func TestBothPathsSeeTheSame(t *testing.T) {
	t.Parallel()
	grade := run(t, pathsTask(t, `
  - {id: all, as: alice, rules: [R1], query: "select * from notes where id = 1", expect: {rows: [{id: 1, body: a, price: 1.5, made: "2024-05-01T08:00:00Z", doc: {k: [1, 2]}, tags: [x, "y z"], done: true}]}}
  - {id: ordered, as: alice, rules: [R1], query: "select id from notes order by id desc", expect: {rows: [[3], [1]]}}
  - {id: condition, as: alice, rules: [R1], query: "select id from notes where body = 'it''s' or (price < 2 and not done is null)", expect: {rows: [[1], [3]]}}
  - {id: number, as: alice, rules: [R1], query: "select count(*) from notes", expect: {count: 2}}
  - {id: computed, as: alice, rules: [R1], query: "select upper(body), made + interval '1 hour', tags from notes where id = 1;", expect: {rows: [[A, "2024-05-01T09:00:00Z", [x, "y z"]]]}}
  - {id: same-names, as: alice, rules: [R1], query: "select id, id from notes where id = 1", expect: {rows: [[1, 1]]}}
  - {id: insert, as: alice, rules: [R2], query: "insert into notes (id, body, doc, tags) values (7, 'x', '{\"a\": 1}', '{p,q}')", expect: {affected: 1}, after: {query: "select owner, doc, tags from notes where id = 7", rows: [["00000000-0000-4000-8000-00000000000a", {a: 1}, [p, q]]]}}
  - {id: returning, as: alice, rules: [R2], query: "insert into notes (id, price) values (7, 3) returning id, price", expect: {rows: [[7, 3]]}}
  - {id: foreign, as: alice, rules: [R2], query: "insert into notes (id, owner) values (7, '00000000-0000-4000-8000-00000000000b')", expect: {denied: true, sqlstate: "42501"}}
  - {id: duplicate, as: alice, rules: [R2], query: "insert into notes (id) values (1) on conflict (id) do nothing", expect: {affected: 0}}
  - {id: upsert, as: alice, rules: [R2], query: "insert into notes (id, body) values (1, 'z') on conflict (id) do update set id = excluded.id, body = excluded.body", expect: {affected: 1}, after: {query: select body from notes where id = 1, rows: [[z]]}}
  - {id: update, as: alice, rules: [R2], query: "update notes set body = 'z' where id in (1, 2)", expect: {affected: 1}, after: {query: "select note, who from log", rows: [[1, "00000000-0000-4000-8000-00000000000a"]]}}
  - {id: hidden, as: alice, rules: [R2], query: "update notes set body = 'z' where id = 2", expect: {denied: filtered}}
  - {id: delete, as: alice, rules: [R2], query: "delete from notes where id > 0", expect: {affected: 2}, after: {query: select count(*) from notes, count: 1}}
  - {id: computed-write, as: alice, rules: [R2], query: "update notes set price = coalesce(price, 0) + 1 where id = 3", expect: {affected: 1}, after: {query: "select price from notes where id = 3", rows: [[21]]}}
  - {id: statements, as: alice, rules: [R2], query: ["delete from notes where id = 1", "select id from notes"], expect: {rows: [[3]]}, after: {query: select count(*) from notes, count: 2}}
  - {id: with, as: alice, rules: [R2], query: "with d as (delete from notes returning id) select count(*) from d", expect: {count: 2}}
  - {id: set-up, as: alice, rules: [R1], setup: "insert into notes (id, owner) values (8, '00000000-0000-4000-8000-00000000000a')", query: "select id from notes where id > 3", expect: {rows: [[8]]}}
  - {id: set-up-write, as: alice, rules: [R1], setup: "insert into notes (id, owner) values (8, '00000000-0000-4000-8000-00000000000a')", query: "delete from notes where id = 8", expect: {affected: 1}, after: {query: select count(*) from notes, count: 3}}
  - {id: visitor, as: anon, rules: [R1], query: "select id from notes", expect: {denied: error}}
  - {id: written, as: alice, rules: [R1], query: "select id from notes where id = 1", expect: {rows: [[1]]}, api: {path: "/notes?id=eq.1&select=id", headers: {Accept: application/vnd.pgrst.object+json}, status: 200}}
  - {id: written-write, as: alice, rules: [R2], query: "delete from notes where id = 1", expect: {affected: 1}, api: {method: DELETE, path: "/notes?id=eq.1"}, after: {query: select count(*) from notes, count: 2}}
  - {id: none, as: alice, rules: [R2], query: "truncate notes", skip_api: the API cannot truncate, expect: {denied: true}, after: {query: select count(*) from notes, count: 3}}
`))
	for _, test := range grade.Grades.Tests {
		if test.ID == "none" {
			// A grant of all rights holds TRUNCATE, which policies do not refuse.
			assert.Equal(t, score.Leak, test.Verdict)
			continue
		}
		assert.Equal(t, score.Pass, test.Verdict, "%s: %+v", test.ID, test.Findings)
	}
	forms := map[string]probes.RLSForm{}
	for _, o := range grade.Run.Observations {
		if o.Path == probes.RLSPathAPI && o.Form != probes.RLSFormNative {
			forms[o.Test] = o.Form
		}
	}
	assert.Equal(t, map[string]probes.RLSForm{
		"computed": probes.RLSFormWrapper, "same-names": probes.RLSFormWrapper, "computed-write": probes.RLSFormWrapper,
		"statements": probes.RLSFormWrapper, "with": probes.RLSFormWrapper,
		"written": probes.RLSFormWritten, "written-write": probes.RLSFormWritten, "none": "",
	}, forms, "everything else has a request of its own")
}

func TestWhereThePathsDifferTheGradeSaysWhy(t *testing.T) {
	t.Parallel()
	task := pathsTask(t, `
  - {id: returning, as: alice, rules: [R2], query: "insert into notes (id, body) values (7, 'x')", expect: {affected: 1}, api: {method: POST, path: /notes, headers: {Prefer: return=representation}, body: {id: 7, body: x}}}
  - {id: columns, as: alice, rules: [R1], query: "select id from log", expect: {rows: []}, api: {path: /log}}
  - {id: read-only, as: alice, rules: [R2], query: "select touch()", expect: {count: 1}, api: {path: /rpc/touch}}
  - {id: unexposed, as: alice, rules: [R1], query: "select id from private.secrets", expect: {rows: [[1]]}, api: {path: /secrets}}
  - {id: view, as: alice, rules: [R1], query: "select count(*) from notes", expect: {count: 0}, api: {path: "/board?select=id"}}
  - {id: max-rows, as: alice, rules: [R1], query: "select n from many", expect: {count: 1001}}
  - {id: role, as: alice, rules: [R1], query: "select escape()", expect: {count: 1}}
`)
	task.Schema += `
		create schema private; create table private.secrets (id int); insert into private.secrets values (1);
		create table many (n int); insert into many select generate_series(1, 1001);`
	task.Hash += " changed"
	task.Solution = `alter table notes enable row level security;
		create policy add on notes for insert to authenticated with check (owner = (select auth.uid()));
		grant insert, select on notes to authenticated;
		grant select (id) on log to authenticated;
		create function touch() returns int language sql volatile security definer as 'insert into log (note) values (1) returning 1';
		grant usage on schema private to authenticated; grant select on private.secrets to authenticated;
		create view board as select id from notes; grant select on board to authenticated;
		alter table many enable row level security; create policy all_rows on many using (true); grant select on many to authenticated;
		create function escape() returns text language plpgsql as $$ begin perform set_config('role', 'service_role', true); return current_user; end $$;`
	causes := map[string]score.Cause{}
	for _, test := range run(t, task).Grades.Tests {
		if assert.NotNil(t, test.Difference, "%s: %+v", test.ID, test.Findings) {
			causes[test.ID] = test.Difference.Cause
			assert.NotEmpty(t, test.Difference.Shown, test.ID)
		}
	}
	assert.Equal(t, map[string]score.Cause{
		"returning": score.CauseReturning, "columns": score.CauseColumnGrant, "read-only": score.CauseReadOnly,
		"unexposed": score.CauseExposure, "view": score.CauseOwnersView, "max-rows": score.CauseMaxRows, "role": score.CauseRoleChange,
	}, causes)
}
