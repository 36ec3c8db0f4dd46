package supascore_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/tasks"
)

const taskGuide = "docs/writing-a-task.md"

// guidedTask is the example of the guide with the SQL that it is about.
func guidedTask(t *testing.T, change func(fstest.MapFS)) (*tasks.Task, error) {
	t.Helper()
	files := fstest.MapFS{}
	put := func(name, text string) { files["T900-notes/"+name] = &fstest.MapFile{Data: []byte(text)} }
	blocks := regexp.MustCompile("(?ms)^```(?:yaml|markdown)\n(.*?)^```$").FindAllStringSubmatch(readDocument(t, taskGuide), -1)
	require.Len(t, blocks, 3, "the guide shows a task.yaml, a requirement.md and a tests.yaml")
	for i, name := range []string{"task.yaml", "requirement.md", "tests.yaml"} {
		put(name, blocks[i][1])
	}
	const read = "alter table notes enable row level security; grant select, insert on notes to authenticated;\n" +
		"create policy own on notes for select to authenticated using (owner = (select auth.uid()));\n"
	const add = "create policy add on notes for insert to authenticated with check (owner = (select auth.uid()));\n"
	put("schema.sql", "create table notes (id int primary key, owner uuid not null, body text not null);\n")
	put("seed.sql", "insert into notes values (1, '11111111-1111-4111-8111-111111111111', 'flour'), (2, '22222222-2222-4222-8222-222222222222', 'eggs');\n")
	put("solution.sql", read+add)
	put("traps/add-for-others.sql", read+"create policy add on notes for insert to authenticated with check (true);\n")
	put("traps/everybody-reads.sql", strings.Replace(read, "using (owner = (select auth.uid()))", "using (true)", 1)+add)
	put("traps/no-policy-for-insert.sql", read)
	if change != nil {
		change(files)
	}
	return tasks.Load(files, "T900-notes")
}

func TestTheTaskGuidesExampleIsAccepted(t *testing.T) {
	t.Parallel()
	task, err := guidedTask(t, nil)
	require.NoError(t, err)
	v, err := newGrader(t).Validate(t.Context(), task, supascore.ValidateOptions{})
	require.NoError(t, err)
	assert.Empty(t, unmet(v))
	assert.Len(t, v.Traps, 3)
	assert.InDelta(t, 1, v.KillRate, 0)
}

func TestTheTaskGuideNamesEveryKey(t *testing.T) {
	t.Parallel()
	const unknown = "qqqqqqqqqqqq"
	for heading, change := range map[string]struct{ file, old string }{
		"key of task.yaml": {"task.yaml", "tier: 1"},
		"key of a test":    {"tests.yaml", "- id: own-notes"},
		"key of expect":    {"tests.yaml", "expect: {"},
	} {
		_, err := guidedTask(t, func(files fstest.MapFS) {
			file := files["T900-notes/"+change.file]
			text := string(file.Data)
			replacement := unknown + ": x\n" + change.old
			switch change.old {
			case "- id: own-notes":
				replacement = "- " + unknown + ": x\n    id: own-notes"
			case "expect: {":
				replacement = "expect: {" + unknown + ": x, "
			}
			require.Contains(t, text, change.old)
			file.Data = []byte(strings.Replace(text, change.old, replacement, 1))
		})
		require.Error(t, err, heading)
		known := knownKeys(t, err)
		documented := tableIn(t, taskGuide, heading)
		assert.ElementsMatch(t, known, documented, "table %q of %s", heading, taskGuide)
	}
}

func TestTheTaskGuideNamesEveryReadingWithItsAnswers(t *testing.T) {
	t.Parallel()
	document := readDocument(t, taskGuide)
	for reading := range strings.FieldsSeq(tasks.Readings{}.WithDefaults().String()) {
		name, value, _ := strings.Cut(reading, "=")
		assert.Contains(t, document, "| `"+name+"` | `"+value+"`", "the default comes first")
	}
	names, rows := table(t, taskGuide, "reading")
	for i, name := range names {
		var set tasks.Readings
		answers := strings.Split(strings.ReplaceAll(rows[i][1], "`", ""), ", ")
		for _, answer := range answers {
			assert.Nil(t, set.Set(name, answer), "%s=%s", name, answer)
		}
		err := set.Set(name, "qqqqqqqqqqqq")
		require.NotNil(t, err)
		assert.Equal(t, "known: "+strings.Join(answers, ", "), err.Remedy, name)
	}
	assert.Len(t, names, len(strings.Fields(tasks.Readings{}.WithDefaults().String())))
}

// knownKeys are the keys that an error about an unknown one lists, without their other
// names.
func knownKeys(t *testing.T, err error) []string {
	t.Helper()
	var hinted interface{ Hint() string }
	require.ErrorAs(t, err, &hinted)
	_, list, found := strings.Cut(hinted.Hint(), "known: ")
	require.True(t, found, hinted.Hint())
	list, _, _ = strings.Cut(list, "\n")
	known := strings.Split(list, ", ")
	others := []string{"title", "user", "role", "uid", "user_id", "covers", "sql"}
	if slices.Contains(known, "tier") {
		others = nil // a task has a title
	}
	return slices.DeleteFunc(known, func(key string) bool { return slices.Contains(others, key) })
}
