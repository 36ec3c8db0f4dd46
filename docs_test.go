package supascore_test

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/scorers"
)

const guide = "docs/writing-an-eval.md"

// tableOf returns the first cells of the guide's table whose heading starts with the
// given text, without backticks, and the whole rows beside them.
func tableOf(t *testing.T, heading string) (first []string, rows [][]string) {
	t.Helper()
	return table(t, guide, heading)
}

// tableIn returns the first cells of a document's table.
func tableIn(t *testing.T, document, heading string) []string {
	t.Helper()
	first, _ := table(t, document, heading)
	return first
}

// table returns a table of a document.
func table(t *testing.T, document, heading string) (first []string, rows [][]string) {
	t.Helper()
	_, table, found := strings.Cut(readDocument(t, document), "\n| "+heading+" |")
	require.True(t, found, "%s has no table %q", document, heading)
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		first = append(first, strings.Trim(cells[0], "`"))
		rows = append(rows, cells)
	}
	return first, rows
}

// keysOf are the keys that YAML can set in a value of the type.
func keysOf(value any, tag string) []string {
	var keys []string
	for field := range reflect.TypeOf(value).Fields() {
		if key, _, _ := strings.Cut(field.Tag.Get(tag), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

func TestTheGuideToEvalsNamesEveryKey(t *testing.T) {
	t.Parallel()
	// The id of an eval is its folder's name, not a key.
	eval := slices.DeleteFunc(keysOf(evals.Eval{}, "json"), func(key string) bool { return key == "id" })
	for heading, want := range map[string][]string{
		"key":                eval,
		"key of a person":    keysOf(evals.Person{}, "yaml"),
		"key of a step":      keysOf(evals.Step{}, "yaml"),
		"key of an insert":   keysOf(evals.Insert{}, "yaml"),
		"key of a check":     keysOf(evals.CheckSpec{}, "yaml"),
		"key of expect.yaml": keysOf(evals.Expectation{}, "yaml"),
	} {
		documented, _ := tableOf(t, heading)
		assert.ElementsMatch(t, want, documented, "table %q of %s", heading, guide)
	}
}

func TestTheGuideToEvalsNamesEveryKindWithItsParameters(t *testing.T) {
	t.Parallel()
	documented, rows := tableOf(t, "kind")
	var kinds []string
	for _, kind := range (scorers.Library{}).Docs() {
		kinds = append(kinds, kind.Name)
		i := slices.Index(documented, kind.Name)
		if !assert.GreaterOrEqual(t, i, 0, "%s has no row for kind %s", guide, kind.Name) {
			continue
		}
		assert.Equal(t, kind.Doc, rows[i][1])
		assert.Equal(t, parametersOf(t, kind.Name), rows[i][2], kind.Name)
	}
	assert.ElementsMatch(t, kinds, documented)
}

// parametersOf asks the library for a kind's parameters, by giving it one that no
// kind has, and writes them as the guide does.
func parametersOf(t *testing.T, kind string) string {
	t.Helper()
	err := scorers.Library{}.Validate(&evals.Eval{}, evals.CheckSpec{
		ID: "any", Uses: kind, With: map[string]any{"nothing-of-this-name": true},
	})
	var param *evals.ParamError
	require.True(t, errors.As(err, &param), "%s: %v", kind, err)
	_, list, ok := strings.Cut(param.Remedy, " takes: ")
	if !ok {
		return "none"
	}
	parameters := strings.Split(list, ", ")
	if strings.HasSuffix(kind, "-row") && !strings.Contains(kind, "update") {
		// The row kinds share their parameters, but only an update changes columns.
		parameters = slices.DeleteFunc(parameters, func(p string) bool { return p == "set" })
	}
	return "`" + strings.Join(parameters, "`, `") + "`"
}

func TestTheGuidesExamplesLoad(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(readDocument(t, guide), -1)
	require.Len(t, blocks, 2, "the guide shows an eval.yaml and an expect.yaml")
	files := fstest.MapFS{
		"docs/notebooks/eval.yaml":   {Data: []byte(blocks[0][1])},
		"docs/notebooks/expect.yaml": {Data: []byte(blocks[1][1])},
	}
	eval, err := evals.Find(files, "notebooks", scorers.Library{})
	require.NoError(t, err)
	expected, err := evals.LoadExpectation(files, "docs/notebooks/expect.yaml", eval)
	require.NoError(t, err)
	assert.Len(t, expected.Checks, len(eval.Checks))
	assert.NotEmpty(t, eval.Arrange)
}
