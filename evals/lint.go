package evals

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Violation is a place in a prompt that holds a word which its README.md keeps
// out of it.
type Violation struct {
	// File is the prompt's path.
	File string
	// Line and Column count from 1, columns in characters.
	Line, Column int
	// Word is the word as the README.md lists it.
	Word string
}

// String names the place and the word.
func (v Violation) String() string {
	return fmt.Sprintf("%s:%d:%d: the prompt must not contain %q", v.File, v.Line, v.Column, v.Word)
}

// ForbiddenWords reads the words that must not appear in a prompt out of a
// README.md: the bulleted items, or the lines of a fenced block, under the heading
// that says "must not appear" and names the prompt. Backticks around a word are
// dropped. It returns nil when there is no such heading.
func ForbiddenWords(readme string) []string {
	var words []string
	inSection, inFence := false, false
	for _, line := range strings.Split(readme, "\n") {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			inFence = !inFence
			continue
		}
		if !inFence && strings.HasPrefix(text, "#") {
			heading := strings.ToLower(text)
			inSection = strings.Contains(heading, "must not appear") && strings.Contains(heading, "prompt")
			continue
		}
		if !inSection {
			continue
		}
		item, bulleted := strings.CutPrefix(text, "- ")
		if !bulleted {
			item, bulleted = strings.CutPrefix(text, "* ")
		}
		if word := strings.TrimSpace(strings.Trim(item, "` ")); (bulleted || inFence) && word != "" {
			words = append(words, word)
		}
	}
	return words
}

// promptBody returns a prompt without its YAML front matter, and the number of
// its first line in the file.
func promptBody(prompt string) (string, int) {
	lines := strings.Split(prompt, "\n")
	if strings.TrimRight(lines[0], "\r ") != "---" {
		return prompt, 1
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, "\r ") == "---" {
			return strings.Join(lines[i+2:], "\n"), i + 3
		}
	}
	return prompt, 1
}

// Lint returns every place in a prompt's body that holds one of the words, in
// reading order. Words match as whole words and in any case, also in backticks;
// the spaces in a phrase match any white space, line breaks too, and hyphens.
func Lint(file, body string, firstLine int, words []string) []Violation {
	var found []Violation
	for _, word := range words {
		if strings.TrimSpace(word) == "" {
			continue
		}
		for _, at := range wordPattern(word).FindAllStringSubmatchIndex(body, -1) {
			before := body[:at[2]]
			line := strings.Count(before, "\n")
			start := strings.LastIndexByte(before, '\n') + 1
			found = append(found, Violation{
				File: file, Word: word,
				Line:   firstLine + line,
				Column: utf8.RuneCountInString(before[start:]) + 1,
			})
		}
	}
	slices.SortStableFunc(found, func(a, b Violation) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return found
}

// wordPattern matches a word as a whole: where it begins or ends with a letter,
// digit or underscore, no other may stand beside it. Its group 1 is the word.
func wordPattern(word string) *regexp.Regexp {
	// A README.md of broken encoding must not make a pattern that does not compile.
	parts := strings.Fields(strings.ToValidUTF8(word, "\uFFFD"))
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	pattern := "(" + strings.Join(parts, `[\s-]+`) + ")"
	// \b is ASCII only, which the words are; it must not be asked for beside a
	// bracket or a dot, where it would demand a letter instead of forbidding one.
	word = strings.TrimSpace(word)
	if isWordByte(word[0]) {
		pattern = `\b` + pattern
	}
	if isWordByte(word[len(word)-1]) {
		pattern += `\b`
	}
	return regexp.MustCompile(`(?i)` + pattern)
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
