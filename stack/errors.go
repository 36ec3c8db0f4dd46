package stack

import (
	"errors"
	"fmt"
)

// Fault says whose doing it is that a stack does not start.
type Fault string

// The faults.
const (
	// FaultWorkspace: the workspace cannot be booted, whoever tries.
	FaultWorkspace Fault = "workspace"
	// FaultInfrastructure: the machine, Postgres or the stack's own software.
	FaultInfrastructure Fault = "infrastructure"
)

// StartError is why a stack did not start.
type StartError struct {
	// Phase is the phase that failed, such as "config" or "migrations".
	Phase string
	// Fault says whose doing it is.
	Fault Fault
	// Err is the cause, with file, line and column where there are any.
	Err error
}

// Error is the phase and the cause.
func (e *StartError) Error() string { return fmt.Sprintf("%s: %s", e.Phase, e.Err) }

// Unwrap is the cause.
func (e *StartError) Unwrap() error { return e.Err }

// Hint is what to do about it, as the cause says; empty when it says nothing.
func (e *StartError) Hint() string {
	var hinted interface{ Hint() string }
	if errors.As(e.Err, &hinted) {
		return hinted.Hint()
	}
	return ""
}
