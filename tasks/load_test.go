package tasks_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

func TestLoadReadsEveryFileOfATask(t *testing.T) {
	t.Parallel()
	task := load(t, nil)
	files := noteFiles()
	assert.Equal(t, "T001", task.ID)
	assert.Equal(t, "own-notes", task.Slug)
	assert.Equal(t, "T001-own-notes", task.DirName())
	assert.Equal(t, "Own notes", task.Title)
	assert.Equal(t, 1, task.Tier)
	assert.Equal(t, []string{"ownership"}, task.Tags)
	assert.Equal(t, []string{"null-owner"}, task.Traps)
	assert.Equal(t, []tasks.Report{{Trap: "null-owner", URL: "https://example.com/1", Note: "nobody owned the row"}}, task.Reports)
	assert.Equal(t, files["requirement.md"], task.Requirement)
	assert.Equal(t, files["schema.sql"], task.Schema)
	assert.Equal(t, files["seed.sql"], task.Seed)
	assert.Equal(t, files["solution.sql"], task.Solution)
	assert.Equal(t, []tasks.NamedSQL{{Name: "null-owner", SQL: "select 1;\n"}}, task.TrapFiles)
	assert.Equal(t, []tasks.Rule{
		{ID: "R1", Text: "A person reads and changes their own notes.", Line: 3},
		{ID: "R2", Text: "Nobody else does.", Line: 5},
	}, task.Rules)
	assert.Equal(t, "2026-11-30", task.Created)
	assert.Equal(t, tasks.Canary, task.Canary)
	assert.Len(t, task.Hash, 64)
	assert.Empty(t, task.Forms)
	assert.Equal(t, []tasks.Test{
		{
			ID: "own", Name: "alice reads her own note", Line: 6, Rules: []string{"R1"},
			As: tasks.User{
				Alias: "alice", Role: "authenticated", Sub: alice,
				Claims: map[string]any{"app_metadata": map[string]any{"org": int64(1)}},
			},
			Query: "select id from notes order by id", Expect: tasks.Expect{Kind: tasks.KindRows, Rows: [][]any{{int64(1)}}},
		},
		{
			ID: "none", Line: 12, Rules: []string{"R2"}, As: tasks.User{Alias: "nobody", Role: "anon"},
			Query: "select id from notes", Expect: tasks.Expect{Kind: tasks.KindCount},
		},
	}, task.Tests)
	require.NoError(t, tasks.Check(task))
}

func TestLoadSaysWhereSomethingIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text, problem, hint string
	}{
		"an unknown key of task.yaml": {
			"task.yaml", "id: T001\ntitle: x\ntier: 1\ntrap: [a]",
			`T001-own-notes/task.yaml:4:1: unknown key "trap"`, `did you mean "traps"?`,
		},
		"an id that is another's": {
			"task.yaml", "id: T002\ntitle: x\ntier: 1", `T001-own-notes/task.yaml:1:5: id is "T002" but the folder is of T001`, "",
		},
		"an unknown reading": {
			"task.yaml", "id: T001\ntitle: x\ntier: 1\nreadings:\n  count: row",
			`T001-own-notes/task.yaml:5:3: unknown reading of count: "row"`, `did you mean "rows"?`,
		},
		"an unknown split": {
			"task.yaml", "id: T001\ntitle: x\ntier: 1\nsplit: tset",
			`T001-own-notes/task.yaml:4:8: unknown value "tset"`, `did you mean "test"?`,
		},
		"a report without its address": {
			"task.yaml", "id: T001\ntitle: x\ntier: 1\nreports:\n  - note: x",
			"T001-own-notes/task.yaml:5:5: the report has no url", "",
		},
		"a file that no task has": {
			"solutions.sql", "x", "T001-own-notes/solutions.sql: is no file of a task", `did you mean "solution.sql"?`,
		},
		"a trap that is no SQL file": {
			"traps/x.txt", "x", "T001-own-notes/traps/x.txt: is no .sql file", "the folder holds traps only",
		},
		"a missing file":         {"tests.yaml", "", "T001-own-notes/tests.yaml: is missing", ""},
		"bytes that are no text": {"schema.sql", "\xff", "T001-own-notes/schema.sql: is not UTF-8", "save the file as UTF-8"},
		"a file without end": {
			"seed.sql", strings.Repeat("x", tasks.MaxFileSize+1), "T001-own-notes/seed.sql: is larger than 1048576 bytes", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tasks.Load(with(map[string]string{c.file: c.text}), dir)
			var fileErr *tasks.FileError
			require.ErrorAs(t, err, &fileErr)
			assert.Equal(t, c.problem, fileErr.Error())
			assert.Equal(t, c.hint, fileErr.Hint())
		})
	}
}

func TestAllFaultsOfAFolderAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := tasks.Load(with(map[string]string{
		"task.yaml": "id: T001\ntitel: x\ntier: one", "tests.yaml": "tests: [{as: anon}]",
	}), dir)
	require.Error(t, err)
	for _, want := range []string{"there is no title", `unknown key "titel"`, "expected a whole number", "there is no query"} {
		assert.Contains(t, err.Error(), want)
	}
}

func TestAFolderIsNamedAfterItsTask(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"notes", "T01-x", "T001-", "T001-Own", "T001_x", "t001-x", "T001-a--b"} {
		fsys := fstest.MapFS{name + "/task.yaml": {Data: []byte("id: T001")}}
		_, err := tasks.Load(fsys, name)
		require.ErrorContains(t, err, "not made of an id and a slug", name)
	}
}

func TestListFindsTasksAtAnyDepthAndTheirSplits(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for _, name := range []string{"T1000-late", "T002-b", "T001-a"} {
		for file, text := range noteFiles() {
			id, _, _ := strings.Cut(name, "-")
			fsys["data/tasks/"+name+"/"+file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "id: T001", "id: "+id))}
		}
	}
	fsys["data/split.json"] = &fstest.MapFile{Data: []byte(`{"seed": 1, "train": ["T001"], "dev": ["T002-b"], "test": ["T1000"]}`)}
	list, err := tasks.List(fsys)
	require.NoError(t, err)
	var got []string
	for _, task := range list {
		got = append(got, task.ID+" "+task.Split)
	}
	assert.Equal(t, []string{"T001 train", "T002 dev", "T1000 test"}, got)

	found, err := tasks.Find(list, "T002")
	require.NoError(t, err)
	assert.Equal(t, "T002-b", found.DirName())
	_, err = tasks.Find(list, "T02")
	var unknown *tasks.UnknownTaskError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, `there is no task "T02"`, err.Error())
	assert.Equal(t, `did you mean "T002"?`, unknown.Hint())

	delete(fsys, "data/split.json")
	fsys["split.json"] = &fstest.MapFile{Data: []byte(`{"train": ["T001"], "dev": [], "test": []}`)}
	_, err = tasks.List(fsys)
	require.ErrorContains(t, err, "task T002 is in no list of split.json")
}

func TestListRefusesOneIDTwice(t *testing.T) {
	t.Parallel()
	fsys := with(nil)
	for file, text := range noteFiles() {
		fsys["more/T001-again/"+file] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err := tasks.List(fsys)
	require.EqualError(t, err, "two tasks have the id T001: T001-own-notes and more/T001-again")
}

func TestLoadDirDoesNotFollowLinksOutOfTheFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	task := load(t, nil)
	path, err := task.WriteDir(root)
	require.NoError(t, err)
	loaded, err := tasks.LoadDir(path + "/")
	require.NoError(t, err)
	assert.Equal(t, task.Hash, loaded.Hash)

	require.NoError(t, os.WriteFile(filepath.Join(root, "secret"), []byte("secret"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(path, "seed.sql")))
	require.NoError(t, os.Symlink("../secret", filepath.Join(path, "seed.sql")))
	_, err = tasks.LoadDir(path)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "seed.sql")
	assert.NotContains(t, err.Error(), "is missing")
}

func TestReadingsHaveDefaultsAndRefuseOthers(t *testing.T) {
	t.Parallel()
	given, err := tasks.ParseReadings([]string{"count=rows", "seed = after"})
	require.NoError(t, err)
	assert.Equal(t, "count=rows denied=any order=query seed=after statements=last claims=token trap_names=stem", given.String())
	assert.Equal(t, "after", tasks.Readings{Seed: "before", Order: "bag"}.With(given).Seed)
	assert.Equal(t, "bag", tasks.Readings{Seed: "before", Order: "bag"}.With(given).Order)
	for setting, hint := range map[string]string{
		"coun=rows": `did you mean "count"?`, "count=row": `did you mean "rows"?`, "count": `for example "count=rows"`,
	} {
		_, err := tasks.ParseReadings([]string{setting})
		var reading *tasks.ReadingError
		require.True(t, errors.As(err, &reading), setting)
		assert.Equal(t, hint, reading.Hint(), setting)
	}
}
