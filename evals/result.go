package evals

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// ResultVersion is the version of the result file's shape. It grows when a field
// changes its meaning or disappears, not when one is added.
const ResultVersion = 1

// MaxResultSize bounds how much of a result file is read, in bytes: a result is a
// few hundred kilobytes, and a file of another kind must not fill the memory.
const MaxResultSize = 16 << 20

// Result is everything that one run of one eval leaves behind. It holds the
// observations, so that it can be judged again without a stack, and nothing
// secret: no keys, no passwords, no tokens.
type Result struct {
	// Version is ResultVersion of the program that wrote the file.
	Version int `json:"version"`
	// Eval is the eval's id.
	Eval string `json:"eval"`
	// Passed and Complete are the verdict (see Verdict).
	Passed   bool `json:"passed"`
	Complete bool `json:"complete"`
	// Strict says whether unmeasured checks failed the verdict.
	Strict bool `json:"strict"`
	// Engine says what played the stack.
	Engine Engine `json:"engine"`
	// Checks are in the eval's order, always all of them.
	Checks []Check `json:"checks"`
	// Phases are in the order in which they ran.
	Phases []Phase `json:"phases"`
	// Hashes are content hashes (hex SHA-256) of what was run.
	Hashes Hashes `json:"hashes"`
	// Settings holds what else shapes the outcome, as printable values, such as
	// "bcrypt_cost" and "auto_expose_new_tables".
	Settings map[string]string `json:"settings,omitempty"`
	// Notes are what a reader should know beside the checks, in sentences, such as in what
	// a running stack differs from its workspace.
	Notes []string `json:"notes,omitempty"`
	// Workspace is the folder that was scored, as it was named by the user.
	Workspace string `json:"workspace,omitempty"`
	// Started and Finished are the run's bounds, UTC.
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Error is set when the harness or the stack broke: what broke, in a sentence.
	Error string `json:"error,omitempty"`
	// Hint says what to do about Error; empty when that is not known.
	Hint string `json:"hint,omitempty"`
	// Observations is the JSON of what the probes saw (probes.Observations). It is
	// raw here because nouns import nothing.
	Observations json.RawMessage `json:"observations,omitempty"`
}

// Engine names who played the stack of a run.
type Engine struct {
	// Name is "embedded", "native" or "attach".
	Name string `json:"name"`
	// Versions maps a part ("postgres", "rest", "auth", "supascore") to its
	// version.
	Versions map[string]string `json:"versions,omitempty"`
}

// Phase is one named, timed step of a run.
type Phase struct {
	// Name is a short kebab-case name, such as "boot-postgres".
	Name string `json:"name"`
	// MS is the wall-clock time it took, in milliseconds.
	MS float64 `json:"ms"`
	// Error says how the phase failed; empty when it did not.
	Error string `json:"error,omitempty"`
}

// Hashes are content hashes (hex SHA-256) of what a run worked on.
type Hashes struct {
	Eval       string `json:"eval,omitempty"`
	Workspace  string `json:"workspace,omitempty"`
	Transcript string `json:"transcript,omitempty"`
}

// SetChecks stores checks and the verdict they add up to, and returns it.
func (r *Result) SetChecks(checks []Check, strict bool) Verdict {
	verdict := Summarise(checks, strict)
	if r.Error != "" {
		verdict.Broken, verdict.Passed = true, false
	}
	r.Checks, r.Strict = checks, strict
	r.Passed, r.Complete = verdict.Passed, verdict.Complete
	return verdict
}

// Verdict recomputes the verdict of the stored checks. A result with an Error is
// broken whatever its checks say.
func (r *Result) Verdict() Verdict {
	verdict := Summarise(r.Checks, r.Strict)
	if r.Error != "" {
		verdict.Broken, verdict.Passed = true, false
	}
	return verdict
}

// Write writes the result as indented JSON with a final newline.
func (r *Result) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write result of %s: %w", r.Eval, err)
	}
	return nil
}

// ReadResult reads a result that Write wrote. It refuses a file of a later
// version, a file that is no result, and one larger than MaxResultSize.
func ReadResult(r io.Reader) (*Result, error) {
	limited := &io.LimitedReader{R: r, N: MaxResultSize + 1}
	var result Result
	if err := json.NewDecoder(limited).Decode(&result); err != nil {
		if limited.N <= 0 {
			return nil, fmt.Errorf("read result: larger than %d bytes", MaxResultSize)
		}
		return nil, fmt.Errorf("read result: %w", err)
	}
	switch {
	case result.Version == 0 || result.Eval == "":
		return nil, fmt.Errorf("read result: no result file: the fields version and eval are missing")
	case result.Version > ResultVersion:
		return nil, fmt.Errorf("read result: written by a later version (%d, this one reads up to %d)",
			result.Version, ResultVersion)
	}
	return &result, nil
}
