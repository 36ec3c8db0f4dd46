package stats_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/scorers/stats"
)

func TestPassAtKIsTheShareOfSubsetsThatHoldAPass(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 9; n++ {
		for passed := 0; passed <= n; passed++ {
			for k := 1; k <= n; k++ {
				got, ok := stats.PassAtK(n, passed, k)
				require.True(t, ok)
				assert.InDelta(t, shareWithAPass(n, passed, k), got, 1e-12, "n=%d passed=%d k=%d", n, passed, k)
			}
		}
	}
}

// shareWithAPass counts all subsets of k among n samples, the first of which passed.
func shareWithAPass(n, passed, k int) float64 {
	with, all := 0, 0
	for set := range 1 << n {
		size, hit := 0, false
		for i := range n {
			if set&(1<<i) != 0 {
				size++
				hit = hit || i < passed
			}
		}
		if size == k {
			all++
			if hit {
				with++
			}
		}
	}
	return float64(with) / float64(all)
}

func TestPassAtKIsUnbiased(t *testing.T) {
	t.Parallel()
	const truth, n, k, rounds = 0.3, 6, 5, 200_000
	random := rand.New(rand.NewPCG(7, 7))
	sum := 0.0
	for range rounds {
		passed := 0
		for range n {
			if random.Float64() < truth {
				passed++
			}
		}
		p, ok := stats.PassAtK(n, passed, k)
		require.True(t, ok)
		sum += p
	}
	want := 1 - 0.7*0.7*0.7*0.7*0.7
	assert.InDelta(t, want, sum/rounds, 0.002)
}

func TestPassAtKNeedsKSamples(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]int{{4, 2, 5}, {0, 0, 1}, {3, 1, 0}, {3, 4, 1}, {3, -1, 1}} {
		_, ok := stats.PassAtK(c[0], c[1], c[2])
		assert.False(t, ok, "%v", c)
	}
}

func TestPassAtKStaysExactForManySamples(t *testing.T) {
	t.Parallel()
	p, ok := stats.PassAtK(1_000_000, 1, 1)
	require.True(t, ok)
	assert.InEpsilon(t, 1e-6, p, 1e-9)
}

// outcomes are ten tasks of tier 1 that pass always and ten of tier 2 that leak always.
func outcomes() []stats.Outcome {
	var list []stats.Outcome
	for i := range 10 {
		list = append(list,
			stats.Outcome{Task: fmt.Sprintf("T%03d", i+1), Tier: 1, Samples: 6, Passed: 6},
			stats.Outcome{Task: fmt.Sprintf("T%03d", i+101), Tier: 2, Samples: 6, Leaked: 6})
	}
	return list
}

func TestASummaryWeighsTasksAlikeWhateverTheirSamples(t *testing.T) {
	t.Parallel()
	s, err := stats.Summarise("m", []stats.Outcome{
		{Task: "T001", Tier: 1, Samples: 10, Passed: 10},
		{Task: "T002", Tier: 1, Samples: 2, Passed: 1, Leaked: 1},
		{Task: "T003", Tier: 3, Samples: 4, Leaked: 1, Blocked: 2},
		{Task: "T004", Tier: 2},
	}, stats.Config{})
	require.NoError(t, err)
	assert.Equal(t, 3, s.Tasks)
	assert.Equal(t, 16, s.Samples)
	assert.InDelta(t, 0.5, s.Pass1.Value, 1e-12)
	assert.InDelta(t, 0.25, s.Leak.Value, 1e-12)
	assert.InDelta(t, 1.0/6, s.Block.Value, 1e-12)
	assert.InDelta(t, 1, s.Pass5.Value, 1e-12)
	assert.Equal(t, 1, s.Pass5.Tasks, "two tasks have fewer than five samples")
	assert.Equal(t, []int{1, 3}, stats.TierNumbers([]stats.Summary{s}), "a task without samples counts for nothing")
	assert.InDelta(t, 0.75, s.Tiers[1].Pass1.Value, 1e-12)
	assert.Nil(t, s.Tiers[3].Pass5)
}

