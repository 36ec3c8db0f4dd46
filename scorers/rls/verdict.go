// Package rls judges what the tests of a task saw: each test on each path is a pass, a
// leak, a block or an error, and where the paths differ a cause says why. It promises
// that the same observations give the same verdicts. It asks nobody and changes
// nothing.
package rls

import (
	"fmt"
	"slices"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// Verdict is what a test or a candidate comes to.
type Verdict string

// The verdicts, the best first. A candidate's is the worst of its tests', where a leak
// is worse than a block and a block worse than an error.
const (
	// Pass: what was expected happened.
	Pass Verdict = "pass"
	// Skip: the test has no such path.
	Skip Verdict = "skip"
	// Error: the SQL failed in a way that refuses nobody: a constraint, a time limit, a
	// broken policy where nothing was to be seen anyway, a refusal of another kind than
	// asked for.
	Error Verdict = "error"
	// Block: somebody lost access that they should have.
	Block Verdict = "block"
	// Leak: somebody got access that they should not have.
	Leak Verdict = "leak"
)

// rank orders verdicts, the worst last.
func (v Verdict) rank() int {
	return slices.Index([]Verdict{Skip, Pass, Error, Block, Leak}, v)
}

// Worst is the worst of the verdicts; Pass when there is none but Skip.
func Worst(verdicts ...Verdict) Verdict {
	worst := Pass
	for _, v := range verdicts {
		if v.rank() > worst.rank() {
			worst = v
		}
	}
	return worst
}

// denied is the SQLSTATE of a refusal: insufficient_privilege, which both missing
// privileges and policies raise.
const denied = "42501"

// Finding is the verdict of one test on one path.
type Finding struct {
	Path    probes.RLSPath `json:"path"`
	Verdict Verdict        `json:"verdict"`
	// Mixed is true for a leak that blocks too.
	Mixed bool `json:"mixed,omitempty"`
	// Note says what was expected and what happened; empty for a pass.
	Note string `json:"note,omitempty"`
	// Trouble is set when the harness could not look; no verdict follows from it.
	Trouble string `json:"trouble,omitempty"`
	// Evidence is what the finding rests on; nil for a test that was not put on the path.
	Evidence *Evidence `json:"evidence,omitempty"`
}

// judge is the verdict of a test on one path.
func judge(test *tasks.Test, readings tasks.Readings, o *probes.RLSObservation) Finding {
	f := Finding{Path: o.Path, Verdict: Pass}
	switch {
	case o.Skipped != "":
		f.Verdict, f.Note = Skip, o.Skipped
		return f
	case o.Trouble != "":
		f.Verdict, f.Trouble = Error, o.Trouble
		return f
	case o.SetupFailed != nil:
		return f.turn(Error, "the test's set-up failed: %s", o.SetupFailed)
	}
	want := test.Expect
	if o.Path == probes.RLSPathAPI && test.API != nil {
		if status := test.API.Status; status != 0 && o.Answer != nil && o.Answer.Status != status {
			f = f.turn(Error, "the answer's status is %d, %d is expected", o.Answer.Status, status)
		}
		if test.API.Expect != nil {
			want = *test.API.Expect
		}
	}
	f = f.worse(expectation{want: want, readings: readings, o: o}.judge(f))
	if o.LookFailed != nil {
		f = f.worse(Finding{Path: o.Path}.turn(Error, "the owner cannot see what changed: %s", o.LookFailed))
	}
	if o.After != nil && test.After != nil {
		f = f.worse(judgeAfter(test.After, readings, o.After, f))
	}
	return f
}

// turn makes a verdict with its reason.
func (f Finding) turn(v Verdict, format string, args ...any) Finding {
	f.Verdict, f.Note = v, fmt.Sprintf(format, args...)
	return f
}

// worse is the worse of two findings of one test, with both notes.
func (f Finding) worse(other Finding) Finding {
	if other.Verdict == Pass || other.Note == f.Note && other.Verdict == f.Verdict {
		return f
	}
	if f.Verdict == Pass {
		return other
	}
	note := f.Note + "; " + other.Note
	mixed := f.Mixed || other.Mixed
	if other.Verdict.rank() > f.Verdict.rank() {
		f = other
	}
	f.Note, f.Mixed = note, mixed
	return f
}

// expectation is an expected result with what happened.
type expectation struct {
	want     tasks.Expect
	readings tasks.Readings
	o        *probes.RLSObservation
}

func (e expectation) judge(f Finding) Finding {
	f.Verdict, f.Note = Pass, ""
	if e.want.Kind == tasks.KindDenied {
		return e.judgeDenied(f)
	}
	if refusal := e.refusal(); refusal != "" {
		if e.unreachable() || e.code() == denied || e.losesAccess() {
			return f.turn(Block, "%s, %s expected", refusal, e.expected())
		}
		return f.turn(Error, "%s, %s expected", refusal, e.expected())
	}
	switch e.want.Kind {
	case tasks.KindRows:
		return e.judgeRows(f)
	case tasks.KindCount:
		return e.judgeCount(f)
	default:
		return e.judgeAffected(f)
	}
}

// code is the SQLSTATE of the refusal; empty when there is none.
func (e expectation) code() string {
	if e.o.Failed == nil {
		return ""
	}
	return e.o.Failed.SQLState
}

// The SQLSTATEs of policies and functions that take access away from whomever they are
// about, loudly: a policy that asks itself, and code that writes where the API only
// reads.
const (
	recursive = "42P17"
	readOnly  = "25006"
)

// losesAccess says whether a failure that is no refusal takes access away that is
// expected.
func (e expectation) losesAccess() bool {
	if e.code() != recursive && e.code() != readOnly {
		return false
	}
	switch e.want.Kind {
	case tasks.KindRows:
		return len(e.want.Rows) > 0
	case tasks.KindCount:
		return e.want.Count > 0
	default:
		return e.want.Affected > 0
	}
}

// refusal says how the statement failed; empty when it did not.
func (e expectation) refusal() string {
	switch {
	case e.o.Failed != nil && e.o.Answer != nil:
		return fmt.Sprintf("%d %s", e.o.Answer.Status, e.o.Failed)
	case e.o.Failed != nil:
		return e.o.Failed.Error()
	case e.o.Answer != nil && e.o.Answer.Status >= 300:
		return fmt.Sprintf("%d %s: %s", e.o.Answer.Status, e.o.Answer.Code, e.o.Answer.Message)
	}
	return ""
}

// unreachable says whether the API does not know what is asked for: a schema, table
// or function that is not exposed (PostgREST documentation, "Errors").
func (e expectation) unreachable() bool {
	if e.o.Answer == nil {
		return false
	}
	switch e.o.Answer.Code {
	case "PGRST106", "PGRST200", "PGRST202", "PGRST205", "PGRST116":
		return true
	}
	return false
}

// expected says in words what should have happened.
func (e expectation) expected() string {
	switch e.want.Kind {
	case tasks.KindRows:
		return are(len(e.want.Rows), "row")
	case tasks.KindCount:
		return fmt.Sprintf("a count of %d is", e.want.Count)
	case tasks.KindAffected:
		return are(e.want.Affected, "affected row")
	default:
		return "a refusal is"
	}
}

// are is a number of things with its verb.
func are(n int, what string) string {
	if n == 1 {
		return plural(n, what) + " is"
	}
	return plural(n, what) + " are"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (e expectation) judgeRows(f Finding) Finding {
	if e.o.Result == nil {
		return f.turn(Error, "no rows came back, %s expected", e.expected())
	}
	d := compareRows(e.want, e.o.Result, e.ordered())
	switch {
	case d.problem != "":
		return f.turn(Error, "%s", d.problem)
	case len(d.extra) > 0 && len(d.missing) > 0:
		f = f.turn(Leak, "extra rows: %s; missing rows: %s", list(d.extra), list(d.missing))
		f.Mixed = true
	case len(d.extra) > 0:
		f = f.turn(Leak, "extra rows: %s", list(d.extra))
	case len(d.missing) > 0:
		f = f.turn(Block, "missing rows: %s", list(d.missing))
	case d.order:
		f = f.turn(Error, "the rows are right and their order is not")
	}
	return f
}

func (e expectation) ordered() bool {
	if e.want.Ordered {
		return true
	}
	switch e.readings.Order {
	case tasks.OrderList:
		return true
	case tasks.OrderBag:
		return false
	default:
		return e.o.Statement.Ordered
	}
}
