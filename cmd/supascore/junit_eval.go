package main

import (
	"fmt"
	"io"

	"github.com/supascore/supascore/evals"
)

// evalJUnit writes a result as JUnit XML: one suite, a case for each check. A check
// that was not tried is a failure like one that was, since it counts as not passed; in
// strict mode so does one that could not be measured.
func evalJUnit(w io.Writer, r *evals.Result) error {
	suite := junitSuite{Name: r.Eval, Time: fmt.Sprintf("%.3f", r.Finished.Sub(r.Started).Seconds())}
	for _, check := range r.Checks {
		kind := string(check.Status)
		if check.Status == evals.StatusFail {
			kind = string(check.Class)
		}
		suite.add(junitCase{Class: r.Eval, Name: check.ID + ": " + check.Name}, checkOutcome(check.Status, r.Strict), kind, check.Note)
	}
	// What no check says is a case of its own, so that no failure is without one.
	if r.Error != "" {
		suite.add(junitCase{Class: r.Eval, Name: "the run as a whole"}, errored, "error", r.Error)
	}
	return junitSuites{Suites: []junitSuite{suite}}.write(w)
}

func checkOutcome(s evals.Status, strict bool) outcome {
	switch {
	case s == evals.StatusPass:
		return passed
	case s.Red(), s == evals.StatusUnmeasured && strict:
		return failed
	case s == evals.StatusUnmeasured:
		return skipped
	default:
		return errored
	}
}
