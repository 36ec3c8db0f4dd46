// Package rls runs the tests of one task on one candidate's database, each on two
// paths: as SQL in a session that can become the tested role only, and as a request
// with a signed token to the Data API. It promises that every test begins with the
// same rows, that nothing of a test is left for the next, and that what changed is
// seen by the owner before it is undone. It records and never judges.
package rls

import (
	"fmt"
	"slices"
	"sync"

	"github.com/supascore/supascore/internal/pgparse"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/rls/translate"
	"github.com/supascore/supascore/tasks"
)

// Plan is a task's tests, taken apart once for all candidates. It may be used by many
// runs at a time.
type Plan struct {
	task     *tasks.Task
	readings tasks.Readings
	tests    []planned
	// shapes are what is known of databases, by Target.Shape.
	shapes sync.Map
	// nests is what Nests says.
	nests bool
}

// planned is a test with what its SQL says.
type planned struct {
	test  *tasks.Test
	query translate.Query
	// after is the owner's query; nil when there is none.
	after *translate.Query
}

// NewPlan takes the task's tests apart. readings are those in force, defaults filled.
func NewPlan(task *tasks.Task, readings tasks.Readings) *Plan {
	p := &Plan{task: task, readings: readings.WithDefaults()}
	for i := range task.Tests {
		test := &task.Tests[i]
		t := planned{test: test, query: translate.Cut(test.Query, p.readings.Statements == tasks.StatementsFirst)}
		if test.After != nil {
			after := translate.Cut(test.After.Query, false)
			t.after = &after
		}
		p.tests = append(p.tests, t)
	}
	p.nests = !slices.ContainsFunc(p.tests, func(t planned) bool { return t.controlsTransactions() })
	return p
}

// Nests says whether the tests can run behind a savepoint: none of them begins
// transactions or ends them, as far as its syntax tells.
func (p *Plan) Nests() bool { return p.nests }

// controlsTransactions says whether a test may begin transactions or end them.
func (t *planned) controlsTransactions() bool {
	texts := []string{t.test.Query}
	if t.after != nil {
		texts = append(texts, t.test.After.Query)
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		list, err := pgparse.Parse(text)
		return err != nil || slices.ContainsFunc(list, func(s pgparse.Statement) bool {
			return s.Node.GetTransactionStmt() != nil || s.Node.GetDiscardStmt() != nil
		})
	})
}

// unprepared is why a test has no API path; empty when it has one.
func (t *planned) unprepared() string {
	if t.test.SkipAPI != "" {
		return "the task says: " + t.test.SkipAPI
	}
	return ""
}

// observation begins the record of a test.
func (t *planned) observation(path probes.RLSPath) *probes.RLSObservation {
	return &probes.RLSObservation{Test: t.test.ID, Path: path, Statement: t.query.Statement, Affected: -1}
}

// order lists the tests' positions: the given ones, or all in the file's order.
func (p *Plan) order(given []int) ([]int, error) {
	if given == nil {
		for i := range p.tests {
			given = append(given, i)
		}
	}
	for _, at := range given {
		if at < 0 || at >= len(p.tests) {
			return nil, fmt.Errorf("task %s has no test at position %d", p.task.ID, at)
		}
	}
	return given, nil
}
