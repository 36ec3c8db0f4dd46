package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/journal"
)

type entry struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "entries.jsonl")
	if text != "" {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return path
}

func TestEntriesAreThereWhenTheJournalIsOpenedAgain(t *testing.T) {
	t.Parallel()
	path := file(t, "")
	j, entries, err := journal.Open[entry](path)
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.NoError(t, j.Append(entry{1, "a <b> & \n c"}))
	require.NoError(t, j.Append(entry{2, ""}))
	require.NoError(t, j.Close())

	j, entries, err = journal.Open[entry](path)
	require.NoError(t, err)
	defer j.Close()
	assert.Equal(t, []entry{{1, "a <b> & \n c"}, {2, ""}}, entries)
}

func TestALineCutOffAnywhereIsTakenOutAndItsPlaceWrittenAnew(t *testing.T) {
	t.Parallel()
	whole, next := `{"n":1,"text":"x"}`+"\n", `{"n":2,"text":"yé"}`
	for cut := 1; cut < len(next); cut++ {
		path := file(t, whole+next[:cut])
		j, entries, err := journal.Open[entry](path)
		require.NoError(t, err, "cut after %d bytes", cut)
		assert.Equal(t, []entry{{1, "x"}}, entries, "cut after %d bytes", cut)
		require.NoError(t, j.Append(entry{3, "z"}))
		require.NoError(t, j.Close())
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, whole+`{"n":3,"text":"z"}`+"\n", string(text), "cut after %d bytes", cut)
	}
}

func TestAWholeLastEntryWithoutItsLineFeedIsKept(t *testing.T) {
	t.Parallel()
	path := file(t, `{"n":1,"text":"x"}`)
	j, entries, err := journal.Open[entry](path)
	require.NoError(t, err)
	assert.Equal(t, []entry{{1, "x"}}, entries)
	require.NoError(t, j.Append(entry{2, "y"}))
	require.NoError(t, j.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, `{"n":1,"text":"x"}`+"\n"+`{"n":2,"text":"y"}`+"\n", string(text))
}

func TestADamagedLineInTheMiddleIsAnErrorWithItsPlace(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off":       "{\"n\":1}\n\n{\"n\":\n{\"n\":3}\n",
		"no JSON":       "{\"n\":1}\n\nnonsense\n",
		"another shape": "{\"n\":1}\n\n{\"n\":\"one\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := file(t, text)
			_, _, err := journal.Open[entry](path)
			var line *journal.LineError
			require.ErrorAs(t, err, &line)
			assert.Equal(t, 3, line.Line)
			assert.Equal(t, path, line.File)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, text, string(after), "a file that is not understood is not touched")
		})
	}
}

func TestOnlyOneProgramHasAJournal(t *testing.T) {
	t.Parallel()
	path := file(t, "")
	first, _, err := journal.Open[entry](path)
	require.NoError(t, err)
	_, _, err = journal.Open[entry](path)
	var locked *journal.LockedError
	require.ErrorAs(t, err, &locked)
	assert.Equal(t, path, locked.Path)
	require.NoError(t, first.Close())

	second, _, err := journal.Open[entry](path)
	require.NoError(t, err, "a closed journal is free")
	require.NoError(t, second.Close())
}

func TestSeveralGoroutinesMayAppend(t *testing.T) {
	t.Parallel()
	path := file(t, "")
	j, _, err := journal.Open[entry](path)
	require.NoError(t, err)
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() { assert.NoError(t, j.Append(entry{n, strings.Repeat("x", 10_000)})) })
	}
	all.Wait()
	require.NoError(t, j.Close())
	j, entries, err := journal.Open[entry](path)
	require.NoError(t, err)
	defer j.Close()
	seen := map[int]bool{}
	for _, e := range entries {
		seen[e.N] = true
	}
	assert.Len(t, seen, 50)
}

func FuzzReadingNeverFailsOnWhatWasWrittenAndCutOff(f *testing.F) {
	f.Add("a\nb", 3)
	f.Add("\u2028é\x00", 20)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		path := filepath.Join(t.TempDir(), "j")
		j, _, err := journal.Open[entry](path)
		require.NoError(t, err)
		require.NoError(t, j.Append(entry{1, text}))
		require.NoError(t, j.Append(entry{2, text}))
		require.NoError(t, j.Close())
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		cut = max(0, min(cut, len(data)))
		entries, err := journal.Read[entry]("j", bytes.NewReader(data[:cut]))
		require.NoError(t, err)
		assert.LessOrEqual(t, len(entries), 2)
		for i, e := range entries {
			assert.Equal(t, i+1, e.N)
		}
	})
}
