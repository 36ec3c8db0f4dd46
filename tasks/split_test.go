package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The expected numbers of this file are CPython 3.11's: random.Random(seed).getrandbits(32),
// random.Random(seed).shuffle(list) and round(0.2 * n), printed and kept here.

func TestRandomNumbersArePythons(t *testing.T) {
	t.Parallel()
	for seed, want := range map[uint64][]uint32{
		0:                    {3626764237, 1654615998, 3255389356},
		1:                    {577090037, 2444712010, 3639700191},
		20261025:             {1821732005, 1628324191, 3351864502},
		4294967296:           {485306839, 1508871100, 1794561286},
		1099511627783:        {2635837658, 3209733218, 3500038837},
		18446744073709551615: {93740670, 1068495656, 1452108352},
	} {
		random := newPythonRandom(seed)
		got := []uint32{random.uint32(), random.uint32(), random.uint32()}
		assert.Equal(t, want, got, "seed %d", seed)
	}
	random := newPythonRandom(RLSBenchSeed)
	for range 1000 {
		random.uint32()
	}
	assert.Equal(t, uint32(103254288), random.uint32(), "beyond the first twist")
}

func TestShufflingIsPythons(t *testing.T) {
	t.Parallel()
	var ids []string
	for i := range 10 {
		ids = append(ids, fmt.Sprintf("T%03d", i+1))
	}
	newPythonRandom(RLSBenchSeed).shuffle(ids)
	assert.Equal(t, "T003 T009 T001 T008 T005 T006 T002 T004 T010 T007", strings.Join(ids, " "))
}

func TestRoundingIsPythons(t *testing.T) {
	t.Parallel()
	fifths := []int{
		0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 10,
		10, 10, 10, 10,
	}
	tenths := []int{
		0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5,
		5, 5, 5, 5,
	}
	for n := range fifths {
		assert.Equal(t, fifths[n], pythonRound(0.2*float64(n)), "0.2 × %d", n)
		assert.Equal(t, tenths[n], pythonRound(0.1*float64(n)), "0.1 × %d", n)
	}
}

// exampleTiers are 103 tasks, as many as RLS-Bench split.
func exampleTiers() map[string]int {
	tiers := map[string]int{}
	for i := 1; i <= 103; i++ {
		tier := 3
		if i%10 < 3 {
			tier = 1
		} else if i%10 < 7 {
			tier = 2
		}
		tiers[fmt.Sprintf("T%03d", i)] = tier
	}
	return tiers
}

func idsIn(splits map[string]string, split string) string {
	ids := slices.Sorted(maps.Keys(splits))
	return strings.Join(slices.DeleteFunc(ids, func(id string) bool { return splits[id] != split }), " ")
}

func TestTheRuleSplitsAsPythonDoesUnderBothReadings(t *testing.T) {
	t.Parallel()
	apart := SplitRule{Seed: RLSBenchSeed}.Apply(exampleTiers())
	assert.Len(t, apart, 103)
	assert.Equal(t, "T001 T007 T011 T014 T017 T023 T029 T030 T034 T037 T051 T054 T064 T069 T072 T075 T076 T083 T090 T098", idsIn(apart, SplitTest))
	assert.Equal(t, "T006 T015 T016 T058 T068 T070 T078 T084 T092 T100", idsIn(apart, SplitDev))
	shared := SplitRule{Seed: RLSBenchSeed, Shared: true}.Apply(exampleTiers())
	assert.Equal(t, "T001 T003 T011 T030 T038 T046 T051 T054 T055 T057 T059 T066 T067 T072 T077 T089 T090 T094 T095 T103", idsIn(shared, SplitTest))
	assert.Equal(t, "T015 T033 T048 T069 T070 T073 T092 T093 T098 T100", idsIn(shared, SplitDev))
}

func TestMatchSplitFindsTheReading(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		tiers := exampleTiers()
		splits := SplitRule{Seed: RLSBenchSeed, Shared: shared}.Apply(tiers)
		list := []*Task{{ID: "T104", Tier: 1, Split: SplitTrain}}
		for id, tier := range tiers {
			list = append(list, &Task{ID: id, Tier: tier, Split: splits[id]})
		}
		rule, err := MatchSplit(list, RLSBenchSeed, []string{"T104"})
		require.NoError(t, err)
		assert.Equal(t, SplitRule{Seed: RLSBenchSeed, Shared: shared}, rule)
		_, err = MatchSplit(list, RLSBenchSeed+1, []string{"T104"})
		require.ErrorIs(t, err, ErrNoSplitRule)
		list[0].Split = SplitTest
		_, err = MatchSplit(list, RLSBenchSeed, []string{"T104"})
		require.ErrorIs(t, err, ErrNoSplitRule)
	}
}

func TestParseSplitReadsListsAtTheTopOrBelow(t *testing.T) {
	t.Parallel()
	want := map[string]string{"T001": SplitTrain, "T002": SplitTrain, "T003": SplitTest}
	for _, text := range []string{
		`{"seed": 1, "method": "x", "train": ["T001", "T002-b"], "dev": [], "test": ["T003"], "revisions": [{"date": "x"}]}`,
		`{"splits": {"train": ["T001", "T002"], "dev": [], "test": ["T003"]}}`,
	} {
		splits, err := ParseSplit("split.json", []byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, splits)
	}
	for text, problem := range map[string]string{
		`{"train": [], "dev": []}`:                         `split.json:1:1: there is no list "test"`,
		`{"train": ["T001"], "dev": ["T001"], "test": []}`: "split.json:1:29: task T001 is in train already",
		`{"train": ["x"], "dev": [], "test": []}`:          `split.json:1:12: "x" is no task id`,
		`{"train": "T001", "dev": [], "test": []}`:         "split.json:1:11: expected a list, found a text",
		`{"train": [`: "split.json:",
	} {
		_, err := ParseSplit("split.json", []byte(text))
		require.ErrorContains(t, err, problem)
	}
}

func FuzzParseSplit(f *testing.F) {
	f.Add(`{"train": ["T001"], "dev": [], "test": ["T002"]}`)
	f.Add("splits: {train: [T001], dev: [T002-x], test: []}")
	f.Fuzz(func(t *testing.T, text string) {
		splits, err := ParseSplit("split.json", []byte(text))
		for id, split := range splits {
			if err != nil || !ValidID(id) || split != SplitTrain && split != SplitDev && split != SplitTest {
				t.Fatalf("%v: %s in %s", err, id, split)
			}
		}
	})
}
