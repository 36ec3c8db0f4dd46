package supascore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/mutate"
)

// ValidateOptions say how tasks are validated.
type ValidateOptions struct {
	// Grade says how candidates are graded.
	Grade GradeOptions
	// MinKillRate is the share of mutants that the tests have to catch, 0 to 1; 0 asks
	// for none.
	MinKillRate float64
	// NoMutants leaves the mutants out.
	NoMutants bool
	// OnCandidate is told of each candidate before it is graded; may be nil.
	OnCandidate func(name string)
}

// Validation says whether a task can be accepted.
type Validation struct {
	Task string `json:"task"`
	// By says who graded, as TaskGrade.By does; empty when the task's own SQL does not run.
	By string `json:"by,omitempty"`
	// Accepted is true when all demands are met.
	Accepted bool `json:"accepted"`
	// Demands are the demands in a fixed order.
	Demands []Demand `json:"demands"`
	// Traps says what each trap came to.
	Traps []Caught `json:"traps"`
	// Mutants says what each generated wrong answer came to; KillRate is the share that a
	// test caught of those that are wrong, 1 when there are none.
	Mutants  []Caught `json:"mutants,omitempty"`
	KillRate float64  `json:"kill_rate"`
}

// Demand is one condition that a task has to meet.
type Demand struct {
	// ID names it: "structure", "reference", "no-policy", …
	ID  string `json:"id"`
	Met bool   `json:"met"`
	// Note says what is wrong; empty when it is met.
	Note string `json:"note,omitempty"`
}

// Caught is what a wrong answer came to.
type Caught struct {
	Name    string        `json:"name"`
	Verdict score.Verdict `json:"verdict"`
	// Tests are the ids of the tests that failed; empty when none did, or when the
	// answer does not run.
	Tests []string `json:"tests,omitempty"`
	// Reason is why the answer failed when no test says it.
	Reason string `json:"reason,omitempty"`
	// Change says what a mutant changes.
	Change string `json:"change,omitempty"`
	// Same says of a mutant that passes why it provably is no other than the reference;
	// empty when it may be.
	Same string `json:"same,omitempty"`
}

// Missed says that nothing caught a wrong answer.
func (c Caught) Missed() bool { return c.Verdict == score.Pass && c.Same == "" }

// Validate checks a task against the acceptance gate of RLS-Bench, and with wrong
// answers that are generated from its reference. The error is the machine's or ctx's;
// a task whose own SQL does not run is not accepted.
func (g *Grader) Validate(ctx context.Context, task *tasks.Task, opts ValidateOptions) (*Validation, error) {
	v := &validation{grader: g, task: task, opts: opts, out: &Validation{Task: task.ID, KillRate: 1}}
	v.demand("structure", errorNote(tasks.Check(task)))
	reference, err := v.reference(ctx)
	if err != nil || reference == nil {
		return v.finish(), err
	}
	for _, step := range []func(context.Context) error{v.baselines, v.traps, v.mutants} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return v.finish(), nil
}

// validation is a validation under way.
type validation struct {
	grader *Grader
	task   *tasks.Task
	opts   ValidateOptions
	out    *Validation
	// security is what the reference lets whom do; nil until it is needed.
	security *mutate.State
}

// demand records a demand; an empty note is a met one.
func (v *validation) demand(id, note string) {
	v.out.Demands = append(v.out.Demands, Demand{ID: id, Met: note == "", Note: note})
}

