package tasks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

func rowOf(t testing.TB, task *tasks.Task) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, tasks.WriteRow(&out, task))
	return out.String()
}

func readRow(t testing.TB, line string) *tasks.Task {
	t.Helper()
	list, err := tasks.ReadDataset("d.jsonl", strings.NewReader(line))
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// same compares tasks but for where they were read from.
func same(t testing.TB, want, got *tasks.Task) {
	t.Helper()
	a, b := *want, *got
	a.Origin, b.Origin = "", ""
	assert.Equal(t, a, b)
}

// throughFolder writes a task as a folder and reads it again.
func throughFolder(t testing.TB, task *tasks.Task) *tasks.Task {
	t.Helper()
	path, err := task.WriteDir(t.TempDir())
	require.NoError(t, err)
	loaded, err := tasks.LoadDir(path)
	require.NoError(t, err)
	return loaded
}

func TestARowHasTheFieldsOfTheDatasetCard(t *testing.T) {
	t.Parallel()
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(rowOf(t, load(t, nil))), &fields))
	files := noteFiles()
	assert.Equal(t, map[string]any{
		"id": "T001", "title": "Own notes", "tier": 1.0, "split": nil, "tags": []any{"ownership"},
		"traps": []any{"null-owner"}, "requirement": files["requirement.md"], "schema_sql": files["schema.sql"],
		"seed_sql": files["seed.sql"], "tests_yaml": files["tests.yaml"], "n_tests": 2.0, "solution_sql": files["solution.sql"],
		"trap_files":   []any{map[string]any{"name": "null-owner", "sql": "select 1;\n"}},
		"extra_tables": nil, "fixture_notes": nil, "created": "2026-11-30", "canary": tasks.Canary,
		"reports": []any{map[string]any{"trap": "null-owner", "url": "https://example.com/1", "note": "nobody owned the row"}},
	}, fields)
}

func TestATaskIsTheSameAsFolderAndAsRow(t *testing.T) {
	t.Parallel()
	task := load(t, map[string]string{"task.yaml": `id: T001
title: "Notes: of <one> & all"
tier: 2
split: dev
readings: {count: rows, trap_names: file}
extra_tables: [a, {b: [1, 1.5, ~, true]}]
fixture_notes: "none"
canary: ` + tasks.Canary})
	row := rowOf(t, task)
	assert.Contains(t, row, `"trap_files":[{"name":"null-owner.sql"`)
	assert.Contains(t, row, `"slug":"own-notes"`, "the title says otherwise")
	assert.Contains(t, row, "<one> & all")
	read := readRow(t, row)
	same(t, task, read)
	assert.Equal(t, "d.jsonl:1", read.Origin)
	same(t, task, throughFolder(t, read))
	assert.Equal(t, row, rowOf(t, throughFolder(t, read)))
}

// texts that formats have trouble with.
func nastyTexts() []string {
	return []string{
		"plain", "", " ", "a: b", "# c", "- d", "'", `"`, `\`, `\n`, "\n", "a\nb\n", "\r\n", "\t", "\u0001", "\u007f", "\u0085", "\u2028", "\ufeff",
		"💥", "null", "true", "1", "1.0", "{", "[", "*a", "&a", "!t", "%", "@", "`", "<>&", "---", "a\u0000b", "~", "0x1F", "é",
	}
}

