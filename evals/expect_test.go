package evals

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func twoChecks() *Eval {
	return &Eval{ID: "build-x", Checks: []CheckSpec{{ID: "first"}, {ID: "second"}}}
}

func expectation(t *testing.T, text string) (*Expectation, error) {
	t.Helper()
	return LoadExpectation(folder("f/expect.yaml", text), "f/expect.yaml", twoChecks())
}

func TestAnExpectationHasToNameEveryCheckAndNoOther(t *testing.T) {
	t.Parallel()
	expected, err := expectation(t, "about: x\nchecks: {first: pass, second: fail}\nnotes: {second: [abc]}\nvacuous: [first]\n")
	require.NoError(t, err)
	assert.Equal(t, &Expectation{
		About: "x", Checks: map[string]Status{"first": StatusPass, "second": StatusFail},
		Notes: map[string][]string{"second": {"abc"}}, Vacuous: []string{"first"},
	}, expected)

	for _, test := range []struct{ name, text, want string }{
		{"a check is missing", "checks: {first: pass}\n", `check "second" has no expected status`},
		{"a check that is not there", "checks: {first: pass, second: pass, thrid: pass}\n", `f/expect.yaml:1:44: "thrid" is no check of build-x`},
		{"a status that is not there", "checks: {first: pass, second: red}\n", `f/expect.yaml:1:31: unknown status "red"`},
		{"a note on no check", "checks: {first: pass, second: pass}\nnotes: {other: [a]}\n", `f/expect.yaml:2:16: "other" is no check`},
		{"a vacuous check that is not there", "checks: {first: pass, second: pass}\nvacuous: [other]\n", `"other" is no check`},
		{"an unknown key", "check: {}\n", `f/expect.yaml:1:1: unknown key "check"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := expectation(t, test.text)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestEveryDifferenceToAnExpectationIsASurprise(t *testing.T) {
	t.Parallel()
	expected := &Expectation{
		Checks:  map[string]Status{"first": StatusPass, "second": StatusFail, "gone": StatusPass},
		Notes:   map[string][]string{"second": {"Permission DENIED", "missing part"}},
		Vacuous: []string{},
	}
	surprises := expected.Compare([]Check{
		{ID: "first", Status: StatusFail, Note: "n1"},
		{ID: "second", Status: StatusFail, Note: "permission denied for x", Vacuous: true},
	})
	var got []string
	for _, surprise := range surprises {
		got = append(got, surprise.String())
	}
	assert.Equal(t, []string{
		"first: expected pass, observed fail (n1)",
		"second: expected not vacuous, observed vacuous",
		`second: expected a note with "missing part", observed "permission denied for x"`,
		"gone: expected pass, observed no such check",
	}, got)
}

func TestVacuityIsNotComparedUnlessTheFixtureSaysSomethingOfIt(t *testing.T) {
	t.Parallel()
	expected := &Expectation{Checks: map[string]Status{"first": StatusPass}}
	checks := []Check{{ID: "first", Status: StatusPass, Vacuous: true}}
	assert.Empty(t, expected.Compare(checks))
	expected.Vacuous = []string{"first"}
	assert.Empty(t, expected.Compare(checks))
}

func TestCoverageFindsChecksThatAreNeverRedOrNeverGreen(t *testing.T) {
	t.Parallel()
	cover := Cover(twoChecks(), [][]Check{
		{{ID: "first", Status: StatusPass}, {ID: "second", Status: StatusBlocked}},
		{{ID: "first", Status: StatusUnmeasured}, {ID: "second", Status: StatusPass}},
		{{ID: "first", Status: StatusError}, {ID: "second", Status: StatusFail}},
	})
	assert.Equal(t, []Coverage{{Check: "first", Red: 0, Green: 1}, {Check: "second", Red: 2, Green: 1}}, cover)
	assert.True(t, cover[0].Idle())
	assert.False(t, cover[1].Idle())
}
