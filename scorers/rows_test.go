package scorers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// judgeRow judges one row check of a kind on one observation.
func judgeRow(t *testing.T, kind string, row *probes.RowObservation) evals.Check {
	t.Helper()
	with := map[string]any{"as": "member", "table": posts, "row": map[string]any{"author_id": "${stranger.id}"}}
	if row.Verb == probes.VerbUpdate {
		with["set"] = map[string]any{"body": "new"}
	}
	eval := &evals.Eval{
		ID: "x", People: []evals.Person{{ID: "member"}, {ID: "stranger"}},
		Checks: []evals.CheckSpec{{ID: "a", Name: "a holds", Class: evals.ClassLeak, Uses: kind, With: with}},
	}
	require.NoError(t, Library{}.Validate(eval, eval.Checks[0]))
	seen := good()
	seen.Rows = map[string]*probes.RowObservation{"a": row}
	checks, err := Judge(eval, seen)
	require.NoError(t, err)
	require.Len(t, checks, 1)
	return checks[0]
}

func TestEveryVerbIsJudgedByWhatItLeftBehind(t *testing.T) {
	t.Parallel()
	observed := func(verb probes.Verb, before, after, status, rows int) *probes.RowObservation {
		sent := answer("VERB", "/rest/v1/posts", status)
		sent.Rows = rows
		if status == 403 {
			sent.Code = "42501"
		}
		return &probes.RowObservation{As: "member", Verb: verb, Table: posts, Before: before, After: after, Counted: true, Answer: &sent}
	}
	for _, test := range []struct {
		name     string
		row      *probes.RowObservation
		happened bool
		note     string
	}{
		{"a delete that removed the row", observed(probes.VerbDelete, 1, 0, 204, -1), true, "the row is gone"},
		{"a delete that was answered well and removed nothing", observed(probes.VerbDelete, 1, 1, 204, -1), false, "still there"},
		{"a delete that was refused", observed(probes.VerbDelete, 1, 1, 403, -1), false, "still there"},
		{"a delete that was answered with an error and removed the row", observed(probes.VerbDelete, 1, 0, 500, -1), true, "the row is gone"},
		{"an insert that wrote", observed(probes.VerbInsert, 0, 1, 201, -1), true, "the row is there"},
		{"an insert that was answered well and wrote nothing", observed(probes.VerbInsert, 0, 0, 201, -1), false, "no such row"},
		{"an insert that was refused", observed(probes.VerbInsert, 0, 0, 403, -1), false, "no such row"},
		{"an insert that was refused after it wrote", observed(probes.VerbInsert, 0, 1, 403, -1), true, "the row is there"},
		{"an update that changed the row", observed(probes.VerbUpdate, 1, 1, 204, -1), true, "holds the new values"},
		{"an update that changed nothing", observed(probes.VerbUpdate, 1, 0, 204, -1), false, "unchanged"},
		{"a read that brought the row", observed(probes.VerbRead, 1, 1, 200, 1), true, "held 1 of 1 rows"},
		{"a read that brought nothing", observed(probes.VerbRead, 1, 1, 200, 0), false, "held 0 of 1 rows"},
		{"a read that was refused", observed(probes.VerbRead, 1, 1, 403, -1), false, "held 0 of 1 rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			can := judgeRow(t, "can-"+string(test.row.Verb)+"-row", test.row)
			cannot := judgeRow(t, "cannot-"+string(test.row.Verb)+"-row", test.row)
			assert.Contains(t, can.Note, test.note)
			assert.Contains(t, cannot.Note, test.note)
			if test.happened {
				assert.Equal(t, evals.StatusPass, can.Status)
				assert.Equal(t, evals.StatusFail, cannot.Status)
				assert.Equal(t, evals.ClassLeak, cannot.Class)
				return
			}
			assert.Equal(t, evals.StatusFail, can.Status)
			assert.Equal(t, evals.ClassBlock, can.Class)
			assert.Equal(t, evals.StatusPass, cannot.Status)
			assert.False(t, cannot.Vacuous)
		})
	}
}

func TestOnlyADenialShowsThatAccessIsDenied(t *testing.T) {
	t.Parallel()
	for code, denial := range map[string]bool{
		"42501": true, "P0001": true, "PT403": true,
		"": false, "PGRST204": false, "PGRST301": false, "42703": false, "42P17": false, "57014": false,
		"23505": false, "23503": false, "22P02": false, "XX000": false,
	} {
		sent := answer("POST", "/rest/v1/posts", 400)
		sent.Code = code
		check := judgeRow(t, "cannot-insert-row", &probes.RowObservation{
			As: "member", Verb: probes.VerbInsert, Table: posts, Counted: true, Answer: &sent,
		})
		assert.Equal(t, evals.StatusPass, check.Status, "the row is not there, whatever the error")
		assert.Equal(t, !denial, check.Vacuous, code)
	}
}

func TestACauseIsNamedForEveryKindOfBlock(t *testing.T) {
	t.Parallel()
	no := false
	for _, test := range []struct {
		name   string
		change func(seen *probes.Observations, row *probes.RowObservation)
		want   string
	}{
		{"the statement ran too long", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status, row.Answer.Code = 500, "57014"
		}, "longer than the statement timeout"},
		{"the token was refused", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status, row.Answer.Code = 401, "PGRST301"
		}, "does not accept the person's token"},
		{"the token names a database role that is not there", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status, row.Answer.Code, row.Answer.Message = 401, "22023", `role "moderator" does not exist`
		}, "the claim role of the person's token names a database role"},
		{"an error that explains itself", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status, row.Answer.Code, row.Answer.Message = 400, "P0001", "posts are forever"
		}, `answered 400 P0001 "posts are forever", and the row is still there`},
		{"a policy names what is not there", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status, row.Answer.Code = 404, "42883"
		}, "names something that does not exist"},
		{"a function in a policy is denied", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status, row.Answer.Code, row.Answer.Message = 403, "42501", "permission denied for function authorize"
		}, `the caller may not: "permission denied for function authorize"`},
		{"an error in the log", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Answer.Status = 500
			row.Logs = []probes.LogEntry{{Error: "out of shared memory", SQLState: "53200"}}
		}, "out of shared memory (SQLSTATE 53200)"},
		{"the table is gone", func(seen *probes.Observations, _ *probes.RowObservation) {
			seen.Catalog.Tables[posts].Exists = false
		}, "public.posts does not exist any more"},
		{"the row is hidden", func(_ *probes.Observations, row *probes.RowObservation) {
			row.Visible = &no
		}, `member cannot read the row`},
		{"only a restrictive policy", func(seen *probes.Observations, _ *probes.RowObservation) {
			policies := seen.Catalog.Tables[posts].Policies
			policies[1].Permissive, policies[2].Permissive = false, false
		}, "there are restrictive policies, which only take away"},
		{"a restrictive policy among others", func(seen *probes.Observations, _ *probes.RowObservation) {
			seen.Catalog.Tables[posts].Policies[1].Permissive = false
		}, "a restrictive policy of public.posts is false for member"},
		{"nothing is known of the catalog", func(seen *probes.Observations, _ *probes.RowObservation) {
			seen.Catalog = nil
		}, "still there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			row := seen.Rows["member-deletes-own-post"]
			row.After = 1
			test.change(seen, row)
			check := byID(t, judge(t, seen), "member-deletes-own-post")
			assert.Equal(t, evals.StatusFail, check.Status)
			assert.Contains(t, check.Note, test.want)
		})
	}
}
