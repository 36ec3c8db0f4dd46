package tasks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

func TestCheckSaysWhatATaskLacks(t *testing.T) {
	t.Parallel()
	files := noteFiles()
	meta := func(old, new string) map[string]string {
		require.Contains(t, files["task.yaml"], old)
		return map[string]string{"task.yaml": strings.Replace(files["task.yaml"], old, new, 1)}
	}
	requirement := func(text string) map[string]string { return map[string]string{"requirement.md": text} }
	tests := func(old, new string) map[string]string {
		require.Contains(t, files["tests.yaml"], old)
		return map[string]string{"tests.yaml": strings.Replace(files["tests.yaml"], old, new, 1)}
	}
	for name, c := range map[string]struct {
		changes       map[string]string
		problem, hint string
	}{
		"a title":              {meta("Own notes", "' '"), "T001-own-notes/task.yaml: the title is blank", "say in a line what the task is about"},
		"a tier":               {meta("tier: 1", "tier: 4"), "T001-own-notes/task.yaml: there is no tier 4", "tiers are 1, 2 and 3"},
		"a canary":             {meta("canary: "+tasks.Canary, ""), "T001-own-notes/task.yaml: there is no canary", "mark the task as benchmark data"},
		"a canary's form":      {meta(tasks.Canary, "CANARY-1"), `"CANARY-1" has not the form of a canary`, `a name, "-CANARY-" and 16 hex digits`},
		"a canary at the end":  {requirement("R1. x\nR2. y\n" + tasks.Canary + "\nmore"), "requirement.md: does not end with the canary", "make it the last line"},
		"rules":                {requirement("none\n" + tasks.Canary), "requirement.md: has no rules", `number the rules "R1. …", "R2. …"`},
		"a number":             {requirement("R1. x\nR3. y\n" + tasks.Canary), "T001-own-notes/requirement.md:2:1: rule R3 stands where R2 belongs", "number the rules from R1 without gaps"},
		"a number of its own":  {requirement("R1. x\nR2. y\nR2. z\n" + tasks.Canary), "requirement.md:3:1: rule R2 stands where R3 belongs", "number the rules from R1 without gaps"},
		"a rule's text":        {requirement("R1.\n\nR2. y\n" + tasks.Canary), "requirement.md:1:1: rule R1 says nothing", ""},
		"a rule that is cited": {tests("[R2]", "[R9]"), "tests.yaml:12:1: test none cites R9, which is no rule", `did you mean "R1"?`},
		"a test of a rule":     {tests("[R2]", "[R1]"), "T001-own-notes/requirement.md:5:1: no test cites rule R2", "write a test that covers it"},
		"traps":                {map[string]string{"traps/null-owner.sql": ""}, "T001-own-notes/traps: there are no traps", "plant at least one wrong answer"},
		"a trap of its own":    {map[string]string{"traps/null-owner.sql": files["solution.sql"] + "\n"}, "traps/null-owner.sql: is the same as solution.sql", "a trap is a wrong answer of its own"},
		"a trap's text":        {map[string]string{"traps/null-owner.sql": " "}, "traps/null-owner.sql: is blank", ""},
		"a trap's pattern":     {meta("traps: [null-owner]", ""), "the patterns of the traps are not named", `for example "traps: [null-owner]"`},
		"patterns once":        {meta("[null-owner]", "[a, a]"), `trap pattern "a" is named twice`, ""},
		"a report's trap":      {meta("trap: null-owner", "trap: nul-owner"), `a report is for trap "nul-owner", which there is not`, `did you mean "null-owner"?`},
		"a schema":             {map[string]string{"schema.sql": " "}, "T001-own-notes/schema.sql: is blank", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tasks.Check(load(t, c.changes))
			var fileErr *tasks.FileError
			require.ErrorAs(t, err, &fileErr)
			assert.Contains(t, fileErr.Error(), c.problem)
			assert.Equal(t, c.hint, fileErr.Hint())
		})
	}
}

func TestCheckNamesTheFieldOfARow(t *testing.T) {
	t.Parallel()
	task := readRow(t, rowOf(t, load(t, map[string]string{"requirement.md": "R1. x\nR2. y\n"})))
	require.EqualError(t, tasks.Check(task), "d.jsonl:1#requirement: does not end with the canary "+tasks.Canary)
}

func TestRulesAreReadHoweverTheyAreMarked(t *testing.T) {
	t.Parallel()
	task := load(t, map[string]string{"requirement.md": "# R0. is no rule\n\nSee R9. Not at the start.\n- R1. one\n  goes on\r\n* **R2.** two\n## R3: three\n**R4)** four\n\nafter a blank line\nR5.nothing\nR6. six\n" + tasks.Canary})
	var got []string
	for _, rule := range task.Rules {
		got = append(got, rule.ID+" "+rule.Text)
	}
	assert.Equal(t, []string{"R1 one goes on", "R2 two", "R3 three", "R4 four", "R6 six"}, got)
}
