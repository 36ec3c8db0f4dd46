package evals

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// ExpectFile is the name of the file in which a fixture states its verdicts.
const ExpectFile = "expect.yaml"

// Expectation is what a fixture states about itself: a workspace whose verdicts
// are known beforehand, check by check.
type Expectation struct {
	// About says in a sentence what the workspace gets right or wrong.
	About string `yaml:"about"`
	// Checks maps every check's id to its status.
	Checks map[string]Status `yaml:"checks"`
	// Notes maps a check's id to texts that its note has to contain, ignoring
	// case.
	Notes map[string][]string `yaml:"notes"`
	// Vacuous lists all checks that pass without proving anything. Without the key
	// that is not compared.
	Vacuous []string `yaml:"vacuous"`
}

// LoadExpectation reads a fixture's expect.yaml and checks it against its eval:
// every check has to have an expected status, and nothing else may.
func LoadExpectation(fsys fs.FS, file string, eval *Eval) (*Expectation, error) {
	data, err := readLimited(fsys, file)
	if err != nil {
		return nil, err
	}
	var expected Expectation
	doc, err := decodeYAML(file, data, &expected)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(eval.Checks))
	for _, spec := range eval.Checks {
		ids = append(ids, spec.ID)
	}
	var errs []error
	known := func(id string, path ...any) {
		if !slices.Contains(ids, id) {
			errs = append(errs, doc.find(fmt.Sprintf("%q is no check of %s", id, eval.ID), strictyaml.DidYouMean(id, ids), path...))
		}
	}
	for id, status := range expected.Checks {
		known(id, "checks", id)
		if !status.Valid() {
			errs = append(errs, doc.find(fmt.Sprintf("unknown status %q", status),
				"use pass, fail, blocked, unmeasured or error", "checks", id))
		}
	}
	for id := range expected.Notes {
		known(id, "notes", id)
	}
	for i, id := range expected.Vacuous {
		known(id, "vacuous", i)
	}
	for _, id := range ids {
		if _, ok := expected.Checks[id]; !ok {
			errs = append(errs, doc.find(fmt.Sprintf("check %q has no expected status", id), "", "checks"))
		}
	}
	if len(errs) > 0 {
		slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(errs...)
	}
	return &expected, nil
}

// Surprise is one difference between a fixture's expectation and its checks.
type Surprise struct {
	// Check is the check's id.
	Check string `json:"check"`
	// Expected and Observed say what differs, in words.
	Expected string `json:"expected"`
	Observed string `json:"observed"`
}

// String says in a line what differs.
func (s Surprise) String() string {
	return fmt.Sprintf("%s: expected %s, observed %s", s.Check, s.Expected, s.Observed)
}

// Compare returns every difference between the expectation and the checks, in
// the checks' order; none when the fixture holds.
func (x *Expectation) Compare(checks []Check) []Surprise {
	var surprises []Surprise
	seen := map[string]bool{}
	for _, check := range checks {
		seen[check.ID] = true
		surprises = append(surprises, x.compareCheck(check)...)
	}
	for id, status := range x.Checks {
		if !seen[id] {
			surprises = append(surprises, Surprise{Check: id, Expected: string(status), Observed: "no such check"})
		}
	}
	return surprises
}

func (x *Expectation) compareCheck(check Check) []Surprise {
	var surprises []Surprise
	differ := func(expected, observed string) {
		surprises = append(surprises, Surprise{Check: check.ID, Expected: expected, Observed: observed})
	}
	if expected := x.Checks[check.ID]; expected != check.Status {
		differ(string(expected), fmt.Sprintf("%s (%s)", check.Status, check.Note))
	}
	if expected := slices.Contains(x.Vacuous, check.ID); x.Vacuous != nil && expected != check.Vacuous {
		differ(vacuousWord(expected), vacuousWord(check.Vacuous))
	}
	for _, part := range x.Notes[check.ID] {
		if !strings.Contains(strings.ToLower(check.Note), strings.ToLower(part)) {
			differ(fmt.Sprintf("a note with %q", part), quote(check.Note))
		}
	}
	return surprises
}

func vacuousWord(vacuous bool) string {
	if vacuous {
		return "vacuous"
	}
	return "not vacuous"
}

// Coverage says how often a check was red and green over all fixtures of an eval.
// A check that is never red may be unable to fail; one that is never green may be
// unable to pass.
type Coverage struct {
	Check      string `json:"check"`
	Red, Green int
}

// Idle reports whether the fixtures never made the check red, or never green.
func (c Coverage) Idle() bool { return c.Red == 0 || c.Green == 0 }

// Cover counts, check by check, over the checks of all fixtures of an eval.
func Cover(eval *Eval, fixtures [][]Check) []Coverage {
	cover := make([]Coverage, len(eval.Checks))
	for i, spec := range eval.Checks {
		cover[i].Check = spec.ID
		for _, checks := range fixtures {
			for _, check := range checks {
				switch {
				case check.ID != spec.ID:
				case check.Status.Red():
					cover[i].Red++
				case check.Status == StatusPass:
					cover[i].Green++
				}
			}
		}
	}
	return cover
}