func errorNote(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (v *validation) finish() *Validation {
	v.out.Accepted = !slices.ContainsFunc(v.out.Demands, func(d Demand) bool { return !d.Met })
	return v.out
}

func (v *validation) grade(ctx context.Context, candidate tasks.NamedSQL, opts GradeOptions) (*TaskGrade, error) {
	if v.opts.OnCandidate != nil {
		v.opts.OnCandidate(candidate.Name)
	}
	return v.grader.Grade(ctx, v.task, candidate, opts)
}

// reference grades the reference solution: it passes, again, and with the tests in
// another order. It returns nil when the task's own SQL does not run.
func (v *validation) reference(ctx context.Context) (*TaskGrade, error) {
	solution := tasks.NamedSQL{Name: "solution.sql", SQL: v.task.Solution}
	first, err := v.grade(ctx, solution, v.opts.Grade)
	if note := brokenSetup(err); note != "" {
		v.demand("reference", note)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v.out.By = first.By()
	v.demand("reference", whyNotPassed(first))
	again, err := v.grade(ctx, solution, v.opts.Grade)
	if err != nil {
		return nil, err
	}
	v.demand("repeatable", whereDiffer(first, again))
	shuffled := v.opts.Grade
	shuffled.Order = shuffle(v.task)
	other, err := v.grade(ctx, solution, shuffled)
	if err != nil {
		return nil, err
	}
	v.demand("order-free", whereDiffer(first, other))
	return first, nil
}

// brokenSetup is what is wrong with the task's schema or seed.
func brokenSetup(err error) string {
	var sql *arena.SQLError
	if errors.As(err, &sql) {
		return err.Error()
	}
	return ""
}

// whyNotPassed names the tests that a grade fails.
func whyNotPassed(grade *TaskGrade) string {
	if grade.Passed() {
		return ""
	}
	if grade.Reason != "" {
		return "the reference " + grade.Reason
	}
	var notes []string
	for _, test := range grade.Grades.Tests {
		for _, finding := range test.Findings {
			if finding.Verdict != score.Pass && finding.Verdict != score.Skip {
				notes = append(notes, fmt.Sprintf("%s by %s: %s: %s", test.ID, finding.Path, finding.Verdict, finding.Note))
			}
		}
	}
	return "the reference fails: " + strings.Join(notes, "; ")
}

// whereDiffer names the tests whose verdicts are not the same in two grades.
func whereDiffer(a, b *TaskGrade) string {
	if a.Verdict != b.Verdict {
		return fmt.Sprintf("one run says %s, another says %s", a.Verdict, b.Verdict)
	}
	if a.Grades == nil || b.Grades == nil {
		return ""
	}
	var differ []string
	for i := range a.Grades.Tests {
		one, err := json.Marshal(withoutEvidence(a.Grades.Tests[i]))
		other, err2 := json.Marshal(withoutEvidence(b.Grades.Tests[i]))
		if err != nil || err2 != nil || string(one) != string(other) {
			differ = append(differ, a.Grades.Tests[i].ID)
		}
	}
	if len(differ) == 0 {
		return ""
	}
	return "two runs differ in " + strings.Join(differ, ", ")
}

// withoutEvidence is a test's grade without what may differ from run to run: generated
// ids and times in rows, and how long it took.
func withoutEvidence(t score.TestGrade) score.TestGrade {
	t.Findings = slices.Clone(t.Findings)
	for i := range t.Findings {
		t.Findings[i].Evidence = nil
	}
	return t
}

// shuffle is an order of the tests that only depends on the task.
func shuffle(task *tasks.Task) []int {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(task.Hash)) // a hash never fails
	return rand.New(rand.NewPCG(seed.Sum64(), 0)).Perm(len(task.Tests))
}

// baselines grades what every task must fail.
func (v *validation) baselines(ctx context.Context) error {
	for _, baseline := range Baselines() {
		grade, err := v.grade(ctx, baseline, v.opts.Grade)
		if err != nil {
			return err
		}
		note := ""
		switch {
		case grade.Apply != nil:
			note = grade.Reason
		case grade.Passed():
			note = "passes every test"
		}
		v.demand(baseline.Name, note)
	}
	return nil
}

// traps grades the planted wrong answers: each runs and is caught by a test.
func (v *validation) traps(ctx context.Context) error {
	var missed []string
	for _, trap := range v.task.TrapFiles {
		caught, err := v.catch(ctx, trap)
		if err != nil {
			return err
		}
		v.out.Traps = append(v.out.Traps, caught)
		switch {
		case caught.Reason != "":
			missed = append(missed, trap.Name+" "+caught.Reason)
		case len(caught.Tests) == 0:
			missed = append(missed, trap.Name+" passes every test")
		}
	}
	v.demand("traps", strings.Join(missed, "; "))
	return nil
}

// catch grades a wrong answer.
func (v *validation) catch(ctx context.Context, candidate tasks.NamedSQL) (Caught, error) {
	grade, err := v.grade(ctx, candidate, v.opts.Grade)
	if err != nil {
		return Caught{}, err
	}
	caught := Caught{Name: candidate.Name, Verdict: grade.Verdict, Reason: grade.Reason}
	if grade.Grades != nil {
		for _, test := range grade.Grades.Tests {
			if test.Verdict != score.Pass && test.Verdict != score.Skip {
				caught.Tests = append(caught.Tests, test.ID)
			}
		}
	}
	return caught, nil
}

// mutants grades wrong answers made from the reference.
func (v *validation) mutants(ctx context.Context) error {
	if v.opts.NoMutants {
		return nil
	}
	list, err := mutate.Mutants(v.task.Schema, v.task.Solution)
	if err != nil {
		v.demand("mutants", err.Error())
		return nil
	}
	wrong, killed := 0, 0
	var survivors []string
	for _, mutant := range list {
		caught, err := v.mutant(ctx, mutant)
		if err != nil {
			return err
		}
		v.out.Mutants = append(v.out.Mutants, caught)
		switch {
		case caught.Missed():
			wrong++
			survivors = append(survivors, mutant.Name)
		case caught.Same == "":
			wrong++
			killed++
		}
	}
	if wrong > 0 {
		v.out.KillRate = float64(killed) / float64(wrong)
	}
	note := ""
	if v.out.KillRate < v.opts.MinKillRate {
		note = fmt.Sprintf("the tests catch %d of %d mutants, %.0f%% are asked for; they miss %s",
			killed, wrong, 100*v.opts.MinKillRate, strings.Join(survivors, ", "))
	}
	v.demand("mutants", note)
	return nil
}

// mutant grades a mutant, and looks whether it is wrong at all when it passes.
func (v *validation) mutant(ctx context.Context, mutant mutate.Mutant) (Caught, error) {
	caught, err := v.catch(ctx, tasks.NamedSQL{Name: mutant.Name, SQL: mutant.SQL})
	caught.Change = string(mutant.Kind)
	if err != nil || caught.Verdict != score.Pass {
		return caught, err
	}
	if v.security == nil {
		if v.security, err = v.securityOf(ctx, v.task.Solution); err != nil {
			return caught, err
		}
	}
	changed, err := v.securityOf(ctx, mutant.SQL)
	if err != nil {
		return caught, err
	}
	caught.Same = mutant.Same(*v.security, *changed)
	return caught, nil
}

// securityOf is what a candidate that runs lets whom do.
func (v *validation) securityOf(ctx context.Context, sql string) (_ *mutate.State, err error) {
	clone, err := v.grader.grounds.enter(ctx, setupOf(v.task, v.task.Readings.With(v.opts.Grade.Readings).WithDefaults(), v.opts.Grade.Expose))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, clone.Close(ctx)) }()
	if err := clone.Apply(ctx, "candidate", sql); err != nil {
		return nil, fmt.Errorf("task %s: %w", v.task.ID, err)
	}
	var roles []string
	for i := range v.task.Tests {
		roles = append(roles, v.task.Tests[i].As.Role)
	}
	seen, err := clone.Security(ctx, roles)
	if err != nil {
		return nil, err
	}
	state := &mutate.State{Fingerprint: seen.Fingerprint, Requests: seen.Requests, Triggered: seen.Triggered}
	for _, right := range seen.Rights {
		state.Rights = append(state.Rights, mutate.Right(right))
	}
	return state, nil
}
