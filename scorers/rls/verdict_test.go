package rls

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// rows are ids that came back.
func rows(ids ...any) *probes.RLSTable {
	table := &probes.RLSTable{Columns: []probes.RLSColumn{{Name: "id", Type: "int4"}}}
	for _, id := range ids {
		table.Rows = append(table.Rows, []any{id})
	}
	return table
}

func wantRows(ids ...int64) tasks.Expect {
	want := tasks.Expect{Kind: tasks.KindRows, Rows: [][]any{}}
	for _, id := range ids {
		want.Rows = append(want.Rows, []any{id})
	}
	return want
}

func refusedBy(code string) *probes.SQLError { return &probes.SQLError{SQLState: code, Message: "no"} }

// saw is an observation of a statement.
func saw(verb probes.RLSVerb, change func(*probes.RLSObservation)) *probes.RLSObservation {
	o := &probes.RLSObservation{Path: probes.RLSPathSQL, Statement: probes.RLSStatement{Verb: verb}, Affected: -1}
	change(o)
	return o
}

func changed() []probes.RLSChange {
	return []probes.RLSChange{{Table: "public.notes", Added: []string{"(3,x)"}}}
}

func TestAReadIsJudgedByItsRows(t *testing.T) {
	t.Parallel()
	read := func(table *probes.RLSTable) *probes.RLSObservation {
		return saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) { o.Result = table })
	}
	failed := func(code string) *probes.RLSObservation {
		return saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) { o.Failed = refusedBy(code) })
	}
	ordered := wantRows(1, 2)
	ordered.Ordered = true
	named := tasks.Expect{Kind: tasks.KindRows, Columns: []string{"id"}, Rows: [][]any{{int64(1)}}}
	unknown := tasks.Expect{Kind: tasks.KindRows, Columns: []string{"name"}, Rows: [][]any{{"x"}}}
	for name, test := range map[string]struct {
		want    tasks.Expect
		saw     *probes.RLSObservation
		verdict Verdict
		mixed   bool
		note    string
	}{
		"the same":                   {wantRows(1, 2), read(rows("2", "1")), Pass, false, ""},
		"none where none":            {wantRows(), read(rows()), Pass, false, ""},
		"one more":                   {wantRows(1), read(rows("1", "2")), Leak, false, "extra rows: id=2"},
		"the same twice":             {wantRows(1), read(rows("1", "1")), Leak, false, "extra rows: id=1"},
		"one less":                   {wantRows(1, 2), read(rows("1")), Block, false, "missing rows: id=2"},
		"another":                    {wantRows(1), read(rows("2")), Leak, true, "extra rows: id=2; missing rows: id=1"},
		"null is no value":           {wantRows(1), read(rows(nil)), Leak, true, "id=null"},
		"refused":                    {wantRows(1), failed("42501"), Block, false, "42501"},
		"refused where none":         {wantRows(), failed("42501"), Block, false, "0 rows are expected"},
		"a policy asks itself":       {wantRows(1), failed("42P17"), Block, false, "42P17"},
		"it does where none":         {wantRows(), failed("42P17"), Error, false, "42P17"},
		"it does where some count":   {tasks.Expect{Kind: tasks.KindCount, Count: 2}, failed("42P17"), Block, false, "42P17"},
		"it does where none counts":  {tasks.Expect{Kind: tasks.KindCount}, failed("42P17"), Error, false, "42P17"},
		"broken":                     {wantRows(1), failed("22P02"), Error, false, "22P02"},
		"another order":              {ordered, read(rows("2", "1")), Error, false, "their order is not"},
		"columns by name":            {named, read(rows("1")), Pass, false, ""},
		"no such column":             {unknown, read(rows("1")), Error, false, "no column name"},
		"another number of columns":  {tasks.Expect{Kind: tasks.KindRows, Rows: [][]any{{int64(1), "x"}}}, read(rows("1")), Error, false, "1 columns"},
		"a count of rows":            {tasks.Expect{Kind: tasks.KindCount, Count: 2}, read(rows("1", "2")), Pass, false, ""},
		"a count too high":           {tasks.Expect{Kind: tasks.KindCount, Count: 1}, read(rows("1", "2")), Leak, false, "2, 1 is expected"},
		"a count too low":            {tasks.Expect{Kind: tasks.KindCount, Count: 3}, read(rows("1", "2")), Block, false, "2, 3 is expected"},
		"rows expected to be denied": {tasks.Expect{Kind: tasks.KindDenied}, read(rows("1")), Leak, false, "1 row came back: id=1"},
		"no rows where denied":       {tasks.Expect{Kind: tasks.KindDenied}, read(rows()), Pass, false, ""},
		"no rows where an error":     {tasks.Expect{Kind: tasks.KindDenied, Denied: tasks.DeniedError}, read(rows()), Error, false, "no error came"},
		"an error where no rows":     {tasks.Expect{Kind: tasks.KindDenied, Denied: tasks.DeniedFiltered}, failed("42501"), Error, false, "without an error is expected"},
		"denied":                     {tasks.Expect{Kind: tasks.KindDenied}, failed("42501"), Pass, false, ""},
		"broken is not denied":       {tasks.Expect{Kind: tasks.KindDenied}, failed("42P17"), Error, false, "is no refusal"},
		"too slow is not denied":     {tasks.Expect{Kind: tasks.KindDenied}, failed("57014"), Error, false, "is no refusal"},
		"raised as asked":            {tasks.Expect{Kind: tasks.KindDenied, SQLState: "P0001"}, failed("P0001"), Pass, false, ""},
		"raised otherwise":           {tasks.Expect{Kind: tasks.KindDenied, SQLState: "P0001"}, failed("42501"), Error, false, "P0001 is expected"},
	} {
		f := judge(&tasks.Test{Expect: test.want}, tasks.Readings{}.WithDefaults(), test.saw)
		assert.Equal(t, test.verdict, f.Verdict, "%s: %s", name, f.Note)
		assert.Equal(t, test.mixed, f.Mixed, name)
		assert.Contains(t, f.Note, test.note, name)
	}
}

