// Package samples holds what models answered to tasks: a Sample is one candidate of one
// model for one task. Samples come as JSON lines, as `task generate` writes them, or as
// a folder of SQL files. The package reads and checks them; it neither asks models nor
// grades.
package samples

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/supascore/supascore/internal/journal"
	"github.com/supascore/supascore/tasks"
)

// Sample is one answer of one model to one task, a line of a samples file.
type Sample struct {
	// Model names the model, and its settings where several are compared.
	Model string `json:"model"`
	// Task is the task's id.
	Task string `json:"task"`
	// Number tells the samples of a model for a task apart; the first is 1.
	Number int `json:"sample"`
	// SQL is the candidate. Empty, when there is an Answer, means that it is the SQL
	// in that (tasks.ExtractSQL).
	SQL string `json:"sql"`
	// Answer is the whole answer; empty when only the candidate is known.
	Answer string `json:"answer,omitempty"`
	// Prompt is the hex SHA-256 of the prompt; empty when not known.
	Prompt string `json:"prompt,omitempty"`
	// Finish is why the answer ended, in the endpoint's words, such as "stop" and
	// "length"; may be empty.
	Finish string `json:"finish,omitempty"`
	// InputTokens and OutputTokens are what the answer was charged, reasoning
	// included; 0 when not known.
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
	// Estimated says that the endpoint did not report tokens and they were estimated.
	Estimated bool `json:"tokens_estimated,omitempty"`
	// Seconds is how long the answer took, retries included.
	Seconds float64 `json:"seconds,omitempty"`
	// Created is when it came; zero when not known.
	Created time.Time `json:"created,omitzero"`
	// Origin says where the sample was read from, for messages.
	Origin string `json:"-"`
}

// Candidate is the SQL to grade. It may be empty: a model may have answered nothing.
func (s Sample) Candidate() string {
	if s.SQL != "" {
		return s.SQL
	}
	return tasks.ExtractSQL(s.Answer).SQL
}

// Key tells samples apart.
type Key struct {
	Model, Task string
	Number      int
}

// Key is the sample's key.
func (s Sample) Key() Key { return Key{s.Model, s.Task, s.Number} }

// String names the sample in words.
func (k Key) String() string { return fmt.Sprintf("sample %d of %s for %s", k.Number, k.Model, k.Task) }

// PromptHash is what a sample says of its prompt: the hex SHA-256.
func PromptHash(prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

// Error is a sample that makes no sense, or that is there twice.
type Error struct {
	// Origin is where it is, such as "samples.jsonl:12".
	Origin string
	// Problem says what is wrong with it, Remedy what to do; Remedy may be empty.
	Problem, Remedy string
}

// Error is the place, then the problem.
// Error names the place and what is wrong there.
func (e *Error) Error() string { return e.Origin + ": " + e.Problem }

// Hint returns the remedy.
func (e *Error) Hint() string { return e.Remedy }

// Read reads samples as JSON lines. Fields that a Sample has not are passed over: other
// programs may keep more about an answer. Lines without a number are numbered in their
// order. A last line that was cut off is left out. name is the file's name for
// messages; the error joins an *Error for each sample that makes no sense.
func Read(name string, r io.Reader) ([]Sample, error) {
	lines, err := journal.Read[Sample](name, r)
	if err != nil {
		return nil, err
	}
	next := map[Key]int{}
	for i := range lines {
		lines[i].Origin = fmt.Sprintf("%s, sample %d", name, i+1)
		if lines[i].Number == 0 {
			key := lines[i].Key()
			next[key]++
			lines[i].Number = next[key]
		}
	}
	return lines, Check(lines)
}

// Check reports samples that make no sense and those that are there twice; the error
// joins an *Error for each.
func Check(list []Sample) error {
	var errs []error
	seen := map[Key]string{}
	for _, s := range list {
		fail := func(remedy, format string, args ...any) {
			errs = append(errs, &Error{Origin: s.Origin, Problem: fmt.Sprintf(format, args...), Remedy: remedy})
		}
		switch {
		case !tasks.ValidID(s.Task):
			fail(`for example "T001"`, "%q is no task id", s.Task)
		case strings.TrimSpace(s.Model) == "":
			fail("", "the sample names no model")
		case s.Number < 0:
			fail("samples are numbered from 1", "there is no sample %d", s.Number)
		default:
			if other, twice := seen[s.Key()]; twice {
				fail("number the samples of a model for a task differently", "%s is there already, in %s", s.Key(), other)
			}
			seen[s.Key()] = s.Origin
		}
	}
	return errors.Join(errs...)
}

// Sort orders samples by model, task and number.
func Sort(list []Sample) {
	slices.SortStableFunc(list, func(a, b Sample) int {
		return cmp.Or(strings.Compare(a.Model, b.Model), tasks.CompareIDs(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
	})
}
