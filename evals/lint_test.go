package evals

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestForbiddenWordsAreReadFromTheListUnderTheirHeading(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, readme string
		want         []string
	}{
		{"bullets", "# x\n- no\n## Words that must not appear in the prompt\n\ntext\n- `a b`\n* c\n## Next\n- no\n", []string{"a b", "c"}},
		{"a fenced block", "## These must not appear in PROMPT.md\n```\nauth.jwt()\n# not a heading\n```\n## Next\n", []string{"auth.jwt()", "# not a heading"}},
		{"any case of the heading", "### WORDS THAT MUST NOT APPEAR IN THE PROMPT\n- x\n", []string{"x"}},
		{"no such heading", "# x\n- a\n", nil},
		{"a heading about something else", "## What must not appear in the answer\n- a\n", nil},
		{"an empty bullet", "## must not appear in the prompt\n- ``\n-\n- a\n", []string{"a"}},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, ForbiddenWords(test.readme))
		})
	}
}

func TestLintFindsWholeWordsInAnyCase(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body, word string
		want             [][2]int
	}{
		{"a word", "use a hook here", "hook", [][2]int{{1, 7}}},
		{"another case", "Use A HOOK", "hook", [][2]int{{1, 7}}},
		{"in backticks", "the `hook`.", "hook", [][2]int{{1, 6}}},
		{"twice", "hook and hook", "hook", [][2]int{{1, 1}, {1, 10}}},
		{"part of a longer word", "hooks unhook hook_x", "hook", nil},
		{"with a hyphen beside it", "a hook-like thing", "hook", [][2]int{{1, 3}}},
		{"a phrase", "row level security", "row level security", [][2]int{{1, 1}}},
		{"a phrase over a line break", "the row\n  level security", "row level security", [][2]int{{1, 5}}},
		{"a phrase with hyphens", "row-level security", "row level security", [][2]int{{1, 1}}},
		{"a plural in an address", "custom-claims-and-role", "claim", nil},
		{"a call", "calls `auth.jwt()` twice", "auth.jwt()", [][2]int{{1, 8}}},
		{"a dot is a dot", "configXtoml config.toml", "config.toml", [][2]int{{1, 13}}},
		{"columns count characters", "héé hook", "hook", [][2]int{{1, 5}}},
		{"on a later line", "a\nb\nthe hook", "hook", [][2]int{{3, 5}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got [][2]int
			for _, violation := range Lint("P", test.body, 1, []string{test.word}) {
				assert.Equal(t, test.word, violation.Word)
				got = append(got, [2]int{violation.Line, violation.Column})
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestLintReportsInReadingOrderAndCountsFromTheBodysFirstLine(t *testing.T) {
	t.Parallel()
	violations := Lint("PROMPT.md", "b a\nc", 8, []string{"c", "a", "b"})
	var got []string
	for _, violation := range violations {
		got = append(got, violation.String())
	}
	assert.Equal(t, []string{
		`PROMPT.md:8:1: the prompt must not contain "b"`,
		`PROMPT.md:8:3: the prompt must not contain "a"`,
		`PROMPT.md:9:1: the prompt must not contain "c"`,
	}, got)
}

func TestTheFrontMatterIsNoPartOfThePrompt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, prompt, body string
		line               int
	}{
		{"front matter", "---\na: b\n---\nbody\n", "body\n", 4},
		{"front matter with CRLF", "---\r\na: b\r\n---\r\nbody", "body", 4},
		{"none", "body\n---\n", "body\n---\n", 1},
		{"one that does not end", "---\na: b\n", "---\na: b\n", 1},
		{"an empty file", "", "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body, line := promptBody(test.prompt)
			assert.Equal(t, test.body, body)
			assert.Equal(t, test.line, line)
		})
	}
}

func FuzzLint(f *testing.F) {
	f.Add("## must not appear in the prompt\n- `a b`\n", "x a\nb")
	f.Add("## must not appear in the prompt\n- (\n- ++\n", "( ++")
	f.Add("#must not AppeArprompt\n* \xdb", "0")
	f.Fuzz(func(t *testing.T, readme, prompt string) {
		body, first := promptBody(prompt)
		if !strings.HasSuffix(prompt, body) {
			t.Fatalf("the body %q is not the end of %q", body, prompt)
		}
		for _, violation := range Lint("P", body, first, ForbiddenWords(readme)) {
			if violation.Line < first || violation.Column < 1 {
				t.Fatalf("%v is not in the prompt", violation)
			}
		}
	})
}