func TestAWriteIsJudgedByWhatTheOwnerSees(t *testing.T) {
	t.Parallel()
	wrote := func(verb probes.RLSVerb, affected int64, changes []probes.RLSChange) *probes.RLSObservation {
		return saw(verb, func(o *probes.RLSObservation) { o.Affected, o.Changes = affected, changes })
	}
	affected := func(n int) tasks.Expect { return tasks.Expect{Kind: tasks.KindAffected, Affected: n} }
	refusal := tasks.Expect{Kind: tasks.KindDenied}
	for name, test := range map[string]struct {
		want    tasks.Expect
		saw     *probes.RLSObservation
		verdict Verdict
	}{
		"as many":                             {affected(1), wrote(probes.RLSVerbInsert, 1, changed()), Pass},
		"more":                                {affected(1), wrote(probes.RLSVerbUpdate, 2, changed()), Leak},
		"fewer":                               {affected(1), wrote(probes.RLSVerbUpdate, 0, nil), Block},
		"none where none":                     {affected(0), wrote(probes.RLSVerbDelete, 0, nil), Pass},
		"none said and yet some changed":      {affected(0), wrote(probes.RLSVerbDelete, 0, changed()), Leak},
		"one said and yet none changed":       {affected(1), wrote(probes.RLSVerbInsert, 1, nil), Block},
		"an update to the same value":         {affected(1), wrote(probes.RLSVerbUpdate, 1, nil), Pass},
		"not known":                           {affected(1), wrote(probes.RLSVerbInsert, -1, nil), Error},
		"denied and yet changed":              {refusal, wrote(probes.RLSVerbUpdate, 0, changed()), Leak},
		"denied and yet affected":             {refusal, wrote(probes.RLSVerbUpdate, 1, nil), Leak},
		"an update that finds nothing":        {refusal, wrote(probes.RLSVerbUpdate, 0, nil), Pass},
		"an insert has to be refused loudly":  {refusal, wrote(probes.RLSVerbInsert, 0, nil), Error},
		"an upsert has to be refused loudly":  {refusal, wrote(probes.RLSVerbUpsert, 0, nil), Error},
		"an insert that is refused":           {refusal, saw(probes.RLSVerbInsert, func(o *probes.RLSObservation) { o.Failed = refusedBy("42501") }), Pass},
		"a duplicate is no refusal":           {refusal, saw(probes.RLSVerbInsert, func(o *probes.RLSObservation) { o.Failed = refusedBy("23505") }), Error},
		"the owner cannot see what changed":   {affected(1), saw(probes.RLSVerbUpdate, func(o *probes.RLSObservation) { o.Affected, o.LookFailed = 1, refusedBy("53400") }), Error},
		"the set-up failed":                   {affected(1), saw(probes.RLSVerbUpdate, func(o *probes.RLSObservation) { o.SetupFailed = refusedBy("23505") }), Error},
		"an aggregate over nothing is denied": {refusal, saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) { o.Statement.Aggregate, o.Result = true, rows("0") }), Pass},
		"an aggregate over something is not":  {refusal, saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) { o.Statement.Aggregate, o.Result = true, rows("3") }), Leak},
	} {
		f := judge(&tasks.Test{Expect: test.want}, tasks.Readings{}.WithDefaults(), test.saw)
		assert.Equal(t, test.verdict, f.Verdict, "%s: %s", name, f.Note)
	}
}

