package config

import (
	"errors"
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with the configuration.
type Problem struct {
	File    string // path in the workspace
	Line    int    // 1-based; 0 when the problem has no place, such as a missing file
	Column  int    // 1-based, in bytes
	Key     string // dotted path of the key, "" when there is none
	Message string // lower case, without the position
	Text    string // the offending line without secrets, "" when there is none or it is too long
	Remedy  string // what to do about it, "" when that is plain
}

// Error gives position, message and, when there is one, the offending line with a mark under the column.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": " + p.Message)
	if p.Text != "" && p.Column > 0 && p.Column <= len(p.Text)+1 {
		prefix := fmt.Sprintf("%d | ", p.Line)
		fmt.Fprintf(&b, "\n  %s%s\n  %s^", prefix, p.Text, strings.Repeat(" ", len(prefix)+p.Column-1))
	}
	return b.String()
}

// Hint returns the remedy.
func (p *Problem) Hint() string { return p.Remedy }

// LoadError is what Load returns when the configuration is wrong: every problem that was found, in the order of the file.
type LoadError struct {
	Problems []*Problem // at least one
	// Partial is what could be read: complete but for the settings that the problems are about. Nil when the file is missing or
	// is not TOML. Diagnoses take it; a stack must not be started from it.
	Partial *Config
}

// Error joins the problems, one after the other.
func (e *LoadError) Error() string {
	parts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		parts[i] = p.Error()
	}
	return strings.Join(parts, "\n")
}

// Hint returns the first remedy there is.
func (e *LoadError) Hint() string {
	for _, p := range e.Problems {
		if p.Remedy != "" {
			return p.Remedy
		}
	}
	return ""
}

// Unwrap gives the problems to errors.As and errors.Is.
func (e *LoadError) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p
	}
	return errs
}

// Partial returns what could be read of a configuration that Load refused, nil when there is nothing.
func Partial(err error) *Config {
	var loadErr *LoadError
	if errors.As(err, &loadErr) {
		return loadErr.Partial
	}
	return nil
}