func TestAnyTaskSurvivesAllWaysWithoutLoss(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	texts := nastyTexts()
	text := func() string {
		var out string
		for range random.IntN(4) {
			out += texts[random.IntN(len(texts))]
		}
		return out
	}
	list := func() []string {
		var out []string
		for range random.IntN(4) {
			out = append(out, text())
		}
		return out
	}
	values := []any{nil, "x", []any{}, []any{int64(1), 2.5, nil, "1"}, map[string]any{"a": map[string]any{}, "": []any{"\n"}}, int64(-3), false}
	for i := range 100 {
		task := load(t, nil)
		task.Title, task.Slug = text(), []string{"", "a-b", "own-notes"}[random.IntN(3)]
		task.Tier, task.Split = random.IntN(7)-2, []string{"", "train", "dev", "test"}[random.IntN(4)]
		task.Tags, task.Traps, task.Created, task.Canary = list(), list(), text(), text()
		task.Requirement, task.Schema, task.Seed, task.Solution = text(), text(), text(), text()
		task.ExtraTables, task.FixtureNotes = values[random.IntN(len(values))], values[random.IntN(len(values))]
		task.Reports = nil
		if random.IntN(2) == 0 {
			task.Reports = []tasks.Report{{URL: "u" + text(), Note: text()}}
		}
		task.TrapFiles = nil
		for n := range random.IntN(4) {
			task.TrapFiles = append(task.TrapFiles, tasks.NamedSQL{Name: fmt.Sprintf("t%d", n), SQL: text()})
		}
		if random.IntN(2) == 0 {
			task.Readings = tasks.Readings{Count: "value", Denied: "error"}
			if len(task.TrapFiles) > 0 {
				task.Readings.TrapNames = tasks.TrapFile
			}
		}
		row := rowOf(t, task)
		read := readRow(t, row)
		// Rules and hash follow from what was changed above.
		task.Rules, task.Hash = read.Rules, read.Hash
		same(t, task, read)
		folder := throughFolder(t, read)
		same(t, read, folder)
		require.Equal(t, row, rowOf(t, folder), "task %d", i)
		if t.Failed() {
			return
		}
	}
}

func TestWriteDirTouchesNothingThatIsThere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	task := load(t, nil)
	path, err := task.WriteDir(filepath.Join(root, "new"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "new", dir), path)
	for name, text := range noteFiles() {
		if name == "task.yaml" {
			continue // its comments and its form are not the task's
		}
		written, err := os.ReadFile(filepath.Join(path, name))
		require.NoError(t, err)
		assert.Equal(t, text, string(written), name)
	}
	_, err = task.WriteDir(filepath.Join(root, "new"))
	require.ErrorIs(t, err, fs.ErrExist)
	entries, err := os.ReadDir(filepath.Join(root, "new"))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no half-written folder stays")
}

func TestFaultsOfARowAreSaidAtTheirColumn(t *testing.T) {
	t.Parallel()
	good := strings.TrimSuffix(rowOf(t, load(t, nil)), "\n")
	for name, c := range map[string]struct{ line, problem string }{
		"no object":           {"[1]", "d.jsonl:1:1: the line is no JSON object"},
		"no JSON":             {"{", "d.jsonl:1:2: the line ends in the middle of the object"},
		"cut off":             {good[:len(good)-1], "the line ends in the middle of the object"},
		"two objects":         {good + good, "there is more after the object"},
		"an unknown field":    {`{"idd":1}`, `d.jsonl:1:2: unknown field "idd"`},
		"a field twice":       {`{"id":"T001","id":"T002"}`, `d.jsonl:1:14: field "id" is there twice`},
		"a mistyped field":    {`{"tier":"1"}`, `d.jsonl:1:2: field "tier" holds a string where it must not`},
		"an unknown subfield": {`{"trap_files":[{"name":"a","sq":"b"}]}`, `d.jsonl:1:2: field "trap_files": unknown field "sq"`},
		"a missing field":     {`{}`, `d.jsonl:1:1: there is no field "tests_yaml"`},
		"another count":       {strings.Replace(good, `"n_tests":2`, `"n_tests":3`, 1), "d.jsonl:1: n_tests: says 3 but tests_yaml has 2 tests"},
		"another id":          {strings.Replace(good, `"T001"`, `"../x"`, 1), `d.jsonl:1: id: "../x" is no task id`},
		"another split":       {strings.Replace(good, `"split":null`, `"split":"tran"`, 1), `d.jsonl:1: split: unknown split "tran"`},
		"a slug with a path":  {strings.Replace(good, `"reports"`, `"slug":"../x","reports"`, 1), `d.jsonl:1: slug: "../x" is no slug`},
		"an unknown reading":  {strings.Replace(good, `"reports"`, `"readings":{"count":"x"},"reports"`, 1), `d.jsonl:1: readings: unknown reading of count: "x"`},
		"a trap with a path":  {strings.Replace(good, `"name":"null-owner"`, `"name":"../../x"`, 1), "d.jsonl:1#trap_files: trap ../../x has a name that is no file name"},
		"a fault of a test":   {strings.Replace(good, `as: alice`, `as: alise`, 1), `d.jsonl:1#tests_yaml:8:9: there is no user "alise"`},
		"bytes, not text":     {"{\"id\":\"\xff\"}", "d.jsonl:1:1: the line is not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tasks.ReadDataset("d.jsonl", strings.NewReader(c.line))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.problem)
		})
	}
}

