package parity

import (
	"errors"
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
	// NotAsked tells why the step was left out, because what is replayed against is not in
	// the recorded setting; empty for the others. Such a step neither agrees nor differs.
	NotAsked string
}

// Agrees tells whether the step was replayed and answered as recorded.
func (s Step) Agrees() bool { return s.Err == nil && s.NotAsked == "" && len(s.Differences) == 0 }

// NotAskedError says that something cannot be asked, since what is replayed against is
// not in the recorded setting and cannot be brought into it.
type NotAskedError struct {
	// Reason is why, in a few words: "needs db-max-rows=2".
	Reason string
}

// Error gives the reason.
func (e *NotAskedError) Error() string { return "not asked: " + e.Reason }

// Outcome completes a step by what replaying it came to: a *NotAskedError is no failure.
func (s Step) Outcome(differences []Difference, err error) Step {
	var left *NotAskedError
	if errors.As(err, &left) {
		s.NotAsked = left.Reason
		return s
	}
	s.Differences, s.Err = differences, err
	return s
}

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
