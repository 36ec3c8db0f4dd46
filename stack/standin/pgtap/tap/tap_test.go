package tap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/standin/pgtap/tap"
)

func read(text string) (tap.Result, []tap.Line) {
	var p tap.Parser
	var lines []tap.Line
	for line := range strings.Lines(text) {
		lines = append(lines, p.Line(strings.TrimSuffix(line, "\n")))
	}
	return p.End(), lines
}

// The wanted results are what pg_prove 3.36 (TAP::Parser 3.44) says of the same lines.
func TestTheLinesOfAProgramAddUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want tap.Result
	}{
		"to success":     {"1..2\nok 1 - a\nok 2", tap.Result{Planned: 2, HasPlan: true, Run: 2, Passed: 2}},
		"to failure":     {"1..2\nok 1\nnot ok 2 - b", tap.Result{Planned: 2, HasPlan: true, Run: 2, Passed: 1, Failed: []int{2}}},
		"to a late plan": {"ok 1\nok 2\n1..2", tap.Result{Planned: 2, HasPlan: true, Run: 2, Passed: 2}},
		"to no plan": {
			"ok 1\nnot ok 2",
			tap.Result{Run: 2, Passed: 1, Failed: []int{2}, Faults: []string{"No plan found in TAP output"}},
		},
		"to nothing": {"", tap.Result{Faults: []string{"No plan found in TAP output"}}},
		"to too few": {
			"1..3\nok 1",
			tap.Result{Planned: 3, HasPlan: true, Run: 1, Passed: 1, Faults: []string{"Bad plan.  You planned 3 tests but ran 1."}},
		},
		"to tests beyond the plan, which fail": {
			"1..1\nok 1\nok 2",
			tap.Result{Planned: 1, HasPlan: true, Run: 2, Passed: 1, Failed: []int{2}, Faults: []string{"Bad plan.  You planned 1 tests but ran 2."}},
		},
		"to tests out of order": {
			"1..3\nok 1\nok 3\nnot ok 5\ngarbage\nok 4",
			tap.Result{
				Planned: 3, HasPlan: true, Run: 4, Passed: 2, Failed: []int{5, 4}, Faults: []string{
					"Tests out of sequence.  Found (3) but expected (2)", "Tests out of sequence.  Found (5) but expected (3)",
					"Bad plan.  You planned 3 tests but ran 4.",
				},
			},
		},
		"to tests to do and to skip": {
			"1..4\nok 1 # TODO later\nnot ok 2 # todo later\nok 3 # SKIP no need\nok 4 - a \\# SKIP in a name",
			tap.Result{Planned: 4, HasPlan: true, Run: 4, Passed: 4, Skipped: []int{3}, TodoPassed: []int{1}},
		},
		"to a skipped test that is not ok": {"1..1\nnot ok 1 # SKIP x", tap.Result{Planned: 1, HasPlan: true, Run: 1, Failed: []int{1}, Skipped: []int{1}}},
		"to a plan of tests to do": {
			"1..2 todo 2\nok 1\nnot ok 2",
			tap.Result{Planned: 2, HasPlan: true, Run: 2, Passed: 2},
		},
		"to all skipped":                   {"1..0 # SKIP not today", tap.Result{HasPlan: true, SkipAll: "not today"}},
		"to all skipped without reason":    {"1..0", tap.Result{HasPlan: true, SkipAll: "(no reason given)"}},
		"to tests without numbers":         {"1..2\nok\nnot ok - b", tap.Result{Planned: 2, HasPlan: true, Run: 2, Passed: 1, Failed: []int{2}}},
		"to a plan that is none":           {"1..2 of us\nok 1", tap.Result{Run: 1, Passed: 1, Faults: []string{"No plan found in TAP output"}}},
		"to words that only look like one": {"okay 1\nnot okay\n1..0 # skip x", tap.Result{HasPlan: true, SkipAll: "x"}},
		"to two plans": {
			"1..1\n1..1\nok 1",
			tap.Result{Planned: 1, HasPlan: true, Run: 1, Passed: 1, Faults: []string{"More than one plan found in TAP output"}},
		},
		"to a plan in the middle": {
			"ok 1\n1..2\nok 2",
			tap.Result{Planned: 2, HasPlan: true, Run: 2, Passed: 2, Faults: []string{"Plan (1..2) must be at the beginning or end of the TAP output"}},
		},
		"to giving up": {
			"1..3\nok 1\nBail out! the roof is on fire",
			tap.Result{Planned: 3, HasPlan: true, Run: 1, Passed: 1, Bailed: true, Faults: []string{"Bad plan.  You planned 3 tests but ran 1."}},
		},
		"to a version that comes too late": {
			"1..1\nTAP version 12\nok 1",
			tap.Result{Planned: 1, HasPlan: true, Run: 1, Passed: 1, Faults: []string{"If TAP version is present it must be the first line of output"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := read(c.text)
			assert.Equal(t, c.want, got)
			assert.Equal(t, len(c.want.Failed)+len(c.want.Faults) == 0 && !c.want.Bailed, got.OK())
		})
	}
}

func TestEachLineIsToldForWhatItIs(t *testing.T) {
	t.Parallel()
	_, lines := read("1..2\nok 1 - a\nnot ok 2\n# a diagnosis\n    indented\nBail out!  so\nTAP version 12")
	assert.Equal(t, []tap.Line{
		{Kind: tap.Plan, Text: "1..2"},
		{Kind: tap.Test, Text: "ok 1 - a", Number: 1, OK: true},
		{Kind: tap.Test, Text: "not ok 2", Number: 2},
		{Kind: tap.Comment, Text: "# a diagnosis"},
		{Text: "    indented"},
		{Kind: tap.BailOut, Text: "Bail out!  so", Reason: "so"},
		{Kind: tap.Version, Text: "TAP version 12"},
	}, lines)
}

func TestTestsThatWereNotRunAreCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"1..3\nok 1": 2, "1..1\nok 1\nok 2": -1, "ok 1": 0, "1..1\nok 1": 0} {
		r, _ := read(text)
		assert.Equal(t, want, r.Unrun(), text)
	}
}

func FuzzWhateverIsReadAddsUp(f *testing.F) {
	f.Add("1..2\nok 1 - a\nnot ok 2 # TODO b\n# c\nBail out! d")
	f.Add("1..0 # SKIP a")
	f.Add("ok 99999999999999999999999\n1..99999999999999999999999")
	f.Add("1..3 todo 1 2\nok\nok # skip\\#\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		r, lines := read(text)
		var tests, passed int
		for _, l := range lines {
			if l.Kind == tap.Test {
				tests++
				if l.OK {
					passed++
				}
			}
		}
		if r.Run != tests || r.Passed != passed || r.Passed+len(r.Failed) != r.Run {
			t.Errorf("%q: run %d, passed %d, failed %v; lines: %d tests, %d passed", text, r.Run, r.Passed, r.Failed, tests, passed)
		}
		if r.OK() && (!r.HasPlan || r.Planned != r.Run) {
			t.Errorf("%q is judged good without a plan that was kept: %+v", text, r)
		}
		if !slices.ContainsFunc(lines, func(l tap.Line) bool { return l.Kind == tap.Plan }) && r.HasPlan {
			t.Errorf("%q has no line with a plan", text)
		}
	})
}
