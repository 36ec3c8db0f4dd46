package docs_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/docs"
)

// fetch is a Codex transcript of one opened page.
func fetch(address string) string {
	return `{"type":"item.completed","item":{"id":"item_0","type":"web_search","query":"","action":{"type":"open_page","url":"` + address + `"}}}` + "\n"
}

func mustRead(t *testing.T, text string, cfg docs.Config) *probes.DocsObservation {
	t.Helper()
	seen, err := docs.Read(strings.NewReader(text), cfg)
	require.NoError(t, err)
	return seen
}

func TestAFileOfAnotherKindIsRefusedWithWhatIsOdd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ about, text, problem string }{
		{"an empty file", "", "it is empty"},
		{"prose", "I read the guide.\n", "line 1: no JSON"},
		{"JSON lines of another kind", "{\"a\":1}\n{\"b\":2}\n", "none of its 2 lines"},
		{"an error alone, which every format has", "{\"type\":\"error\",\"message\":\"x\"}\n", "none of its 1 lines"},
		{"a JSON list over lines", "[\n{\"type\":\"user\"}\n]\n", "line 1: no JSON"},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			seen, err := docs.Read(strings.NewReader(test.text), docs.Config{})
			assert.Nil(t, seen)
			require.ErrorIs(t, err, docs.ErrUnknownFormat)
			assert.ErrorContains(t, err, test.problem)
			var hint interface{ Hint() string }
			require.ErrorAs(t, err, &hint)
			assert.Contains(t, hint.Hint(), "codex exec --json")
		})
	}
}

func TestHostsAreExactAndConfigurable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about, address string
		hosts          []string
		counts         bool
	}{
		{"the default", "https://supabase.com/docs", nil, true},
		{"capitals", "HTTPS://Supabase.COM/docs", nil, true},
		{"a port", "http://supabase.com:8080/docs", nil, true},
		{"a subdomain", "https://api.supabase.com/docs", nil, false},
		{"a longer name", "https://supabase.com.example/docs", nil, false},
		{"a name before the @", "https://supabase.com@example.com/docs", nil, false},
		{"another scheme", "ftp://supabase.com/docs", nil, false},
		{"a preview that was asked for", "https://preview.example/docs", []string{"supabase.com", " Preview.Example "}, true},
		{"the default is gone once hosts are given", "https://supabase.com/docs", []string{"preview.example"}, false},
		{"an address that is too long", "https://supabase.com/" + strings.Repeat("a", 3000), nil, false},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			seen := mustRead(t, fetch(test.address), docs.Config{Hosts: test.hosts})
			if !test.counts {
				assert.Empty(t, seen.Calls)
				return
			}
			require.Len(t, seen.Calls, 1)
			assert.Equal(t, []probes.DocsPage{{URL: test.address}}, seen.Calls[0].Pages)
		})
	}
}

func TestAWrongConfigIsRefused(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"https://supabase.com", "supabase.com/docs", "a b", " "} {
		_, err := docs.Read(strings.NewReader(""), docs.Config{Hosts: []string{host}})
		assert.ErrorContains(t, err, "is no host name", host)
	}
	_, err := docs.Read(strings.NewReader(""), docs.Config{MaxLine: -1})
	assert.ErrorContains(t, err, "a limit is negative")
}

func TestReadKeepsTheCallersHostsAsTheyAre(t *testing.T) {
	t.Parallel()
	hosts := []string{"Supabase.com"}
	mustRead(t, fetch("https://supabase.com/docs"), docs.Config{Hosts: hosts})
	assert.Equal(t, []string{"Supabase.com"}, hosts)
}

func TestALineThatIsTooLongIsSkippedAndNoted(t *testing.T) {
	t.Parallel()
	text := fetch("https://supabase.com/a") + `{"type":"` + strings.Repeat("x", 200_000) + "\"}\n" + fetch("https://supabase.com/b")
	seen := mustRead(t, text, docs.Config{MaxLine: 100_000})
	assert.Equal(t, 3, seen.Lines)
	assert.Equal(t, []probes.TranscriptError{{Line: 2, Problem: "longer than 97.66KiB, skipped"}}, seen.Errors)
	assert.Len(t, seen.Calls, 2)
	assert.Empty(t, seen.Cut)
}

