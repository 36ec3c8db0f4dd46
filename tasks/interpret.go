package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// interpret fills what follows from the task's texts: rules, users, tests and hash.
// label names a file in messages.
func (t *Task) interpret(label func(file string) string) error {
	t.Rules = parseRules(t.Requirement)
	var errs []error
	parsed, err := parseTests(label(testsFile), t.TestsYAML)
	if err != nil {
		errs = append(errs, err)
	} else {
		t.Users, t.Tests, t.Forms = parsed.users, parsed.tests, parsed.forms
	}
	if err := checkTrapNames(label(trapsDir), t.TrapFiles); err != nil {
		errs = append(errs, err)
	}
	if t.Hash, err = t.hash(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// hash covers what a grading or the prompt depends on, in one framed form, so that it
// does not matter whether the task came from a folder or from a row.
func (t *Task) hash() (string, error) {
	text, err := compactJSON([]any{
		"task", t.ID, t.Tier, t.Requirement, t.Schema, t.Seed, t.TestsYAML, t.Solution, t.TrapFiles,
		t.Readings.WithDefaults(),
	})
	if err != nil {
		return "", fmt.Errorf("hash task %s: %w", t.ID, err)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}