func TestIntervalsAreTheQuantilesOfResampledMeans(t *testing.T) {
	t.Parallel()
	s, err := stats.Summarise("m", outcomes(), stats.Config{})
	require.NoError(t, err)
	assert.InDelta(t, 0.5, s.Pass1.Value, 1e-12)
	// The mean of 20 fair draws: the binomial's 2.5 % and 97.5 % quantiles are 6 and 14.
	assert.InDelta(t, 0.30, s.Pass1.Low, 1e-12)
	assert.InDelta(t, 0.70, s.Pass1.High, 1e-12)
	assert.InDelta(t, 1, s.Tiers[1].Pass1.Low, 1e-12, "tasks that are all alike leave no doubt")
	assert.InDelta(t, 0, s.Tiers[1].Leak.High, 1e-12)
	assert.InDelta(t, 1, s.Tiers[2].Leak.Value, 1e-12)
}

func TestIntervalsCoverTheTruthAboutAsOftenAsTheySay(t *testing.T) {
	t.Parallel()
	const truth, tasks, rounds = 0.4, 60, 300
	random := rand.New(rand.NewPCG(3, 9))
	covered := 0
	for round := range rounds {
		var list []stats.Outcome
		for i := range tasks {
			o := stats.Outcome{Task: fmt.Sprintf("T%03d", i), Tier: 1, Samples: 1}
			if random.Float64() < truth {
				o.Passed = 1
			}
			list = append(list, o)
		}
		s, err := stats.Summarise("m", list, stats.Config{Seed: uint64(round + 1), Resamples: 1000})
		require.NoError(t, err)
		if s.Pass1.Low <= truth && truth <= s.Pass1.High {
			covered++
		}
	}
	assert.InDelta(t, 0.95, float64(covered)/rounds, 0.04)
}

func TestTheSameSeedGivesTheSameNumbersInAnyOrder(t *testing.T) {
	t.Parallel()
	first, err := stats.Summarise("m", outcomes(), stats.Config{Seed: 5})
	require.NoError(t, err)
	turned := outcomes()
	slices.Reverse(turned)
	again, err := stats.Summarise("m", turned, stats.Config{Seed: 5})
	require.NoError(t, err)
	assert.Equal(t, first, again)
	a, err := json.Marshal(first)
	require.NoError(t, err)
	assert.Contains(t, string(a), `"tiers":{"1":{"tasks":10,"samples":60,"pass_at_1":{"value":1,`)
}

func TestImpossibleCountsAndSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]stats.Outcome{
		"more outcomes than samples": {{Task: "T001", Samples: 2, Passed: 1, Leaked: 1, Blocked: 1}},
		"negative":                   {{Task: "T001", Samples: 2, Passed: -1}},
		"twice":                      {{Task: "T001", Samples: 1}, {Task: "T001", Samples: 1}},
	} {
		_, err := stats.Summarise("m", list, stats.Config{})
		assert.ErrorContains(t, err, "T001", name)
	}
	for _, cfg := range []stats.Config{{Level: 1}, {Level: -0.1}, {Resamples: -1}} {
		_, err := stats.Summarise("m", nil, cfg)
		assert.ErrorContains(t, err, "level between 0 and 1", "%+v", cfg)
	}
}

func TestALeaderboardHasTheBestFirstAndTheLeakingLastAmongEquals(t *testing.T) {
	t.Parallel()
	rate := func(v float64) *stats.Estimate { return &stats.Estimate{Value: v} }
	list := []stats.Summary{
		{Model: "none"},
		{Model: "leaky", Rates: stats.Rates{Pass1: rate(0.5), Leak: rate(0.2)}},
		{Model: "b", Rates: stats.Rates{Pass1: rate(0.5), Leak: rate(0.1)}},
		{Model: "a", Rates: stats.Rates{Pass1: rate(0.5), Leak: rate(0.1)}},
		{Model: "best", Rates: stats.Rates{Pass1: rate(0.9), Leak: rate(0.5)}},
	}
	slices.SortFunc(list, stats.Compare)
	var names []string
	for _, s := range list {
		names = append(names, s.Model)
	}
	assert.Equal(t, []string{"best", "a", "b", "leaky", "none"}, names)
}
