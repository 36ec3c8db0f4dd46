package rls

import (
	"fmt"
	"slices"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// Grades is what the tests of a task say of a candidate.
type Grades struct {
	// Verdict is the worst of the tests'.
	Verdict Verdict `json:"verdict"`
	// Tests are the tests in the task's order.
	Tests []TestGrade `json:"tests"`
	// Matrix says how each rule fared, by role and verb.
	Matrix []Cell `json:"matrix"`
}

// TestGrade is the verdict of one test.
type TestGrade struct {
	ID    string   `json:"id"`
	Name  string   `json:"name,omitempty"`
	Rules []string `json:"rules"`
	// User is the alias of who ran it, else the role; Role is the role.
	User string         `json:"user"`
	Role string         `json:"role"`
	Verb probes.RLSVerb `json:"verb"`
	// Verdict is the worse of the paths'.
	Verdict Verdict `json:"verdict"`
	// Findings are the paths' verdicts, SQL first.
	Findings []Finding `json:"findings"`
	// Difference says why the paths differ; nil when they agree.
	Difference *Difference `json:"difference,omitempty"`
	// SignedToken is, where users really sign in, why this one's token was signed with
	// their claims instead; empty otherwise.
	SignedToken string `json:"signed_token,omitempty"`
}

// Finding is the finding on a path; nil when the path was not taken.
func (t *TestGrade) Finding(path probes.RLSPath) *Finding {
	for i := range t.Findings {
		if t.Findings[i].Path == path {
			return &t.Findings[i]
		}
	}
	return nil
}

// Cell is how a rule fared for a role and a verb.
type Cell struct {
	Rule    string         `json:"rule"`
	Role    string         `json:"role"`
	Verb    probes.RLSVerb `json:"verb"`
	Verdict Verdict        `json:"verdict"`
	// Tests are the ids of the tests behind it.
	Tests []string `json:"tests"`
}

// Judge judges what a run saw. The error says which test the harness could not look
// at: then there is no verdict on the candidate.
func Judge(task *tasks.Task, readings tasks.Readings, run *probes.RLSRun) (*Grades, error) {
	readings = readings.WithDefaults()
	grades := &Grades{Verdict: Pass}
	for i := range task.Tests {
		test := &task.Tests[i]
		grade := TestGrade{
			ID: test.ID, Name: test.Name, Rules: test.Rules, User: test.As.Alias, Role: test.As.Role, Verdict: Pass,
		}
		if grade.User == "" {
			grade.User = test.As.Role
		}
		if err := grade.judge(test, readings, run); err != nil {
			return nil, err
		}
		grades.Tests = append(grades.Tests, grade)
		grades.Verdict = Worst(grades.Verdict, grade.Verdict)
	}
	grades.Matrix = matrix(grades.Tests)
	return grades, nil
}

// judge fills a grade from the observations of its test.
func (g *TestGrade) judge(test *tasks.Test, readings tasks.Readings, run *probes.RLSRun) error {
	var seen [2]*probes.RLSObservation
	var findings [2]Finding
	for at, path := range []probes.RLSPath{probes.RLSPathSQL, probes.RLSPathAPI} {
		i := slices.IndexFunc(run.Observations, func(o probes.RLSObservation) bool { return o.Test == test.ID && o.Path == path })
		if i < 0 {
			continue
		}
		o := &run.Observations[i]
		f := judge(test, readings, o)
		if f.Trouble != "" {
			return fmt.Errorf("test %s by %s cannot be judged: %s", test.ID, path, f.Trouble)
		}
		if o.Skipped == "" {
			f.Evidence = evidence(test, o)
		}
		seen[at], findings[at] = o, f
		g.SignedToken = o.SignedToken
		g.Verb = o.Statement.Verb
		g.Findings = append(g.Findings, f)
		g.Verdict = Worst(g.Verdict, f.Verdict)
	}
	if len(g.Findings) == 0 {
		return fmt.Errorf("test %s was not run", test.ID)
	}
	if seen[0] != nil && seen[1] != nil {
		g.Difference = explain(test.As.Role, seen[0], seen[1], findings)
	}
	return nil
}

// matrix lists rule × role × verb in the order of the tests' first mention.
func matrix(grades []TestGrade) []Cell {
	var cells []Cell
	for _, g := range grades {
		for _, rule := range g.Rules {
			at := slices.IndexFunc(cells, func(c Cell) bool { return c.Rule == rule && c.Role == g.Role && c.Verb == g.Verb })
			if at < 0 {
				cells = append(cells, Cell{Rule: rule, Role: g.Role, Verb: g.Verb, Verdict: Pass})
				at = len(cells) - 1
			}
			cells[at].Verdict = Worst(cells[at].Verdict, g.Verdict)
			cells[at].Tests = append(cells[at].Tests, g.ID)
		}
	}
	slices.SortStableFunc(cells, func(a, b Cell) int { return tasks.CompareIDs(a.Rule, b.Rule) })
	return cells
}
