package stats

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// estimate is the mean over tasks and the percentile bootstrap's interval for it: tasks
// are drawn with replacement as often as there are tasks, and the interval's ends are
// quantiles of the means (Efron and Tibshirani 1993, "An Introduction to the Bootstrap",
// section 13.3). Samples of a task are not drawn anew: a benchmark has few tasks and
// asks how much the numbers owe to having picked these. It is nil when there are none.
func estimate(values []float64, cfg Config) *Estimate {
	if len(values) == 0 {
		return nil
	}
	e := &Estimate{Value: stat.Mean(values, nil), Tasks: len(values)}
	// Every estimate starts from the seed, so that a number does not depend on which
	// others are asked for.
	random := rand.New(rand.NewPCG(cfg.Seed, 0))
	means := make([]float64, cfg.Resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	tail := (1 - cfg.Level) / 2
	e.Low = stat.Quantile(tail, stat.Empirical, means, nil)
	e.High = stat.Quantile(1-tail, stat.Empirical, means, nil)
	return e
}
