// Package strictyaml reads small YAML files that people write by hand, and says what
// is wrong with them at file, line and column, all of it at once. A Document is walked
// node by node: the reader names the keys that it knows, and every other key, every
// duplicate and every value of another type becomes an error with a suggestion. It is
// for configuration-sized input: aliases are followed, but only up to a budget, so
// that a small hostile file cannot grow.
package strictyaml

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// FileError is a problem at a place in a file.
type FileError struct {
	// File is the file's path as the reader was given it.
	File string
	// Line and Column count from 1; 0 when the problem is the file as a whole.
	Line, Column int
	// Problem says what is wrong, lower case.
	Problem string
	// Remedy says what to do; may be empty.
	Remedy string
}

// Error is the place, then the problem.
func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
}

// Hint returns the remedy.
func (e *FileError) Hint() string { return e.Remedy }

// DidYouMean suggests the known name nearest to a wrong one, or lists all known
// names when none is near. It is empty when nothing is known.
func DidYouMean(wrong string, known []string) string {
	if name, ok := Nearest(wrong, known); ok {
		return fmt.Sprintf("did you mean %q?", name)
	}
	if len(known) == 0 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// maxNameLength bounds the names that distances are computed for: nobody mistypes a
// longer one, and the distance costs the product of both lengths.
const maxNameLength = 128

// Nearest returns the known name that a wrong one was probably meant to be: the one
// with the smallest edit distance, when that is at most a third of the longer name's
// length (at least 2), ignoring case.
func Nearest(wrong string, known []string) (string, bool) {
	best, bestDistance := "", -1
	if len(wrong) > maxNameLength {
		return best, false
	}
	for _, name := range known {
		distance := levenshtein.ComputeDistance(strings.ToLower(wrong), strings.ToLower(name))
		limit := max(2, max(len(wrong), len(name))/3)
		if distance <= limit && (bestDistance < 0 || distance < bestDistance) {
			best, bestDistance = name, distance
		}
	}
	return best, bestDistance >= 0
}
