package evals

// Status is the outcome of one check.
type Status string

// The statuses a check can have. A check is "red" when it counts against the
// candidate (StatusFail, StatusBlocked) and "green" when it passed; the other two
// say nothing about the candidate.
const (
	// StatusPass means that what the check's name states was observed.
	StatusPass Status = "pass"
	// StatusFail means that the opposite was observed.
	StatusFail Status = "fail"
	// StatusBlocked means that a needed check is red because of the candidate, so
	// this one could not be tried. It counts as not passed.
	StatusBlocked Status = "blocked"
	// StatusUnmeasured means that an input was not supplied, such as a
	// transcript. It fails the verdict only in strict mode.
	StatusUnmeasured Status = "unmeasured"
	// StatusError means that the harness or the stack broke. It is never held
	// against the candidate, and nothing can be concluded from the run.
	StatusError Status = "error"
)

// Statuses lists every status, best first.
func Statuses() []Status {
	return []Status{StatusPass, StatusFail, StatusBlocked, StatusUnmeasured, StatusError}
}

// Valid reports whether s is one of the five statuses.
func (s Status) Valid() bool {
	for _, known := range Statuses() {
		if s == known {
			return true
		}
	}
	return false
}

// Red reports whether s counts against the candidate.
func (s Status) Red() bool { return s == StatusFail || s == StatusBlocked }

// Class says what it means when a check is red.
type Class string

// The classes of checks.
const (
	// ClassLeak: somebody gets access that they should not have.
	ClassLeak Class = "leak"
	// ClassBlock: somebody loses access that they should have.
	ClassBlock Class = "block"
	// ClassConfig: the workspace's configuration is not what it should be.
	ClassConfig Class = "config"
	// ClassEvidence: something that should have been done cannot be shown.
	ClassEvidence Class = "evidence"
)

// Classes lists every class.
func Classes() []Class {
	return []Class{ClassLeak, ClassBlock, ClassConfig, ClassEvidence}
}

// Valid reports whether c is one of the four classes.
func (c Class) Valid() bool {
	for _, known := range Classes() {
		if c == known {
			return true
		}
	}
	return false
}