func TestTheOwnersLookAfterwardsCounts(t *testing.T) {
	t.Parallel()
	after := func(expect tasks.Expect, seen *probes.RLSAfter, affected int64) Finding {
		test := &tasks.Test{
			Expect: tasks.Expect{Kind: tasks.KindAffected, Affected: 1},
			After:  &tasks.After{Query: "select id from notes", Expect: expect},
		}
		o := saw(probes.RLSVerbUpdate, func(o *probes.RLSObservation) { o.Affected, o.Changes, o.After = affected, changed(), seen })
		return judge(test, tasks.Readings{}.WithDefaults(), o)
	}
	assert.Equal(t, Pass, after(wantRows(1), &probes.RLSAfter{Table: *rows("1")}, 1).Verdict)
	wrong := after(wantRows(1), &probes.RLSAfter{Table: *rows("2")}, 1)
	assert.Equal(t, Leak, wrong.Verdict, "another row than the right one was changed")
	assert.Contains(t, wrong.Note, "afterwards the owner sees: extra rows: id=2")
	assert.Equal(t, Leak, after(wantRows(1, 2), &probes.RLSAfter{Table: *rows("1")}, 1).Verdict, "a row is gone")
	assert.Equal(t, Block, after(wantRows(1, 2), &probes.RLSAfter{Table: *rows("1")}, 0).Verdict, "a blocked write did not do its work")
	assert.Equal(t, Error, after(wantRows(1), &probes.RLSAfter{Failed: refusedBy("42P01")}, 1).Verdict)
	count := tasks.Expect{Kind: tasks.KindCount, Count: 4}
	seen := &probes.RLSAfter{Statement: probes.RLSStatement{Aggregate: true}, Table: *rows("4")}
	assert.Equal(t, Pass, after(count, seen, 1).Verdict, "the value of count(*) counts")
}

func TestTheReadingsDecideWhatTheFormatLeavesOpen(t *testing.T) {
	t.Parallel()
	aggregate := saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) { o.Statement.Aggregate, o.Result = true, rows("3") })
	count := func(reading string, n int) Verdict {
		test := &tasks.Test{Expect: tasks.Expect{Kind: tasks.KindCount, Count: n}}
		return judge(test, tasks.Readings{Count: reading}.WithDefaults(), aggregate).Verdict
	}
	assert.Equal(t, Pass, count(tasks.CountAuto, 3))
	assert.Equal(t, Pass, count(tasks.CountValue, 3))
	assert.Equal(t, Pass, count(tasks.CountRows, 1))
	two := saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) { o.Statement.Ordered, o.Result = true, rows("2", "1") })
	order := func(reading string) Verdict {
		return judge(&tasks.Test{Expect: wantRows(1, 2)}, tasks.Readings{Order: reading}.WithDefaults(), two).Verdict
	}
	assert.Equal(t, Error, order(tasks.OrderQuery), "the query has an order")
	assert.Equal(t, Pass, order(tasks.OrderBag))
	assert.Equal(t, Error, order(tasks.OrderList))
	nothing := saw(probes.RLSVerbUpdate, func(o *probes.RLSObservation) { o.Affected = 0 })
	denial := func(reading string) Verdict {
		return judge(&tasks.Test{Expect: tasks.Expect{Kind: tasks.KindDenied}}, tasks.Readings{Denied: reading}.WithDefaults(), nothing).Verdict
	}
	assert.Equal(t, Pass, denial("any"))
	assert.Equal(t, Error, denial("error"))
}