func TestADatasetIsReadToItsEndWhateverOneLineHolds(t *testing.T) {
	t.Parallel()
	good := rowOf(t, load(t, nil))
	var ids []string
	var errs []error
	for task, err := range tasks.ReadRows("d.jsonl", strings.NewReader("\n"+strings.Replace(good, "T001", "T002", 1)+"{\n"+good[:len(good)-1])) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ids = append(ids, task.ID+" "+task.Origin)
	}
	assert.Equal(t, []string{"T002 d.jsonl:2", "T001 d.jsonl:4"}, ids)
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], "d.jsonl:3:2")

	_, err := tasks.ReadDataset("d.jsonl", strings.NewReader(good+good))
	require.EqualError(t, err, "two rows have the id T001: d.jsonl:1 and d.jsonl:2")
	_, err = tasks.ReadDataset("d.jsonl", strings.NewReader(strings.Repeat(" ", tasks.MaxRowSize+1)))
	require.EqualError(t, err, "read d.jsonl:1: the line is longer than 16777216 bytes")
}

func TestTheHashIsOfWhatDecidesAGrading(t *testing.T) {
	t.Parallel()
	hash := load(t, nil).Hash
	other := strings.Replace(noteFiles()["task.yaml"], "Own notes", "Other notes", 1)
	assert.Equal(t, hash, load(t, map[string]string{"task.yaml": other}).Hash, "a title decides nothing")
	assert.Equal(t, hash, load(t, map[string]string{"task.yaml": other + "readings: {count: auto}\n"}).Hash, "a default that is written out is the same")
	for file, text := range map[string]string{
		"schema.sql": "x", "seed.sql": "x", "solution.sql": "x", "traps/null-owner.sql": "x", "traps/more.sql": "x",
		"requirement.md": noteFiles()["requirement.md"] + "\n", "tests.yaml": noteFiles()["tests.yaml"] + "\n",
		"task.yaml": other + "readings: {count: rows}\n",
	} {
		assert.NotEqual(t, hash, load(t, map[string]string{file: text}).Hash, file)
	}
}

func FuzzReadRow(f *testing.F) {
	var out bytes.Buffer
	task, err := tasks.Load(with(nil), dir)
	require.NoError(f, err)
	require.NoError(f, tasks.WriteRow(&out, task))
	f.Add(out.String())
	f.Add(`{"id":"T001","extra_tables":[1e400,{"a":1.0}]}`)
	f.Add(`{"readings":{"count":null}}`)
	f.Fuzz(func(t *testing.T, line string) {
		list, err := tasks.ReadDataset("d.jsonl", strings.NewReader(line))
		if err != nil || len(list) != 1 {
			return
		}
		row := rowOf(t, list[0])
		again := readRow(t, row)
		if rowOf(t, again) != row {
			t.Fatalf("not the same:\n%s\n%s", row, rowOf(t, again))
		}
		if folder := throughFolder(t, again); rowOf(t, folder) != row {
			t.Fatalf("not the same through a folder:\n%s\n%s", row, rowOf(t, folder))
		}
	})
}

func FuzzTests(f *testing.F) {
	f.Add(noteFiles()["tests.yaml"])
	f.Add("- {as: anon, rules: R1, query: [a, b], expect: {rows: [{a: 1}]}, after: {query: x, count: 1}, api: {path: /x, body: [1]}}")
	f.Add("users: [{name: a, role: anon, <<: {sub: x}}]\ntests: []")
	f.Fuzz(func(t *testing.T, text string) {
		task, err := tasks.Load(with(map[string]string{"tests.yaml": text + "\n"}), dir)
		if err != nil {
			return
		}
		if len(task.Tests) == 0 {
			t.Fatal("a file without tests was accepted")
		}
		for _, test := range task.Tests {
			if test.As.Role == "" || len(test.Rules) == 0 || strings.TrimSpace(test.Query) == "" || test.Expect.Kind == "" || test.ID == "" {
				t.Fatalf("a test lacks something: %+v", test)
			}
		}
	})
}
