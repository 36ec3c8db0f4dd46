package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documents are the files whose commands have to be true, below the repository's root.
func documents() []string {
	return []string{"README.md", "CONTRIBUTING.md", "docs/writing-an-eval.md", "docs/writing-a-task.md", "docs/parity.md"}
}

// fence is a fenced block of Markdown.
type fence struct{ language, text string }

// fences lists the fenced blocks of a document.
func fences(t *testing.T, document string) []fence {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(document)))
	require.NoError(t, err)
	var all []fence
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		all = append(all, fence{m[1], m[2]})
	}
	return all
}

// commandLine is a command that a document tells somebody to type.
type commandLine struct {
	args []string
	// output is what the document says it prints, without times and versions.
	output []string
}

// commandLines reads the commands of a block: after "$ " in a console block, where
// output follows, or line by line in a block for a shell.
func commandLines(f fence) []commandLine {
	var all []commandLine
	for line := range strings.Lines(f.text) {
		line = strings.TrimSuffix(line, "\n")
		command, typed := strings.CutPrefix(line, "$ ")
		switch {
		case typed, f.language == "sh" && line != "" && !strings.HasPrefix(line, "#"):
			command, _, _ = strings.Cut(command, " # ")
			all = append(all, commandLine{args: strings.Fields(command)})
		case f.language == "console" && len(all) > 0:
			last := &all[len(all)-1]
			last.output = append(last.output, line)
		}
	}
	return all
}

// ours returns the arguments of a command line of this program.
func ours(args []string) ([]string, bool) {
	for _, prefix := range []string{"supascore", "go run ./cmd/supascore"} {
		words := strings.Fields(prefix)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == prefix {
			return args[len(words):], true
		}
	}
	return nil, false
}

func TestEveryDocumentedCommandIsOneThatTheProgramHas(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, document := range documents() {
		for _, block := range fences(t, document) {
			if block.language != "sh" && block.language != "console" {
				continue
			}
			for _, line := range commandLines(block) {
				args, ok := ours(line.args)
				if !ok {
					continue
				}
				checked++
				a := &app{stdout: io.Discard, stderr: io.Discard}
				a.out = newPrinter(io.Discard, io.Discard, false)
				c, rest, err := a.rootCommand().Find(args)
				if !assert.NoError(t, err, "%s: %q", document, line.args) {
					continue
				}
				assert.True(t, c.HasParent() && !c.HasSubCommands(), "%s: %q is no verb", document, line.args)
				assert.NoError(t, c.ParseFlags(rest), "%s: %q", document, line.args)
			}
		}
	}
	assert.Greater(t, checked, 10)
}

// A row for a group of commands stands for all of them; without it each has its own.
func TestTheREADMEListsEveryCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	a := &app{stdout: io.Discard, stderr: io.Discard}
	a.out = newPrinter(io.Discard, io.Discard, false)
	var missing []string
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		row := fmt.Sprintf("| `%s` | %s |", c.CommandPath(), c.Short)
		switch {
		case strings.Contains(string(text), row):
		case c.HasAvailableSubCommands():
			for _, sub := range c.Commands() {
				if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
					visit(sub)
				}
			}
		default:
			missing = append(missing, row)
		}
	}
	visit(a.rootCommand())
	assert.Empty(t, missing, "rows that the table of commands in README.md lacks")
	for _, row := range regexp.MustCompile("(?m)^\\| `supascore ([^`]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		c, _, err := a.rootCommand().Find(strings.Fields(row[1]))
		if assert.NoError(t, err, row[0]) {
			assert.Equal(t, []string{"supascore " + row[1], row[2]}, []string{c.CommandPath(), c.Short})
		}
	}
}

// The commands of the README are run in its order in one folder, and what they print
// is compared with what it shows. "…" stands for lines that it leaves out.
func TestTheREADMEShowsWhatTheCommandsPrint(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	t.Cleanup(func() { // whatever failed in between, no stack stays behind
		_, err := atShell(context.Background(), dir, []string{"stack", "stop", "--workspace", "forum"})
		assert.NoError(t, err)
	})
	for _, block := range fences(t, "README.md") {
		if block.language != "console" {
			continue
		}
		for _, line := range commandLines(block) {
			if line.args[0] == "cp" {
				require.Len(t, line.args, 4, "cp -r FROM TO")
				require.NoError(t, os.CopyFS(filepath.Join(dir, line.args[3]), os.DirFS(filepath.Join(root, line.args[2]))))
				continue
			}
			args, ok := ours(line.args)
			require.True(t, ok, "%q", line.args)
			printed, err := atShell(t.Context(), dir, args)
			require.NoError(t, err)
			if want, got := withoutTimes(line.output), withoutTimes(strings.Split(printed, "\n")); !shows(want, got) {
				t.Errorf("README.md does not show what %q prints:\n%s", line.args, strings.Join(got, "\n"))
			}
		}
	}
}

// atShell runs the program as somebody at a shell does and returns its stdout. A
// verdict is no error: the README shows those that fail, too.
func atShell(ctx context.Context, dir string, args []string) (string, error) {
	if len(args) > 1 && args[0] == "stack" && args[1] == "start" {
		args = append(args, "--random-ports") // those of config.toml may be in use here
	}
	c := exec.CommandContext(ctx, "supascore", args...)
	c.Dir = dir
	out, err := c.Output()
	if c.ProcessState != nil && c.ProcessState.ExitCode() == int(exitFailed) {
		err = nil
	}
	return string(out), err
}

// withoutTimes drops from lines what differs from run to run and from machine to
// machine: times, ports, versions of PostgreSQL, and spaces at the end.
func withoutTimes(lines []string) []string {
	var out []string
	for _, line := range lines {
		switch {
		case strings.Contains(line, " ms · "):
			line = "(phases)" // which of them are worth showing depends on the times
		default:
			line = regexp.MustCompile(`\d+\.\d\d s$`).ReplaceAllString(line, "(time)")
			line = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(line, "127.0.0.1:(port)")
			line = regexp.MustCompile(`postgres \d+(\.\d+)?`).ReplaceAllString(line, "postgres (version)")
		}
		if line = strings.TrimRight(line, " "); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// shows reports whether a transcript is what was printed, with lines left out only
// where it has a "…". A transcript without any line shows nothing and is true.
func shows(transcript, printed []string) bool {
	switch {
	case len(transcript) == 0:
		return true
	case strings.TrimSpace(transcript[0]) == "…":
		rest := transcript[1:]
		for i := range len(printed) + 1 {
			if len(rest) == 0 || (i < len(printed) && shows(rest, printed[i:])) {
				return true
			}
		}
		return false
	case len(printed) == 0 || transcript[0] != printed[0]:
		return false
	case len(transcript) == 1:
		return len(printed) == 1
	default:
		return shows(transcript[1:], printed[1:])
	}
}

func TestATranscriptMayLeaveOutLinesButNotChangeThem(t *testing.T) {
	t.Parallel()
	printed := []string{"a", "b", "c", "d"}
	assert.True(t, shows([]string{"a", "b", "c", "d"}, printed))
	assert.True(t, shows([]string{"a", "…", "d"}, printed))
	assert.True(t, shows([]string{"…", "d"}, printed))
	assert.True(t, shows([]string{"a", "…"}, printed))
	assert.False(t, shows([]string{"a", "b"}, printed), "the end is left out in silence")
	assert.False(t, shows([]string{"a", "c", "d"}, printed), "a line is left out in silence")
	assert.False(t, shows([]string{"a", "…", "b2", "…"}, printed), "a line is another")
	assert.False(t, shows([]string{"b", "…"}, printed), "the beginning is left out in silence")
}
