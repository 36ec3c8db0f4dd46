package tasks_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

// changeful is SQL whose value depends on when it runs, or on chance.
var changeful = regexp.MustCompile(`(?i)\b(now|random|clock_timestamp|statement_timestamp|gen_random_uuid|uuid_generate_v4)\s*\(|\bcurrent_(date|timestamp|time)\b`)

func TestTheTasksThatComeAlongAreInOrder(t *testing.T) {
	t.Parallel()
	list, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, task := range list {
		t.Run(task.DirName(), func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tasks.Check(task))
			assert.Equal(t, tasks.Canary, task.Canary)
			assert.Subset(t, []string{"queries are lists of statements"}, task.Forms, "our tests.yaml has the natural form")
			assert.GreaterOrEqual(t, len(task.TrapFiles), 3, "traps")
			assert.NotEmpty(t, task.Reports, "traps are taken from public reports")
			assert.NotRegexp(t, changeful, task.Seed, "a seed is the same in every run")
			for _, test := range task.Tests {
				assert.NotEmpty(t, test.Name, "test %s says what it claims", test.ID)
			}
			for _, name := range append(task.Tags, task.Traps...) {
				assert.Equal(t, strings.ToLower(name), name)
			}
		})
	}
}

func TestOurTasksAreTheSameAsRows(t *testing.T) {
	t.Parallel()
	list, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	for _, task := range list {
		read := readRow(t, rowOf(t, task))
		assert.Equal(t, task.Hash, read.Hash, task.ID)
		same(t, task, read)
	}
}

func TestOurSplitFollowsItsRule(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(tasks.Builtin(), "split.json")
	require.NoError(t, err)
	splits, err := tasks.ParseSplit("split.json", text)
	require.NoError(t, err)
	// The split was frozen over the first 36 tasks, twelve a tier; later ones train.
	tiers := map[string]int{}
	for n := range 36 {
		tiers[fmt.Sprintf("T%03d", n+1)] = n/12 + 1
	}
	for id, split := range (tasks.SplitRule{Seed: tasks.BuiltinSeed}).Apply(tiers) {
		assert.Equal(t, split, splits[id], id)
		delete(splits, id)
	}
	for id, split := range splits {
		assert.Equal(t, tasks.SplitTrain, split, id)
	}
	list, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	for _, task := range list {
		if tier, frozen := tiers[task.ID]; frozen {
			assert.Equal(t, tier, task.Tier, "the tier that %s was split by", task.ID)
		}
	}
}
