package evals

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func checksOf(statuses ...Status) []Check {
	var checks []Check
	for _, status := range statuses {
		checks = append(checks, Check{Status: status})
	}
	return checks
}

func TestChecksAddUpToAVerdictAndAnExitCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		checks []Check
		strict bool
		want   Verdict
		exit   int
	}{
		{"all pass", checksOf(StatusPass, StatusPass), false, Verdict{Passed: true, Complete: true}, 0},
		{"one fails", checksOf(StatusPass, StatusFail), false, Verdict{Complete: true}, 1},
		{"one is blocked", checksOf(StatusPass, StatusBlocked), false, Verdict{Complete: true}, 1},
		{"one is unmeasured", checksOf(StatusPass, StatusUnmeasured), false, Verdict{Passed: true}, 0},
		{"one is unmeasured, strictly", checksOf(StatusPass, StatusUnmeasured), true, Verdict{}, 1},
		{"one is in error", checksOf(StatusPass, StatusError), false, Verdict{Broken: true}, 3},
		{"one is in error and one fails", checksOf(StatusFail, StatusError), false, Verdict{Broken: true}, 3},
		{"one has a status of a later version", checksOf(StatusPass, "odd"), false, Verdict{Broken: true}, 3},
		{"there are none", nil, false, Verdict{Broken: true}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Summarise(test.checks, test.strict)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.exit, got.ExitCode())
		})
	}
}

func TestOnlyFailAndBlockedAreRed(t *testing.T) {
	t.Parallel()
	var red []Status
	for _, status := range Statuses() {
		assert.True(t, status.Valid(), status)
		if status.Red() {
			red = append(red, status)
		}
	}
	assert.Equal(t, []Status{StatusFail, StatusBlocked}, red)
	assert.False(t, Status("odd").Valid())
	assert.False(t, Class("odd").Valid())
}

func TestAResultSurvivesItsFile(t *testing.T) {
	t.Parallel()
	want := &Result{
		Version: ResultVersion, Eval: "build-x",
		Engine:       Engine{Name: "embedded", Versions: map[string]string{"postgres": "15.18"}},
		Phases:       []Phase{{Name: "boot", MS: 12.5}},
		Hashes:       Hashes{Eval: "ab", Workspace: "cd"},
		Settings:     map[string]string{"bcrypt_cost": "4"},
		Started:      time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
		Finished:     time.Date(2026, 1, 2, 3, 4, 7, 0, time.UTC),
		Observations: json.RawMessage(`{"run":"<01234567>"}`),
	}
	verdict := want.SetChecks([]Check{
		{ID: "a", Name: "a holds", Status: StatusPass, Class: ClassLeak, Note: "it does", Vacuous: true, Control: "b"},
		{ID: "b", Name: "b holds", Status: StatusFail, Class: ClassBlock, Note: "it does not", Needs: []string{"a"}, Advice: []string{"x"}},
	}, false)
	assert.Equal(t, Verdict{Complete: true}, verdict)

	var file bytes.Buffer
	require.NoError(t, want.Write(&file))
	assert.True(t, strings.HasSuffix(file.String(), "}\n"))
	got, err := ReadResult(&file)
	require.NoError(t, err)
	var observations bytes.Buffer
	require.NoError(t, json.Compact(&observations, got.Observations))
	got.Observations = observations.Bytes()
	assert.Equal(t, want, got)
	assert.Equal(t, verdict, got.Verdict())
}

func TestAResultWithAnErrorIsBrokenWhateverItsChecksSay(t *testing.T) {
	t.Parallel()
	result := &Result{Error: "postgres was killed"}
	verdict := result.SetChecks(checksOf(StatusPass), false)
	assert.Equal(t, ExitBroken, verdict.ExitCode())
	assert.False(t, result.Passed)
	assert.Equal(t, verdict, result.Verdict())
}

func TestOnlyResultFilesOfAKnownVersionAreRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"no JSON", "x", "read result: invalid character"},
		{"another JSON file", `{"name": "x"}`, "no result file"},
		{"a list", `[]`, "read result: json: cannot unmarshal array"},
		{"a later version", `{"version": 2, "eval": "x"}`, "written by a later version (2, this one reads up to 1)"},
		{"nothing", ``, "read result: EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadResult(strings.NewReader(test.text))
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// endless is a reader of a JSON text that never ends.
type endless struct{ begun bool }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	if !e.begun {
		copy(p, `{"eval": "`)
		e.begun = true
	}
	return len(p), nil
}

func TestAResultFileThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := ReadResult(&endless{})
	assert.ErrorContains(t, err, "larger than 16777216 bytes")
}