func TestAnAnswerOfTheAPIIsMappedToAVerdict(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) *probes.RLSObservation {
		o := saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) {
			o.Path, o.Answer = probes.RLSPathAPI, &probes.Answer{Status: status, Code: code, Message: "m"}
		})
		if len(code) == 5 {
			o.Failed = refusedBy(code)
		}
		return o
	}
	verdict := func(want tasks.Expect, o *probes.RLSObservation) Verdict {
		return judge(&tasks.Test{Expect: want}, tasks.Readings{}.WithDefaults(), o).Verdict
	}
	assert.Equal(t, Block, verdict(wantRows(1), answer(403, "42501")))
	assert.Equal(t, Block, verdict(wantRows(1), answer(404, "PGRST205")), "what the API does not know cannot be reached")
	assert.Equal(t, Pass, verdict(tasks.Expect{Kind: tasks.KindDenied}, answer(406, "PGRST106")))
	assert.Equal(t, Error, verdict(wantRows(1), answer(500, "22P02")))
	assert.Equal(t, Block, verdict(wantRows(1), answer(405, "25006")), "a function writes, and a GET only reads")
	assert.Equal(t, Block, verdict(tasks.Expect{Kind: tasks.KindAffected, Affected: 1}, answer(405, "25006")))
	assert.Equal(t, Error, verdict(tasks.Expect{Kind: tasks.KindAffected}, answer(405, "25006")))
	assert.Equal(t, Error, verdict(wantRows(1), answer(503, "PGRST001")))

	written := &tasks.Test{Expect: wantRows(1), API: &tasks.NativeRequest{Status: 406}}
	assert.Equal(t, Error, judge(written, tasks.Readings{}.WithDefaults(), saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) {
		o.Path, o.Answer, o.Result = probes.RLSPathAPI, &probes.Answer{Status: 200}, rows("1")
	})).Verdict, "the status is part of what is expected")
}

func TestTheWorstVerdictWins(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Pass, Worst())
	assert.Equal(t, Pass, Worst(Skip, Pass))
	assert.Equal(t, Error, Worst(Pass, Error))
	assert.Equal(t, Block, Worst(Error, Block, Pass))
	assert.Equal(t, Leak, Worst(Block, Leak, Error))
}

func TestARunIsJudgedTestByTestAndRuleByRule(t *testing.T) {
	t.Parallel()
	task := &tasks.Task{Tests: []tasks.Test{
		{ID: "t01", Rules: []string{"R2"}, As: tasks.User{Alias: "alice", Role: "authenticated"}, Expect: wantRows(1)},
		{ID: "t02", Rules: []string{"R1", "R2"}, As: tasks.User{Role: "authenticated"}, Expect: wantRows(1)},
		{ID: "t03", Rules: []string{"R10"}, As: tasks.User{Role: "anon"}, Expect: wantRows()},
	}}
	o := func(id string, path probes.RLSPath, table *probes.RLSTable) probes.RLSObservation {
		return probes.RLSObservation{
			Test: id, Path: path, Statement: probes.RLSStatement{Verb: probes.RLSVerbSelect}, Result: table, Affected: -1,
			Answer: &probes.Answer{Status: 200},
		}
	}
	run := &probes.RLSRun{Observations: []probes.RLSObservation{
		o("t03", "sql", rows()), o("t03", "api", rows()),
		o("t01", "sql", rows("1")), o("t01", "api", rows("1")),
		o("t02", "sql", rows("1")), o("t02", "api", rows("1", "2")),
	}}
	grades, err := Judge(task, tasks.Readings{}, run)
	require.NoError(t, err)
	assert.Equal(t, Leak, grades.Verdict)
	assert.Equal(t, "alice", grades.Tests[0].User)
	assert.Equal(t, Leak, grades.Tests[1].Verdict)
	require.NotNil(t, grades.Tests[1].Difference)
	assert.Equal(t, CauseRequest, grades.Tests[1].Difference.Cause)
	assert.Nil(t, grades.Tests[0].Difference)
	assert.Equal(t, []Cell{
		{Rule: "R1", Role: "authenticated", Verb: probes.RLSVerbSelect, Verdict: Leak, Tests: []string{"t02"}},
		{Rule: "R2", Role: "authenticated", Verb: probes.RLSVerbSelect, Verdict: Leak, Tests: []string{"t01", "t02"}},
		{Rule: "R10", Role: "anon", Verb: probes.RLSVerbSelect, Verdict: Pass, Tests: []string{"t03"}},
	}, grades.Matrix)

	run.Observations[5].Failed, run.Observations[5].MS = refusedBy("42501"), 1.5
	run.Observations[5].Changes = changed()
	grades, err = Judge(task, tasks.Readings{}, run)
	require.NoError(t, err)
	assert.Equal(t, &Evidence{
		SQLState: "42501", Status: 200, Affected: -1, Expected: []string{"id=1"}, Observed: []string{"id=1", "id=2"},
		Changes: changed(), MS: 1.5,
	}, grades.Tests[1].Findings[1].Evidence)

	run.Observations[0].Trouble = "the server is gone"
	_, err = Judge(task, tasks.Readings{}, run)
	require.ErrorContains(t, err, "test t03 by sql cannot be judged: the server is gone")
	_, err = Judge(task, tasks.Readings{}, &probes.RLSRun{})
	require.ErrorContains(t, err, "test t01 was not run")
}