func TestAFileThatIsTooLargeIsCut(t *testing.T) {
	t.Parallel()
	one := fetch("https://supabase.com/a")
	seen := mustRead(t, one+strings.Repeat("\n", 1000), docs.Config{MaxSize: int64(len(one)) + 10})
	assert.Contains(t, seen.Cut, "it is larger than")
	assert.Equal(t, 11, seen.Lines)
	assert.Len(t, seen.Calls, 1)
}

func TestTooManyCallsAreCut(t *testing.T) {
	t.Parallel()
	seen := mustRead(t, strings.Repeat(fetch("https://supabase.com/a"), 3), docs.Config{MaxCalls: 2})
	assert.Equal(t, "it has more than 2 calls of shell, web and documentation tools", seen.Cut)
	assert.Len(t, seen.Calls, 2)
}

func TestBadLinesBeyondTheLimitAreCounted(t *testing.T) {
	t.Parallel()
	seen := mustRead(t, strings.Repeat("x\n", 5)+fetch("https://supabase.com/a"), docs.Config{MaxErrors: 2})
	assert.Equal(t, []probes.TranscriptError{
		{Line: 1, Problem: "no JSON"}, {Line: 2, Problem: "no JSON"}, {Problem: "3 more lines could not be read"},
	}, seen.Errors)
	assert.Len(t, seen.Calls, 1)
}

func TestALongCommandIsKeptInPart(t *testing.T) {
	t.Parallel()
	command := "curl -f https://supabase.com/a # " + strings.Repeat("é", 5000)
	text := `{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"` + command + `","aggregated_output":"x","exit_code":0}}`
	seen := mustRead(t, text, docs.Config{})
	require.Len(t, seen.Calls, 1)
	assert.True(t, strings.HasSuffix(seen.Calls[0].Query, "é… (5033 characters)"))
}

func TestAReaderThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk gone")
	_, err := docs.Read(io.MultiReader(strings.NewReader(fetch("https://supabase.com/a")), iotest.ErrReader(broken)), docs.Config{})
	assert.ErrorIs(t, err, broken)
}

func TestOneByteAtATimeReadsTheSame(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(transcripts, docs.FormatClaudeCode, "damaged-lines.jsonl"))
	require.NoError(t, err)
	slow, err := docs.Read(iotest.OneByteReader(bytes.NewReader(text)), docs.Config{})
	require.NoError(t, err)
	assert.Equal(t, mustRead(t, string(text), docs.Config{}), slow)
}

// fuzzRead reads anything as a transcript of one format: the seeds are the
// transcripts of that format, whole and line by line.
func fuzzRead(f *testing.F, format string) {
	paths, err := filepath.Glob(filepath.Join(transcripts, format, "*.jsonl"))
	require.NoError(f, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text)
		for line := range bytes.Lines(text) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		seen, err := docs.Read(bytes.NewReader(text), docs.Config{MaxLine: 1 << 16, MaxCalls: 50, MaxErrors: 5})
		if err != nil {
			assert.ErrorIs(t, err, docs.ErrUnknownFormat)
			return
		}
		last := 0
		for _, call := range seen.Calls {
			assert.GreaterOrEqual(t, call.Line, last, "calls are in the order of the transcript")
			assert.LessOrEqual(t, call.Line, seen.Lines)
			assert.NotEmpty(t, call.Source)
			assert.NotEmpty(t, call.Why)
			last = call.Line
		}
		assert.LessOrEqual(t, len(seen.Errors), 6)
	})
}

func FuzzReadAnyClaudeCodeTranscript(f *testing.F) { fuzzRead(f, docs.FormatClaudeCode) }
func FuzzReadAnyCodexTranscript(f *testing.F)      { fuzzRead(f, docs.FormatCodex) }
func FuzzReadAnyOpenCodeTranscript(f *testing.F)   { fuzzRead(f, docs.FormatOpenCode) }
