package parity

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/goccy/go-yaml"
)

// Gap is a disagreement that is known and explained.
type Gap struct {
	// Scenario and Step name the step as in the recordings. All steps of that
	// name in the scenario are meant.
	Scenario string `yaml:"scenario"`
	Step     string `yaml:"step"`
	// Reason says why the engine answers otherwise. It may not be empty.
	Reason string `yaml:"reason"`
}

type gapKey struct{ scenario, step string }

// Gaps is a list of known gaps. The zero value is an empty list.
type Gaps struct {
	list  []Gap
	index map[gapKey]string
}

// NewGaps checks and indexes a list: every member is set and no step is named
// twice.
func NewGaps(list []Gap) (Gaps, error) {
	g := Gaps{list: list, index: make(map[gapKey]string, len(list))}
	for i, gap := range list {
		if gap.Scenario == "" || gap.Step == "" || gap.Reason == "" {
			return Gaps{}, fmt.Errorf("known gap %d: scenario, step and reason must all be set", i+1)
		}
		key := gapKey{gap.Scenario, gap.Step}
		if _, twice := g.index[key]; twice {
			return Gaps{}, fmt.Errorf("known gap %d: %s, step %q is listed twice", i+1, gap.Scenario, gap.Step)
		}
		g.index[key] = gap.Reason
	}
	return g, nil
}

// ReadGaps reads a YAML list of gaps. Unknown keys are errors; a file that does
// not exist is an empty list.
func ReadGaps(fsys fs.FS, name string) (Gaps, error) {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Gaps{}, nil
	}
	if err != nil {
		return Gaps{}, fmt.Errorf("read known gaps: %w", err)
	}
	var list []Gap
	if err := yaml.UnmarshalWithOptions(data, &list, yaml.Strict()); err != nil {
		return Gaps{}, fmt.Errorf("read known gaps %s: %w", name, err)
	}
	gaps, err := NewGaps(list)
	if err != nil {
		return Gaps{}, fmt.Errorf("%s: %w", name, err)
	}
	return gaps, nil
}

// Reason gives the explanation of a listed step.
func (g Gaps) Reason(scenario, step string) (string, bool) {
	reason, ok := g.index[gapKey{scenario, step}]
	return reason, ok
}

// All lists the gaps in the file's order.
func (g Gaps) All() []Gap { return g.list }
