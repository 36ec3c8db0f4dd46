package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type flagOf = pflag.Flag

// usageError is a command line that makes no sense: exit code 2.
type usageError struct {
	err     error
	hint    string
	command string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Hint is what to do about it.
func (e *usageError) Hint() string {
	if e.hint != "" {
		return e.hint
	}
	return fmt.Sprintf("see `%s --help`", e.command)
}

func usagef(c *cobra.Command, hint, format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), hint: hint, command: c.CommandPath()}
}

// codedError is an error that chooses the exit code.
type codedError interface {
	error
	exitCode() exitCode
}

// silentError ends the program with a code when everything has been said already.
type silentError struct{ code exitCode }

func (e silentError) Error() string      { return fmt.Sprintf("exit %d", e.code) }
func (e silentError) exitCode() exitCode { return e.code }

// verdict is nil for exitOK, and otherwise a silent error with the code.
func verdict(code exitCode) error {
	if code == exitOK {
		return nil
	}
	return silentError{code}
}

// noArgs is cobra's argument check with a usage error.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(c, "", "%s takes no arguments, got %q", c.CommandPath(), args[0])
	}
	return nil
}
