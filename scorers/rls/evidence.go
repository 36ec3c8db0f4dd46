package rls

import (
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// Evidence is what a finding rests on.
type Evidence struct {
	// Form is how the test was put on its path; empty when it was not.
	Form probes.RLSForm `json:"form,omitempty"`
	// SQLState is PostgreSQL's code of a failure. Status and Code are the API's.
	SQLState string `json:"sqlstate,omitempty"`
	Status   int    `json:"status,omitempty"`
	Code     string `json:"code,omitempty"`
	// Affected is how many rows the statement says to have touched or returned; -1 when
	// it does not say.
	Affected int64 `json:"affected"`
	// Expected and Observed are rows, "id=1 body=a", in their order; at most maxShown.
	Expected []string `json:"expected_rows,omitempty"`
	Observed []string `json:"observed_rows,omitempty"`
	// Changes is what the owner saw to be different before the writes were undone.
	Changes []probes.RLSChange `json:"changes,omitempty"`
	// MS is how long the test took.
	MS float64 `json:"ms"`
}

// maxShown bounds the rows in evidence. Whoever wants more keeps the observations.
const maxShown = 50

// evidence collects what there is to see of a test on one path.
func evidence(test *tasks.Test, o *probes.RLSObservation) *Evidence {
	e := &Evidence{Form: o.Form, Affected: o.Affected, Changes: o.Changes, MS: o.MS}
	if o.Failed != nil {
		e.SQLState = o.Failed.SQLState
	}
	if o.Answer != nil {
		e.Status, e.Code = o.Answer.Status, o.Answer.Code
	}
	want := test.Expect
	if o.Path == probes.RLSPathAPI && test.API != nil && test.API.Expect != nil {
		want = *test.API.Expect
	}
	columns := make([]probes.RLSColumn, 0, len(want.Columns))
	for _, name := range want.Columns {
		columns = append(columns, probes.RLSColumn{Name: name})
	}
	if o.Result != nil {
		if len(columns) == 0 {
			columns = o.Result.Columns
		}
		e.Observed = shown(o.Result.Columns, o.Result.Rows)
	}
	e.Expected = shown(columns, want.Rows)
	return e
}

// shown are rows as a reader wants to see them.
func shown(columns []probes.RLSColumn, rows [][]any) []string {
	var lines []string
	for _, row := range rows[:min(len(rows), maxShown)] {
		lines = append(lines, lineOf(columns, row).text)
	}
	return lines
}
