package evals

// Check is the outcome of one check of an eval: a permanent id, a name that
// states the predicate, what came of it, and a note for the person who must fix
// it.
type Check struct {
	// ID is permanent across runs and versions: kebab-case, unique in its eval.
	ID string `json:"id"`
	// Name states the predicate, in words: "a member can delete their own post".
	Name string `json:"name"`
	// Status is the outcome.
	Status Status `json:"status"`
	// Class says what it means when the check is red. It is the class that the
	// eval declares, except when the check is red for another reason than its own
	// (a person who cannot sign in is a block, whatever the check would have
	// measured).
	Class Class `json:"class"`
	// Note says what was expected, what was observed and the likeliest cause. It
	// is never empty.
	Note string `json:"note"`
	// Needs lists the ids of the checks that have to pass before this one can be
	// tried.
	Needs []string `json:"needs,omitempty"`
	// Control is the id of the positive control of a negative check: the check
	// that shows that the same request works where it should.
	Control string `json:"control,omitempty"`
	// Vacuous marks a passing negative check whose control is red: it passed, but
	// it proves nothing.
	Vacuous bool `json:"vacuous,omitempty"`
	// Advice lists what is worth changing although it does not change the verdict.
	Advice []string `json:"advice,omitempty"`
}

// Verdict is what a list of checks adds up to.
type Verdict struct {
	// Passed is true when no check is red or in error, and, in strict mode, none
	// is unmeasured.
	Passed bool `json:"passed"`
	// Complete is true when every check was measured: none is unmeasured or in
	// error. A red check is measured.
	Complete bool `json:"complete"`
	// Broken is true when a check is in error: the run says nothing about the
	// candidate.
	Broken bool `json:"-"`
}

// Summarise adds checks up to a verdict. An empty list is a broken run: a run
// that checked nothing must not pass.
func Summarise(checks []Check, strict bool) Verdict {
	if len(checks) == 0 {
		return Verdict{Broken: true}
	}
	verdict := Verdict{Passed: true, Complete: true}
	for _, check := range checks {
		switch check.Status {
		case StatusPass:
		case StatusFail, StatusBlocked:
			verdict.Passed = false
		case StatusUnmeasured:
			verdict.Complete = false
			if strict {
				verdict.Passed = false
			}
		default:
			// A status this version does not know is treated like an error, so that
			// a result of a later version can never read as passed.
			verdict.Passed, verdict.Complete, verdict.Broken = false, false, true
		}
	}
	return verdict
}

// Exit codes of a run. Usage errors (2) and cancellation (130) are the command's
// own and never follow from checks.
const (
	ExitPassed = 0
	ExitFailed = 1
	ExitBroken = 3
)

// ExitCode is the process exit code that the verdict stands for.
func (v Verdict) ExitCode() int {
	switch {
	case v.Broken:
		return ExitBroken
	case v.Passed:
		return ExitPassed
	default:
		return ExitFailed
	}
}
