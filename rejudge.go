package supascore

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/scorers"
)

// Rejudge judges the observations of a saved result by an eval, without a stack:
// after a change of the eval's checks or of a scorer, the same run gets its new
// verdict. It returns a new result; saved stays as it is. A saved result whose run
// broke stays broken. Errors: the result is of another eval, or holds no
// observations.
func Rejudge(eval *evals.Eval, saved *evals.Result, strict bool) (*evals.Result, error) {
	if saved.Eval != eval.ID {
		return nil, fmt.Errorf("the result is of eval %q, not of %q", saved.Eval, eval.ID)
	}
	if len(saved.Observations) == 0 {
		return nil, errors.New("the result holds no observations, so it cannot be judged again")
	}
	var seen probes.Observations
	if err := json.Unmarshal(saved.Observations, &seen); err != nil {
		return nil, fmt.Errorf("read the observations: %w", err)
	}
	if seen.Version > probes.ObservationsVersion {
		return nil, fmt.Errorf("the observations were written by a later version (%d, this one reads up to %d)",
			seen.Version, probes.ObservationsVersion)
	}
	checks, err := scorers.Judge(eval, &seen)
	if err != nil {
		return nil, fmt.Errorf("judge eval %s: %w", eval.ID, err)
	}
	if saved.Error != "" {
		checks = withhold(checks)
	}
	again := *saved
	again.Hashes.Eval = eval.Hash
	again.SetChecks(checks, strict)
	return &again, nil
}
