package parity_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity"
)

func step(scenario, name string, differences ...parity.Difference) parity.Step {
	return parity.Step{Scenario: scenario, Step: name, Differences: differences}
}

func difference() parity.Difference {
	return parity.Difference{Path: "body.role", Want: `"a"`, Got: `"b"`}
}

func TestAStepIsJudgedAgainstTheKnownGaps(t *testing.T) {
	t.Parallel()
	gaps, err := parity.NewGaps([]parity.Gap{
		{Scenario: "s", Step: "explained", Reason: "why"},
		{Scenario: "s", Step: "fixed", Reason: "why"},
		{Scenario: "s", Step: "gone", Reason: "why"},
		{Scenario: "s", Step: "twice", Reason: "why"},
		{Scenario: "not replayed", Step: "x", Reason: "why"},
	})
	require.NoError(t, err)
	report := parity.Judge([]parity.Step{
		step("s", "good"),
		step("s", "bad", difference()),
		step("s", "explained", difference()),
		step("s", "fixed"),
		step("s", "twice"),
		step("s", "twice", difference()),
		{Scenario: "s", Step: "broken", Err: errors.New("no server")},
	}, gaps)

	var verdicts []string
	for _, f := range report.Findings {
		verdicts = append(verdicts, f.Step.Step+": "+string(f.Verdict))
	}
	assert.Equal(t, []string{
		"good: agrees", "bad: differs", "explained: known gap", "fixed: stale gap",
		"twice: agrees", "twice: known gap", "broken: differs", "gone: gap without a step",
	}, verdicts)
	var failed []string
	for _, f := range report.Failed() {
		failed = append(failed, f.Step.Step)
	}
	assert.Equal(t, []string{"bad", "fixed", "broken", "gone"}, failed)
	agree, total := report.Count()
	assert.Equal(t, [2]int{3, 7}, [2]int{agree, total})

	var text strings.Builder
	require.NoError(t, report.Write(&text))
	assert.Contains(t, text.String(), "  differs: bad\n    body.role\n      want: \"a\"\n      got:  \"b\"\n")
	assert.Contains(t, text.String(), "not replayed: no server")
	assert.Contains(t, text.String(), "  known gap: explained (why)\n")
	assert.Contains(t, text.String(), "3 of 7 steps agree\n")
}

func TestTheListOfGapsIsStrict(t *testing.T) {
	t.Parallel()
	read := func(text string) error {
		_, err := parity.ReadGaps(fstest.MapFS{"g.yaml": {Data: []byte(text)}}, "g.yaml")
		return err
	}
	require.NoError(t, read("- {scenario: a, step: b, reason: c}\n- {scenario: a, step: c, reason: c}\n"))
	require.NoError(t, read(""))
	assert.Error(t, read("- {scenario: a, step: b}\n"), "no reason")
	assert.Error(t, read("- {scenario: a, step: b, reason: c, note: d}\n"), "unknown key")
	assert.Error(t, read("- {scenario: a, step: b, reason: c}\n- {scenario: a, step: b, reason: d}\n"), "twice")
	_, err := parity.ReadGaps(fstest.MapFS{}, "g.yaml")
	assert.NoError(t, err, "no file is no gap")
}

func TestALongValueIsCutInADiff(t *testing.T) {
	t.Parallel()
	text := parity.Difference{Path: "body", Want: strings.Repeat("x", 5000), Got: "y"}.String()
	assert.Less(t, len(text), 2200)
	assert.Contains(t, text, "(5000 bytes)")
}

func TestAStepThatWasNotAskedNeitherAgreesNorFails(t *testing.T) {
	t.Parallel()
	gaps, err := parity.NewGaps([]parity.Gap{{Scenario: "s", Step: "explained", Reason: "why"}})
	require.NoError(t, err)
	left := &parity.NotAskedError{Reason: "needs db-max-rows=2"}
	report := parity.Judge([]parity.Step{
		step("s", "good"),
		step("s", "left").Outcome(nil, fmt.Errorf("start: %w", left)),
		step("s", "explained").Outcome(nil, left),
		step("s", "broken").Outcome(nil, errors.New("no server")),
	}, gaps)
	var verdicts []string
	for _, f := range report.Findings {
		verdicts = append(verdicts, f.Step.Step+": "+string(f.Verdict)+" "+f.Reason)
	}
	assert.Equal(t, []string{
		"good: agrees ", "left: not asked needs db-max-rows=2", "explained: not asked needs db-max-rows=2", "broken: differs ",
	}, verdicts)
	agree, asked := report.Count()
	assert.Equal(t, [2]int{1, 2}, [2]int{agree, asked})
	require.Len(t, report.Failed(), 1)
	assert.Equal(t, "broken", report.Failed()[0].Step.Step)
}
