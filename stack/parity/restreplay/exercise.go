package restreplay

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/supascore/supascore/stack/parity"
)

// GapsFile is the name of the list of known gaps next to the recordings.
const GapsFile = "known-gaps.yaml"

// Exercise replays all recordings of a folder against a target, one subtest a scenario ("group/name"), in parallel except for
// those that alter roles which others use. A step that differs fails with its diff unless the list of known gaps has it; a
// listed step that agrees, or that no recording has, fails too. keep chooses scenarios by name; nil takes all.
func Exercise(t *testing.T, target Target, recordings fs.FS, keep func(name string) bool) {
	t.Helper()
	scenarios, err := Load(recordings)
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := parity.ReadGaps(recordings, GapsFile)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range scenarios {
		known[s.Name] = true
		if keep != nil && !keep(s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			if !s.ChangesSharedRoles() {
				t.Parallel()
			}
			exerciseScenario(t, target, s, gaps)
		})
	}
	for _, gap := range gaps.All() {
		if !known[gap.Scenario] {
			t.Errorf("%s: no recording is called %q", GapsFile, gap.Scenario)
		}
	}
}

// exerciseScenario fails with the report of one scenario.
func exerciseScenario(t *testing.T, target Target, s Scenario, gaps parity.Gaps) {
	steps, err := Run(t.Context(), target, s)
	if err != nil {
		t.Fatal(err)
	}
	report := parity.Judge(steps, gaps)
	agree, total := report.Count()
	t.Logf("%d of %d steps agree", agree, total)
	if len(report.Failed()) == 0 {
		return
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	t.Error(text.String())
}
