package parity

import (
	"fmt"
	"strings"
)

// Difference is one place where an answer is not what was recorded.
type Difference struct {
	// Path says where: "status", "header x-sb-error-code", "body.user.id".
	Path string
	// Want and Got are the recorded and the observed value, for people.
	// "(absent)" stands for a value that is not there.
	Want, Got string
}

// Absent is the text for a value that is not there.
const Absent = "(absent)"

// maxShown bounds a value in a diff, in bytes. Longer ones are cut and their
// length is told.
const maxShown = 2000

// String renders the difference in three lines.
func (d Difference) String() string {
	return fmt.Sprintf("%s\n  want: %s\n  got:  %s", d.Path, shorten(d.Want), shorten(d.Got))
}

func shorten(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:maxShown], ""), len(text))
}

// Step is the outcome of one replayed step.
type Step struct {
	// Scenario names the recording, "cat_hook_raises" or "embed/many-to-one".
	Scenario string
	// Step is the step's name in it. Names may repeat within a scenario: Index,
	// from zero, tells such steps apart.
	Step  string
	Index int
	// Differences is empty when the answers agree.
	Differences []Difference
	// Err tells why the step could not be replayed; it counts as a difference.
	Err error
}

// Agrees tells whether the step was replayed and answered as recorded.
func (s Step) Agrees() bool { return s.Err == nil && len(s.Differences) == 0 }

// Diff renders all that is different, for people.
func (s Step) Diff() string {
	var out strings.Builder
	if s.Err != nil {
		fmt.Fprintf(&out, "not replayed: %v\n", s.Err)
	}
	for _, d := range s.Differences {
		fmt.Fprintln(&out, d)
	}
	return out.String()
}
