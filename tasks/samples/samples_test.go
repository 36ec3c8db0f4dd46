package samples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks/samples"
)

func TestSamplesAreReadFromLinesWithAndWithoutNumbers(t *testing.T) {
	t.Parallel()
	list, err := samples.Read("s.jsonl", strings.NewReader(strings.Join([]string{
		`{"model":"a","task":"T001","sample":4,"sql":"select 1"}`,
		`{"model":"b","task":"T001","sql":"select 2","mood":"fine"}`,
		``,
		"{\"model\":\"b\",\"task\":\"T001\",\"answer\":\"Here:\\n```sql\\nselect 3\\n```\"}",
		`{"model":"b","task":"T002","sql":""}`,
		`{"model":"b","task":"T00`,
	}, "\n")))
	require.NoError(t, err)
	require.Len(t, list, 4)
	want := []samples.Key{{"a", "T001", 4}, {"b", "T001", 1}, {"b", "T001", 2}, {"b", "T002", 1}}
	for i, s := range list {
		assert.Equal(t, want[i], s.Key())
	}
	assert.Equal(t, "select 3", list[2].Candidate(), "the SQL in the answer")
	assert.Empty(t, list[3].Candidate())
}

func TestSamplesThatMakeNoSenseAreAllNamed(t *testing.T) {
	t.Parallel()
	_, err := samples.Read("s.jsonl", strings.NewReader(strings.Join([]string{
		`{"model":"a","task":"T1","sample":1,"sql":""}`,
		`{"model":" ","task":"T001","sample":1,"sql":""}`,
		`{"model":"a","task":"T001","sample":-1,"sql":""}`,
		`{"model":"a","task":"T001","sample":1,"sql":"x"}`,
		`{"model":"a","task":"T001","sample":1,"sql":"y"}`,
	}, "\n")))
	for _, problem := range []string{
		`s.jsonl, sample 1: "T1" is no task id`,
		"s.jsonl, sample 2: the sample names no model",
		"s.jsonl, sample 3: there is no sample -1",
		"s.jsonl, sample 5: sample 1 of a for T001 is there already, in s.jsonl, sample 4",
	} {
		require.ErrorContains(t, err, problem)
	}
	_, err = samples.Read("s.jsonl", strings.NewReader("{}\n[1]\n"))
	assert.ErrorContains(t, err, "s.jsonl:2: ")
}

// tree writes files and returns their folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "candidates")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func TestAFolderSaysByItsPathsWhoseCandidatesItHolds(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"opus/T001.sql":                   "one",
		"opus/T002-public-profiles/b.sql": "three",
		"opus/T002-public-profiles/a.sql": "two",
		"qwen/3.5/T001-own-notes.sql":     "four",
		"T003.sql":                        "five",
		"T004/9.sql":                      "six",
		"opus/notes.md":                   "no candidate",
		".git/T001.sql":                   "hidden",
		"opus/.T001.sql":                  "hidden",
	})
	list, err := samples.ReadDir(dir)
	require.NoError(t, err)
	samples.Sort(list)
	got := map[samples.Key]string{}
	for _, s := range list {
		got[s.Key()] = s.Candidate()
	}
	assert.Equal(t, map[samples.Key]string{
		{"opus", "T001", 1}: "one", {"opus", "T002", 1}: "two", {"opus", "T002", 2}: "three",
		{"qwen/3.5", "T001", 1}: "four", {"candidates", "T003", 1}: "five", {"candidates", "T004", 1}: "six",
	}, got)
	assert.Equal(t, "candidates", list[0].Model, "sorted by model first")
}

func TestAFolderWithFilesThatBelongNowhereIsRefused(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"opus/first.sql": "x", "T001.sql": strings.Repeat("-", samples.MaxFileSize+1)})
	_, err := samples.ReadDir(dir)
	require.ErrorContains(t, err, filepath.Join(dir, "opus", "first.sql")+": the path does not say which task")
	require.ErrorContains(t, err, "is larger than 1048576 bytes")
	_, err = samples.ReadDir(filepath.Join(dir, "nowhere"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestALinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.sql")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o644))
	dir := tree(t, map[string]string{"m/T001.sql": "x"})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "m", "T002.sql")))
	list, err := samples.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func FuzzSamplesAreReadOrRefused(f *testing.F) {
	f.Add(`{"model":"a","task":"T001","sample":1,"sql":"x"}`)
	f.Add("{}\n{\"task\":")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := samples.Read("s", strings.NewReader(text))
		if err != nil {
			return
		}
		keys := map[samples.Key]bool{}
		for _, s := range list {
			assert.False(t, keys[s.Key()], "%s twice", s.Key())
			keys[s.Key()] = true
			s.Candidate()
		}
	})
}
