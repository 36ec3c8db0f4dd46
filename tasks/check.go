package tasks

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// Check says what a task that could be loaded lacks in structure to be accepted
// (dataset card, "A task was accepted into the set only if"): rules numbered from R1
// and each cited by a test, tests that cite rules there are, a tier from 1 to 3, a
// canary that ends the requirement, and traps, each a candidate of its own. Whether
// the reference passes and the traps fail needs a database and is not looked at. The
// error joins *FileErrors; it is nil when nothing is lacking.
func Check(t *Task) error {
	c := &checker{task: t}
	c.meta()
	c.requirement()
	c.rules()
	c.traps()
	return errors.Join(c.errs...)
}

// checker collects what a task lacks.
type checker struct {
	task *Task
	errs []error
}

func (c *checker) fail(file string, line int, remedy, format string, args ...any) {
	label := path.Join(c.task.Origin, file)
	if strings.Contains(path.Base(c.task.Origin), ".jsonl:") {
		label = c.task.Origin + "#" + rowField(file)
	}
	err := &FileError{File: label, Line: line, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
	if line > 0 {
		err.Column = 1
	}
	c.errs = append(c.errs, err)
}

func (c *checker) meta() {
	t := c.task
	if strings.TrimSpace(t.Title) == "" {
		c.fail(metaFile, 0, "say in a line what the task is about", "the title is blank")
	}
	if t.Tier < 1 || t.Tier > 3 {
		c.fail(metaFile, 0, "tiers are 1, 2 and 3", "there is no tier %d", t.Tier)
	}
	for _, file := range []struct{ name, text string }{{schemaFile, t.Schema}, {solutionFile, t.Solution}} {
		if strings.TrimSpace(file.text) == "" {
			c.fail(file.name, 0, "", "is blank")
		}
	}
}

// requirement checks the canary and the numbers of the rules.
func (c *checker) requirement() {
	t := c.task
	switch {
	case t.Canary == "":
		c.fail(metaFile, 0, "mark the task as benchmark data", "there is no canary")
	case !canaryPattern.MatchString(t.Canary):
		c.fail(metaFile, 0, `a name, "-CANARY-" and 16 hex digits`, "%q has not the form of a canary", t.Canary)
	case !strings.HasSuffix(strings.TrimSpace(t.Requirement), t.Canary):
		c.fail(requirementFile, 0, "make it the last line", "does not end with the canary %s", t.Canary)
	}
	if len(t.Rules) == 0 {
		c.fail(requirementFile, 0, `number the rules "R1. …", "R2. …"`, "has no rules")
	}
	for i, rule := range t.Rules {
		if want := "R" + strconv.Itoa(i+1); rule.ID != want {
			c.fail(requirementFile, rule.Line, "number the rules from R1 without gaps", "rule %s stands where %s belongs", rule.ID, want)
			return
		}
		if rule.Text == "" {
			c.fail(requirementFile, rule.Line, "", "rule %s says nothing", rule.ID)
		}
	}
}

// rules checks that tests and rules know each other.
func (c *checker) rules() {
	var ids []string
	for _, rule := range c.task.Rules {
		ids = append(ids, rule.ID)
	}
	cited := map[string]bool{}
	for _, test := range c.task.Tests {
		for _, id := range test.Rules {
			cited[id] = true
			if !slices.Contains(ids, id) {
				c.fail(testsFile, test.Line, strictyaml.DidYouMean(id, ids), "test %s cites %s, which is no rule", test.ID, id)
			}
		}
	}
	for _, rule := range c.task.Rules {
		if !cited[rule.ID] {
			c.fail(requirementFile, rule.Line, "write a test that covers it", "no test cites rule %s", rule.ID)
		}
	}
}

func (c *checker) traps() {
	t := c.task
	if len(t.TrapFiles) == 0 {
		c.fail(trapsDir, 0, "plant at least one wrong answer", "there are no traps")
	}
	var names []string
	seen := map[string]string{strings.TrimSpace(t.Solution): solutionFile}
	for _, trap := range t.TrapFiles {
		file := path.Join(trapsDir, trap.Name+".sql")
		names = append(names, trap.Name)
		// An empty trap is the candidate without policies, which is always tried.
		text := strings.TrimSpace(trap.SQL)
		if other, twice := seen[text]; twice {
			c.fail(file, 0, "a trap is a wrong answer of its own", "is the same as %s", other)
		} else if text == "" {
			c.fail(file, 0, "", "is blank")
		}
		seen[text] = file
	}
	patterns := map[string]bool{}
	for _, pattern := range t.Traps {
		if patterns[pattern] {
			c.fail(metaFile, 0, "", "trap pattern %q is named twice", pattern)
		}
		patterns[pattern] = true
	}
	if len(t.TrapFiles) > 0 && len(t.Traps) == 0 {
		c.fail(metaFile, 0, `for example "traps: [null-owner]"`, "the patterns of the traps are not named")
	}
	for _, report := range t.Reports {
		if report.Trap != "" && !slices.Contains(names, report.Trap) {
			c.fail(metaFile, 0, strictyaml.DidYouMean(report.Trap, names), "a report is for trap %q, which there is not", report.Trap)
		}
	}
}
