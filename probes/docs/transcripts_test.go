package docs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/docs"
)

// transcripts is the folder of the transcripts with known outcomes; every .jsonl
// has a .yaml of the same name beside it.
var transcripts = filepath.Join("..", "..", "fixtures", "transcripts")

// outcome is what a transcript's .yaml states. Its verdict is for the scorers.
type outcome struct {
	About   string
	Verdict string
	Lines   int
	Calls   []struct {
		Source  string
		Line    int
		Query   string
		Content string
		Why     string
		Pages   []struct{ URL, Title string }
		Chars   *int
	}
	Errors []struct {
		Line    int
		Problem string
	}
}

func readOutcome(t *testing.T, path string) outcome {
	t.Helper()
	text, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".yaml")
	require.NoError(t, err)
	var want outcome
	require.NoError(t, yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&want))
	return want
}

func files(t *testing.T, format string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(transcripts, format, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

func TestEveryTranscriptShowsTheLookUpsThatItsOutcomeStates(t *testing.T) {
	t.Parallel()
	for _, format := range []string{docs.FormatClaudeCode, docs.FormatCodex, docs.FormatOpenCode} {
		for _, path := range files(t, format) {
			t.Run(format+"/"+strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
				t.Parallel()
				want := readOutcome(t, path)
				text, err := os.ReadFile(path)
				require.NoError(t, err)

				seen, err := docs.Read(bytes.NewReader(text), docs.Config{})

				require.NoError(t, err)
				assert.Equal(t, format, seen.Format)
				assert.Equal(t, want.Lines, seen.Lines)
				assert.Empty(t, seen.Cut)
				assertErrors(t, want, seen)
				assertCalls(t, want, seen)
			})
		}
	}
}

func assertErrors(t *testing.T, want outcome, seen *probes.DocsObservation) {
	t.Helper()
	require.Len(t, seen.Errors, len(want.Errors))
	for i, bad := range want.Errors {
		assert.Equal(t, bad.Line, seen.Errors[i].Line)
		assert.Contains(t, seen.Errors[i].Problem, bad.Problem)
	}
}

func assertCalls(t *testing.T, want outcome, seen *probes.DocsObservation) {
	t.Helper()
	wanted := []probes.DocsCall{}
	for _, call := range want.Calls {
		made := probes.DocsCall{
			Source: call.Source, Line: call.Line, Query: call.Query, Why: call.Why, ResultChars: call.Chars,
			HasContent: map[string]*bool{"yes": ptr(true), "no": ptr(false), "unknown": nil}[call.Content],
		}
		for _, page := range call.Pages {
			made.Pages = append(made.Pages, probes.DocsPage{URL: page.URL, Title: page.Title})
		}
		wanted = append(wanted, made)
	}
	assert.Equal(t, wanted, seen.Calls)
}

func ptr[T any](value T) *T { return &value }
