package stats

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Outcome is how the samples of one model did on one task.
type Outcome struct {
	// Task is the task's id, Tier its tier.
	Task string
	Tier int
	// Samples is how many candidates were graded. Those whose grading broke for no
	// fault of theirs are not among them.
	Samples int
	// Passed, Leaked and Blocked are how many of them passed every test, leaked in one
	// or more, and blocked in one or more without leaking. The rest could not be
	// applied or ended in errors.
	Passed, Leaked, Blocked int
}

// Config says how intervals are made. The zero value is the default throughout.
type Config struct {
	// Seed seeds the resampling. Default 1.
	Seed uint64
	// Resamples is how often tasks are drawn. Default 10000.
	Resamples int
	// Level is the coverage of the intervals, between 0 and 1. Default 0.95.
	Level float64
}

func (c Config) withDefaults() Config {
	c.Seed = cmp.Or(c.Seed, 1)
	c.Resamples = cmp.Or(c.Resamples, 10_000)
	c.Level = cmp.Or(c.Level, 0.95)
	return c
}

func (c Config) validate() error {
	if c.Resamples < 1 || c.Level <= 0 || c.Level >= 1 {
		return fmt.Errorf("no intervals with %d resamples at level %g: at least one resample, and a level between 0 and 1", c.Resamples, c.Level)
	}
	return nil
}

// Estimate is a mean over tasks, each of which weighs the same, with its interval.
type Estimate struct {
	// Value is the mean, Low and High are the interval's ends, all from 0 to 1.
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Tasks is how many tasks the mean is over.
	Tasks int `json:"tasks"`
}

// Rates are the estimates over some tasks. One that no task has the samples for is nil.
type Rates struct {
	// Tasks and Samples count what the rates are over.
	Tasks   int `json:"tasks"`
	Samples int `json:"samples"`
	// Pass1 and Pass5 are pass@1 and pass@5. Pass5 is over the tasks that have five
	// samples; Pass5.Tasks says how many.
	Pass1 *Estimate `json:"pass_at_1"`
	Pass5 *Estimate `json:"pass_at_5"`
	// Leak and Block are the shares of samples that leaked, and that blocked without
	// leaking.
	Leak  *Estimate `json:"leak_rate"`
	Block *Estimate `json:"block_rate"`
}

// Summary is how one model did.
type Summary struct {
	// Model is the model's name.
	Model string `json:"model"`
	// Rates are over all tasks.
	Rates
	// Tiers are the rates by tier; tiers without tasks are not in it.
	Tiers map[int]Rates `json:"tiers"`
}

// Summarise sums up the outcomes of a model. Each task may occur once; a task without
// samples counts for nothing. The order of the outcomes does not matter.
func Summarise(model string, outcomes []Outcome, cfg Config) (Summary, error) {
	cfg = cfg.withDefaults()
	if err := errors.Join(cfg.validate(), check(outcomes)); err != nil {
		return Summary{}, fmt.Errorf("sum up %s: %w", model, err)
	}
	outcomes = slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return o.Samples == 0 })
	// One order, so that the same random numbers draw the same tasks.
	slices.SortFunc(outcomes, func(a, b Outcome) int { return strings.Compare(a.Task, b.Task) })
	byTier := map[int][]Outcome{}
	for _, o := range outcomes {
		byTier[o.Tier] = append(byTier[o.Tier], o)
	}
	summary := Summary{Model: model, Rates: rates(outcomes, cfg), Tiers: map[int]Rates{}}
	for tier, list := range byTier {
		summary.Tiers[tier] = rates(list, cfg)
	}
	return summary, nil
}

// Compare orders summaries as a leaderboard does: the best pass@1 first, then the lowest
// leak rate, then by name.
func Compare(a, b Summary) int {
	value := func(e *Estimate, none float64) float64 {
		if e == nil {
			return none
		}
		return e.Value
	}
	return cmp.Or(
		-cmp.Compare(value(a.Pass1, -1), value(b.Pass1, -1)),
		cmp.Compare(value(a.Leak, 2), value(b.Leak, 2)),
		strings.Compare(a.Model, b.Model),
	)
}

// TierNumbers lists the tiers that the summaries have, in order.
func TierNumbers(summaries []Summary) []int {
	tiers := map[int]bool{}
	for _, s := range summaries {
		for tier := range s.Tiers {
			tiers[tier] = true
		}
	}
	return slices.Sorted(maps.Keys(tiers))
}

// check refuses counts that cannot be.
func check(outcomes []Outcome) error {
	seen := map[string]bool{}
	for _, o := range outcomes {
		if min(o.Samples, o.Passed, o.Leaked, o.Blocked) < 0 || o.Passed+o.Leaked+o.Blocked > o.Samples {
			return fmt.Errorf("task %s has %d samples but %d passed, %d leaked and %d blocked", o.Task, o.Samples, o.Passed, o.Leaked, o.Blocked)
		}
		if seen[o.Task] {
			return fmt.Errorf("task %s is there twice", o.Task)
		}
		seen[o.Task] = true
	}
	return nil
}

// rates estimates everything over some tasks.
func rates(outcomes []Outcome, cfg Config) Rates {
	r := Rates{Tasks: len(outcomes)}
	var pass1, pass5, leak, block []float64
	for _, o := range outcomes {
		r.Samples += o.Samples
		n := float64(o.Samples)
		if p, ok := PassAtK(o.Samples, o.Passed, 1); ok {
			pass1 = append(pass1, p)
		}
		if p, ok := PassAtK(o.Samples, o.Passed, 5); ok {
			pass5 = append(pass5, p)
		}
		leak = append(leak, float64(o.Leaked)/n)
		block = append(block, float64(o.Blocked)/n)
	}
	r.Pass1, r.Pass5 = estimate(pass1, cfg), estimate(pass5, cfg)
	r.Leak, r.Block = estimate(leak, cfg), estimate(block, cfg)
	return r
}
