package postgres

import "fmt"

// hintError is an error with a remedy. The command line prints the hint on a
// line of its own.
type hintError struct {
	err  error
	hint string
}

func withHint(err error, format string, args ...any) error {
	return &hintError{err: err, hint: fmt.Sprintf(format, args...)}
}

// Error is the error without the remedy.
func (e *hintError) Error() string { return e.err.Error() }

// Unwrap is the error without the remedy.
func (e *hintError) Unwrap() error { return e.err }

// Hint says what to do about it.
func (e *hintError) Hint() string { return e.hint }
