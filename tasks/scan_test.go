package tasks_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

// scanText scans a text and returns the findings.
func scanText(t testing.TB, text string, canaries ...string) []tasks.Finding {
	t.Helper()
	var found []tasks.Finding
	scanner := tasks.Scanner{Canaries: canaries, Found: func(f tasks.Finding) error { found = append(found, f); return nil }}
	total, err := scanner.Reader(t.Context(), "f", strings.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, len(found), total.Findings)
	assert.Equal(t, int64(len(text)), total.Bytes)
	assert.Equal(t, 1, total.Files)
	return found
}

func TestCanariesAreFoundWithTheirLines(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []tasks.Finding{
		{File: "f", Line: 2, Canary: tasks.RLSBenchCanary},
		{File: "f", Line: 2, Canary: tasks.Canary},
		{File: "f", Line: 4, Canary: "OTHER-CANARY-0123456789abcdef"},
		{File: "f", Line: 4, Canary: "guid 26b5c67b"},
	}, scanText(t, "a\n\""+tasks.RLSBenchCanary+"\\n"+tasks.Canary+"\"\n\nOTHER-CANARY-0123456789abcdef guid 26b5c67b\nX-CANARY-0123456789ABCDEF -CANARY-",
		"guid 26b5c67b"))
}

func TestACanaryIsFoundWhereverChunksAreCut(t *testing.T) {
	t.Parallel()
	const chunk = 256 << 10
	for _, at := range []int{0, chunk - 40, chunk - 1, chunk, chunk + 200, chunk + 255, chunk + 256, 3*chunk + 17, 4 * chunk} {
		text := strings.Repeat("x\n", at/2) + strings.Repeat(" ", at%2) + tasks.Canary + "\n"
		assert.Equal(t, []tasks.Finding{{File: "f", Line: at/2 + 1, Canary: tasks.Canary}}, scanText(t, text), "at %d", at)
	}
	assert.Len(t, scanText(t, strings.Repeat(tasks.Canary, 50_000)), 50_000)
}

func TestAFolderIsScannedToItsDepthPackedFilesToo(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
		return path
	}
	packed := func(text string) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	deep := write("a/b/c.jsonl", []byte("\x00\xff\n"+tasks.Canary))
	zipped := write("d.txt", packed("\n\n"+tasks.RLSBenchCanary))
	torn := write("e.gz", packed(tasks.Canary + strings.Repeat("many words ", 10_000))[:60])
	write("clean.md", []byte("no canary"))
	require.NoError(t, os.Symlink("c.jsonl", filepath.Join(root, "a/b/link")))

	var found []tasks.Finding
	scanner := tasks.Scanner{Found: func(f tasks.Finding) error { found = append(found, f); return nil }}
	total, err := scanner.Path(t.Context(), root)
	require.NoError(t, err)
	assert.Subset(t, found, []tasks.Finding{
		{File: deep, Line: 2, Canary: tasks.Canary}, {File: zipped, Line: 3, Canary: tasks.RLSBenchCanary},
	})
	assert.Equal(t, 4, total.Files)
	require.Error(t, total.Skipped, "a torn archive is not called clean")
	assert.Contains(t, total.Skipped.Error(), torn)

	total, err = scanner.Path(t.Context(), deep)
	require.NoError(t, err)
	assert.Equal(t, 1, total.Findings)
	_, err = scanner.Path(t.Context(), filepath.Join(root, "gone"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAScanEndsWhenItIsTold(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	scanner := tasks.Scanner{Found: func(tasks.Finding) error { return stop }}
	total, err := scanner.Reader(t.Context(), "f", strings.NewReader(tasks.Canary+tasks.Canary))
	require.ErrorIs(t, err, stop)
	assert.Equal(t, 1, total.Findings)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = tasks.Scanner{}.Reader(ctx, "f", strings.NewReader("x"))
	require.ErrorIs(t, err, context.Canceled)

	broken := errors.New("broken")
	_, err = tasks.Scanner{}.Reader(t.Context(), "f", io.MultiReader(strings.NewReader("text"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)

	_, err = tasks.Scanner{Canaries: []string{""}}.Reader(t.Context(), "f", strings.NewReader("x"))
	require.ErrorContains(t, err, "a canary has 1 to 256 bytes")
}

func TestCanariesOfTasksAreListedOnce(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"a", "b"}, tasks.CanariesOf([]*tasks.Task{{Canary: "b"}, {Canary: "a"}, {}, {Canary: "b"}}))
}

func FuzzScan(f *testing.F) {
	f.Add("x\n"+tasks.Canary, 3)
	f.Add(strings.Repeat("A", 200)+"-CANARY-0123456789abcdef", 0)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if strings.HasPrefix(text, "\x1f\x8b") || strings.Contains(text, "-CANARY-") {
			return
		}
		// Whatever stands before and after, one canary is found once, in its line.
		pad := strings.Repeat("\n", 256<<10-min(max(size, 0), 300))
		if strings.HasPrefix(text, "0") || text != "" && text[len(text)-1] >= '0' && text[len(text)-1] <= 'Z' {
			text += " "
		}
		found := scanText(t, pad+text+tasks.Canary)
		if len(found) != 1 || found[0].Line != len(pad)+strings.Count(text, "\n")+1 || found[0].Canary != tasks.Canary {
			t.Fatalf("%+v", found)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := strings.Repeat("create policy own on notes for select using (owner = (select auth.uid()));\n", 100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := (tasks.Scanner{}).Reader(b.Context(), "f", strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
