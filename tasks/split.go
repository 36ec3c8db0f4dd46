package tasks

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// RLSBenchSeed is the seed of RLS-Bench's frozen split (dataset card, "Split").
const RLSBenchSeed = 20261025

// SplitRule is the rule of the dataset card: stratified by tier, the ids of a tier
// sorted and shuffled, then round(20 %) of them test, round(10 %) dev, the rest train.
// Shuffling and rounding are Python's.
type SplitRule struct {
	// Seed seeds the random numbers.
	Seed uint64
	// Shared draws for all tiers, in ascending order, from one generator. The default
	// is a fresh one with the same seed for each tier; the card does not say which.
	Shared bool
}

// Apply splits tasks, given as id → tier, and returns id → split.
func (rule SplitRule) Apply(tiers map[string]int) map[string]string {
	byTier := map[int][]string{}
	var order []int
	for id, tier := range tiers {
		if byTier[tier] == nil {
			order = append(order, tier)
		}
		byTier[tier] = append(byTier[tier], id)
	}
	slices.Sort(order)
	random := newPythonRandom(rule.Seed)
	splits := map[string]string{}
	for _, tier := range order {
		if !rule.Shared {
			random = newPythonRandom(rule.Seed)
		}
		ids := byTier[tier]
		// Python sorts ids as texts.
		slices.Sort(ids)
		random.shuffle(ids)
		test := pythonRound(0.2 * float64(len(ids)))
		dev := pythonRound(0.1 * float64(len(ids)))
		for i, id := range ids {
			switch {
			case i < test:
				splits[id] = SplitTest
			case i < test+dev:
				splits[id] = SplitDev
			default:
				splits[id] = SplitTrain
			}
		}
	}
	return splits
}

// ErrNoSplitRule says that tasks are split otherwise than by the rule.
var ErrNoSplitRule = errors.New("the split follows the rule under neither reading of its random numbers")

// MatchSplit finds the reading of the rule under which a split of tasks was made, as
// far as it can be told: train may hold tasks that were added later, the appended ids.
// The rule comes back with Shared set as found; ErrNoSplitRule when neither fits.
func MatchSplit(list []*Task, seed uint64, appended []string) (SplitRule, error) {
	tiers := map[string]int{}
	for _, task := range list {
		if !slices.Contains(appended, task.ID) {
			tiers[task.ID] = task.Tier
		}
	}
	for _, shared := range []bool{false, true} {
		rule := SplitRule{Seed: seed, Shared: shared}
		splits := rule.Apply(tiers)
		for _, id := range appended {
			splits[id] = SplitTrain
		}
		if !slices.ContainsFunc(list, func(t *Task) bool { return t.Split != splits[t.ID] }) {
			return rule, nil
		}
	}
	return SplitRule{}, ErrNoSplitRule
}

// ParseSplit reads a split.json and returns id → split. The ids stand in three lists
// "train", "dev" and "test", at the top or under "splits"; what else the file says of
// how the split came about is not read. The file is read as YAML, of which JSON is a
// part, for the positions in errors.
func ParseSplit(file string, data []byte) (map[string]string, error) {
	doc, err := strictyaml.Parse(file, data)
	if err != nil {
		return nil, err
	}
	lists := map[string]strictyaml.Node{}
	collect := func(n strictyaml.Node) {
		for _, pair := range n.Pairs() {
			lists[pair.Key] = pair.Value
		}
	}
	collect(doc.Root())
	if nested, ok := lists["splits"]; ok {
		collect(nested)
	}
	splits := map[string]string{}
	for _, split := range []string{SplitTrain, SplitDev, SplitTest} {
		list, ok := lists[split]
		if !ok {
			doc.Root().Fail(fmt.Sprintf(`list the ids under %q, be it none`, split), "there is no list %q", split)
			continue
		}
		for _, item := range list.Items() {
			// A folder's name stands for its id.
			id, _, _ := strings.Cut(item.Text(), "-")
			if !idPattern.MatchString(id) {
				item.Fail(`for example "T001"`, "%q is no task id", id)
			}
			if other, twice := splits[id]; twice {
				item.Fail("", "task %s is in %s already", id, other)
			}
			splits[id] = split
		}
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return splits, nil
}

// assignSplits gives the tasks the splits of the split.json among files, if any. A
// task's own split must agree with it, and each task must be in it.
func assignSplits(fsys fs.FS, files []string, list []*Task) error {
	if len(files) == 0 {
		return nil
	}
	if len(files) > 1 {
		return fmt.Errorf("there are two %s: %s and %s", splitFile, files[0], files[1])
	}
	r := &folderReader{fsys: fsys, dir: ".", origin: "."}
	text, err := r.read(files[0])
	if err != nil {
		return err
	}
	splits, err := ParseSplit(files[0], []byte(text))
	if err != nil {
		return err
	}
	var errs []error
	for _, task := range list {
		split := splits[task.ID]
		switch {
		case split == "":
			errs = append(errs, fmt.Errorf("task %s is in no list of %s", task.ID, files[0]))
		case task.Split != "" && task.Split != split:
			errs = append(errs, fmt.Errorf("task %s says split %s, %s says %s", task.ID, task.Split, files[0], split))
		}
		task.Split = split
	}
	return errors.Join(errs...)
}