func TestADifferenceHasACauseAndAStatementThatShowsIt(t *testing.T) {
	t.Parallel()
	sql := func(change func(*probes.RLSObservation)) *probes.RLSObservation {
		return saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) {
			o.Form, o.Sent, o.Statement.Relations, o.Affected = probes.RLSFormSQL, "select id from notes;", []string{"notes"}, 1
			change(o)
		})
	}
	api := func(form probes.RLSForm, sent string, change func(*probes.RLSObservation)) *probes.RLSObservation {
		return saw(probes.RLSVerbSelect, func(o *probes.RLSObservation) {
			o.Form, o.Sent, o.Answer = form, sent, &probes.Answer{Status: 200}
			change(o)
		})
	}
	same := func(*probes.RLSObservation) {}
	code := func(code, message string) func(*probes.RLSObservation) {
		return func(o *probes.RLSObservation) {
			o.Failed = &probes.SQLError{SQLState: code, Message: message}
			if o.Answer != nil {
				o.Answer.Code, o.Answer.Message = code, message
			}
		}
	}
	thousand := make([]any, 1000)
	for name, test := range map[string]struct {
		sql, api *probes.RLSObservation
		cause    Cause
		shown    string
	}{
		"exposure":    {sql(same), api(probes.RLSFormNative, "GET /notes", func(o *probes.RLSObservation) { o.Answer.Code = "PGRST205" }), CauseExposure, "GET /notes"},
		"read-only":   {sql(same), api(probes.RLSFormNative, "GET /notes", code("25006", "read-only")), CauseReadOnly, "begin read only; select id from notes; rollback"},
		"time":        {sql(code("57014", "timeout")), api(probes.RLSFormNative, "GET /notes", same), CauseTime, "select id from notes"},
		"role":        {sql(code("42501", `permission denied to set role "service_role"`)), api(probes.RLSFormNative, "GET /notes", same), CauseRoleChange, "select id from notes"},
		"max rows":    {sql(func(o *probes.RLSObservation) { o.Result = rows(make([]any, 1001)...) }), api(probes.RLSFormNative, "GET /notes", func(o *probes.RLSObservation) { o.Result = rows(thousand...) }), CauseMaxRows, "select count(*) from (select id from notes) q"},
		"view":        {sql(same), api(probes.RLSFormWritten, "GET /board", func(o *probes.RLSObservation) { o.OwnersView = "board" }), CauseOwnersView, "relname = 'board'"},
		"unfiltered":  {sql(func(o *probes.RLSObservation) { o.Statement.Verb = probes.RLSVerbUpdate }), api(probes.RLSFormWritten, "PATCH /notes?id=eq.1 {}", same), CauseUnfiltered, "select id from notes"},
		"safe update": {sql(same), api(probes.RLSFormNative, "PATCH /notes {}", code("21000", "UPDATE requires a WHERE clause")), CauseUnfiltered, "select id from notes"},
		"returning":   {sql(same), api(probes.RLSFormWritten, "POST /notes {}", func(o *probes.RLSObservation) { o.Returning = true; code("42501", "new row violates")(o) }), CauseReturning, "select id from notes returning *"},
		"arbiter":     {sql(same), api(probes.RLSFormWritten, "POST /notes?on_conflict=id {}", code("42501", "new row violates")), CauseArbiter, "on_conflict=id"},
		"column":      {sql(same), api(probes.RLSFormWritten, "GET /notes", code("42501", "permission denied for table notes")), CauseColumnGrant, "column_privileges"},
		"grant":       {sql(same), api(probes.RLSFormNative, "GET /notes?select=id", code("42501", "permission denied for schema private")), CauseGrant, "table_privileges"},
		"request":     {sql(same), api(probes.RLSFormNative, "GET /notes?select=id", same), CauseRequest, "GET /notes?select=id"},
	} {
		d := explain("authenticated", test.sql, test.api, [2]Finding{{Verdict: Pass}, {Verdict: Block, Note: "n"}})
		require.NotNil(t, d, name)
		assert.Equal(t, test.cause, d.Cause, name)
		assert.Contains(t, d.Shown, test.shown, name)
		assert.Equal(t, "by SQL pass, by the API block (n)", d.Note, name)
	}
	assert.Nil(t, explain("anon", sql(same), api(probes.RLSFormNative, "", same), [2]Finding{{Verdict: Leak}, {Verdict: Leak}}))
	assert.Nil(t, explain("anon", sql(same), api(probes.RLSFormNative, "", same), [2]Finding{{Verdict: Leak}, {Verdict: Skip}}))
}
