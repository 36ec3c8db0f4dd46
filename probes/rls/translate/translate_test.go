package translate_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/rls/translate"
)

// types knows a table notes.
func types(relation, column string) string {
	if strings.TrimPrefix(relation, "public.") != "notes" {
		return ""
	}
	return map[string]string{"id": "int4", "body": "text", "doc": "jsonb", "tags": "_text", "done": "bool"}[column]
}

// show writes a request on one line: method, decoded path, Prefer, body.
func show(t *testing.T, r *translate.Request) string {
	t.Helper()
	path, err := url.QueryUnescape(r.Path)
	require.NoError(t, err)
	parts := []string{r.Method, path}
	if prefer := r.Header.Get("Prefer"); prefer != "" {
		parts = append(parts, "["+prefer+"]")
	}
	if r.Body != nil {
		parts = append(parts, string(r.Body))
	}
	return strings.Join(parts, " ")
}

func TestASimpleStatementIsWrittenAsARequest(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select * from notes":                                           "GET /notes",
		"select id, body as text from public.notes n":                   "GET /notes?select=id,text:body",
		"select id, body as words from notes":                           "GET /notes?select=id,words:body",
		"select n.id from notes n where n.id = 1":                       "GET /notes?select=id&id=eq.1",
		"select notes.id from notes where notes.body = 'a,b'":           "GET /notes?select=id&body=eq.a,b",
		"select id from notes where id = 1 and done":                    "GET /notes?select=id&id=eq.1&done=eq.true",
		"select id from notes where id in (1, 2)":                       `GET /notes?select=id&id=in.("1","2")`,
		"select id from notes where id not in (1, -2)":                  `GET /notes?select=id&id=not.in.("1","-2")`,
		"select id from notes where body is null":                       "GET /notes?select=id&body=is.null",
		"select id from notes where body is not null":                   "GET /notes?select=id&body=not.is.null",
		"select id from notes where done is true":                       "GET /notes?select=id&done=is.true",
		"select id from notes where body like 'a%'":                     "GET /notes?select=id&body=like.a%",
		"select id from notes where body not ilike 'a%'":                "GET /notes?select=id&body=not.ilike.a%",
		"select id from notes where id = 1 or body = 'x\"y'":            `GET /notes?select=id&or=(id.eq."1",body.eq."x\"y")`,
		"select id from notes where not (id = 1)":                       `GET /notes?select=id&and=(id.not.eq."1")`,
		"select id from notes where not (id = 1 or body is null)":       `GET /notes?select=id&not.or=(id.eq."1",body.is.null)`,
		"select id from notes where (id > 1 and id <= 5) or id <> 9":    `GET /notes?select=id&or=(and(id.gt."1",id.lte."5"),id.neq."9")`,
		"select id from notes order by id desc nulls last, body":        "GET /notes?select=id&order=id.desc.nullslast,body.asc",
		"select id from notes order by id limit 2":                      "GET /notes?select=id&order=id.asc&limit=2",
		"select id from notes where owner = '0A'::uuid":                 "GET /notes?select=id&owner=eq.0A",
		"select count(*) from notes where id = 1":                       "HEAD /notes?id=eq.1 [count=exact]",
		"select count(*)::int from notes":                               "HEAD /notes [count=exact]",
		"insert into notes (id, body) values (1, 'x'), (2, null)":       `POST /notes?columns=id,body [count=exact,return=minimal] [{"id":1,"body":"x"},{"id":2,"body":null}]`,
		"insert into notes (id, doc) values (1, '{\"a\": 1}')":          `POST /notes?columns=id,doc [count=exact,return=minimal] [{"id":1,"doc":{"a":1}}]`,
		"insert into notes (id, tags) values (1, '{a,b}')":              `POST /notes?columns=id,tags [count=exact,return=minimal] [{"id":1,"tags":"{a,b}"}]`,
		"insert into notes (id) values (1) returning id, body":          `POST /notes?columns=id&select=id,body [count=exact,return=representation] [{"id":1}]`,
		"insert into notes (id) values (1) on conflict (id) do nothing": `POST /notes?on_conflict=id&columns=id [resolution=ignore-duplicates,count=exact,return=minimal] [{"id":1}]`,
		"insert into notes (id, body) values (1, 'x') on conflict (id) do update set id = excluded.id, body = excluded.body": `POST /notes?on_conflict=id&columns=id,body [resolution=merge-duplicates,count=exact,return=minimal] [{"id":1,"body":"x"}]`,
		"update notes set body = 'x', done = true where id = 1":                                                              `PATCH /notes?id=eq.1 [count=exact,return=minimal] {"body":"x","done":true}`,
		"delete from notes where id = 1 returning *":                                                                         "DELETE /notes?id=eq.1 [count=exact,return=representation]",
	} {
		request, err := translate.Translate(translate.Cut(sql, false), types)
		require.NoError(t, err, sql)
		assert.Equal(t, want, show(t, request), sql)
	}
}

func TestWhatNoRequestSaysIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	for sql, reason := range map[string]string{
		"select 1":                                                    "does not read one table",
		"select id from notes, others":                                "does not read one table",
		"select id from auth.users":                                   "schema auth is not exposed",
		"select id from only notes":                                   "ONLY",
		"select upper(body) from notes":                               "a column that is computed",
		"select id, id from notes":                                    `two columns "id"`,
		"select distinct id from notes":                               "DISTINCT",
		"select id from notes for update":                             "row locks",
		"select id from notes where id = owner":                       "computed",
		"select id from notes where id = null":                        "null",
		"select id from notes where length(body) = 1":                 "does not begin with a column",
		"select id from notes where body like 'a*'":                   "a pattern with *",
		"select id from notes where notes.id = 1 and \"order\" = 'x'": "a parameter of the API",
		"select id from notes where not (not (id = 1))":               "NOT of NOT",
		"select id from notes where x.id = 1":                         "a column of x",
		"select count(*) from notes limit 1":                          "a count with an order or a limit",
		"select id from notes union select 1":                         "a set of queries",
		"with x as (select 1) select id from notes":                   "WITH",
		"insert into notes values (1)":                                "columns that are not named",
		"insert into notes (id) select 1":                             "no VALUES",
		"insert into notes (id) values (default)":                     "DEFAULT",
		"insert into notes (id) values (1 + 1)":                       "computed",
		"insert into notes (doc) values ('no json')":                  "no JSON",
		"insert into others (id) values ('a')":                        "type of id is not known",
		"insert into notes (id) values (1) on conflict do nothing":    "without columns",
		"insert into notes (id, body) values (1, 'x') on conflict (id) do update set body = excluded.body": "leaves id as it is",
		"insert into notes (id) values (1) on conflict (id) do update set id = 2":                          "computes",
		"update notes set id = id + 1":               "computed",
		"update notes set id = 1 from others":        "WITH or FROM",
		"delete from notes using others":             "WITH or USING",
		"truncate notes":                             "reads and writes rows only",
		"select id from notes; select 2":             "one statement",
		"selec":                                      "not understood",
		"update notes set tags[1] = 'x'":             "column",
		"select id from notes where id = '1'::int[]": "computed",
	} {
		_, err := translate.Translate(translate.Cut(sql, false), types)
		require.ErrorIs(t, err, translate.ErrNoRequest, sql)
		assert.ErrorContains(t, err, reason, sql)
	}
}

func TestAStatementIsDescribed(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]probes.RLSStatement{
		"select id from notes order by id":                               {Verb: probes.RLSVerbSelect, Relations: []string{"notes"}, Ordered: true},
		"select count(*) from a join s.b using (id)":                     {Verb: probes.RLSVerbSelect, Relations: []string{"a", "s.b"}, Aggregate: true},
		"select count(*)::int from (select * from a) x":                  {Verb: probes.RLSVerbSelect, Relations: []string{"a"}, Aggregate: true},
		"select count(*) from a group by b":                              {Verb: probes.RLSVerbSelect, Relations: []string{"a"}},
		"select close_account(1)":                                        {Verb: probes.RLSVerbCall, Relations: []string{"close_account"}},
		"select * from public.balances()":                                {Verb: probes.RLSVerbCall, Relations: []string{"public.balances"}},
		"select count(*)":                                                {Verb: probes.RLSVerbSelect},
		"insert into notes values (1) returning id":                      {Verb: probes.RLSVerbInsert, Relations: []string{"notes"}, Returning: true},
		"insert into n values (1) on conflict (id) do nothing":           {Verb: probes.RLSVerbInsert, Relations: []string{"n"}, Arbiter: true},
		"insert into n values (1) on conflict (id) do update set id = 2": {Verb: probes.RLSVerbUpsert, Relations: []string{"n"}, Arbiter: true},
		"update notes set id = 1":                                        {Verb: probes.RLSVerbUpdate, Relations: []string{"notes"}},
		"delete from notes where id = 1":                                 {Verb: probes.RLSVerbDelete, Relations: []string{"notes"}, Filtered: true},
		"with d as (delete from notes returning id) select id from d":    {Verb: probes.RLSVerbDelete, Relations: []string{"d"}, Returning: true},
		"truncate notes":                                                 {Verb: probes.RLSVerbOther},
	} {
		assert.Equal(t, want, translate.Cut(sql, false).Statement, sql)
	}
}

func TestTheStatementThatCountsIsTheLastOrTheFirst(t *testing.T) {
	t.Parallel()
	const sql = "insert into a values (';'); -- more\nselect 1; delete from b;"
	last := translate.Cut(sql, false)
	assert.Equal(t, "insert into a values (';');\n-- more\nselect 1;\n", last.Before)
	assert.Equal(t, "delete from b", last.Text)
	assert.Empty(t, last.After)
	first := translate.Cut(sql, true)
	assert.Equal(t, "insert into a values (';')", first.Text)
	assert.Equal(t, "-- more\nselect 1;\ndelete from b;\n", first.After)
	broken := translate.Cut("update set;", false)
	assert.Equal(t, "update set", broken.Text)
	assert.Equal(t, probes.RLSVerbUpdate, broken.Statement.Verb)
	assert.Contains(t, broken.Statement.Problem, "syntax error")
}

func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{
		"select id from notes where id = 1 or not (body like 'x' and id in (1,2))",
		"insert into notes (id, doc) values (1, '{}') on conflict (id) do update set id = excluded.id",
		"update notes set body = $$x$$ where id is distinct from 1 returning *", "delete from notes", "select count(*) from notes", ";;",
		"select (select 1)", "select * from rows from (f()) with ordinality", "values (1)",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, sql string, first bool) {
		q := translate.Cut(sql, first)
		request, err := translate.Translate(q, types)
		if err != nil {
			require.ErrorIs(t, err, translate.ErrNoRequest)
			return
		}
		parsed, err := url.Parse(request.Path)
		require.NoError(t, err)
		_, err = url.ParseQuery(parsed.RawQuery)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(request.Path, "/"))
	})
}
