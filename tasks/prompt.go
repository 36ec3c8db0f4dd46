package tasks

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

//go:embed prompt.tmpl
var promptText string

// Prompt is the fixed prompt that asks a model for a task's policies: the roles, the
// schema, the rules with their canary, and the form of the answer. It depends on the
// task's schema and requirement alone; seed, tests, solution and traps stay hidden.
// Answers to prompts of different wordings are not comparable, so samples carry its
// hash.
func Prompt(t *Task) (string, error) {
	tmpl, err := template.New("prompt").Parse(promptText)
	if err != nil {
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	var out strings.Builder
	data := struct{ Fence, Schema, Requirement string }{
		fenceFor(t.Schema), strings.TrimSpace(t.Schema), strings.TrimSpace(t.Requirement),
	}
	if err := tmpl.Execute(&out, data); err != nil {
		return "", fmt.Errorf("write the prompt of %s: %w", t.ID, err)
	}
	return out.String(), nil
}

// fenceFor is a fence that text cannot close: one backtick longer than its longest run
// of them, three at least.
func fenceFor(text string) string {
	longest, run := 0, 0
	for _, c := range text {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", max(3, longest+1))
}

// Answer is the SQL in a model's answer.
type Answer struct {
	// SQL is the candidate; empty when the answer is blank.
	SQL string
	// Blocks is how many fenced blocks the answer had to choose from; 0 when the whole
	// answer was taken.
	Blocks int
	// Cut reports that the chosen block was not closed: the model was probably cut off.
	Cut bool
}

// openingFence is a line that opens a fenced block (CommonMark, "Fenced code blocks"),
// at any indentation, since models put blocks into lists.
var openingFence = regexp.MustCompile("^([ \t]*)(`{3,}|~{3,})[ \t]*([^`\\s]*)[^`]*$")

// ExtractSQL finds the SQL in a model's answer. What a reasoning model thought before
// its answer (up to "</think>") is left out. Of fenced blocks those marked as SQL are
// preferred, then those without a mark, then any; of several the longest is taken,
// since the prompt asks for one and the others are excerpts and examples of use; of
// equally long ones the last. Without a block the whole answer is taken.
func ExtractSQL(answer string) Answer {
	if _, after, thought := cutLast(answer, "</think>"); thought {
		answer = after
	}
	var best block
	count := 0
	for _, found := range fencedBlocks(answer) {
		switch {
		case count == 0 || found.rank < best.rank:
			best, count = found, 1
		case found.rank == best.rank:
			count++
			if len(found.text) >= len(best.text) {
				best = found
			}
		}
	}
	if count == 0 {
		return Answer{SQL: strings.TrimSpace(answer)}
	}
	return Answer{SQL: strings.TrimSpace(best.text), Blocks: count, Cut: best.open}
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// block is one fenced block.
type block struct {
	text string
	// rank is 0 for a block marked as SQL, 1 for one without a mark, 2 for others.
	rank int
	// open is set when the answer ends inside of the block.
	open bool
}

func fencedBlocks(text string) []block {
	var blocks []block
	var lines []string
	fence, indent, rank := "", "", 0
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if fence == "" {
			if match := openingFence.FindStringSubmatch(line); match != nil {
				indent, fence, rank, lines = match[1], match[2], rankOf(match[3]), nil
			}
			continue
		}
		if closes(line, fence) {
			blocks = append(blocks, block{text: strings.Join(lines, "\n"), rank: rank})
			fence = ""
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, indent))
	}
	if fence != "" {
		blocks = append(blocks, block{text: strings.Join(lines, "\n"), rank: rank, open: true})
	}
	return blocks
}

// closes reports whether a line closes a block: the same mark, at least as often, and
// nothing else.
func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// rankOf ranks a block by the language it is marked with.
func rankOf(language string) int {
	switch strings.ToLower(strings.Trim(language, "{}.")) {
	case "sql", "postgres", "postgresql", "pgsql", "plpgsql", "psql":
		return 0
	case "":
		return 1
	}
	return 2
}
