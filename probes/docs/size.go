package docs

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	// tooLargeStub is Claude Code's notice for a result that it saved to a file:
	// "Output too large (50.8KB). Full output saved to: …".
	tooLargeStub = regexp.MustCompile(`Output too large \(([0-9]+(?:\.[0-9]+)?) ?(KB|MB|B)\)`)
	// charactersStub is its notice for a result of an MCP tool, in which the size is
	// exact: "result (65,754 characters) exceeds maximum allowed tokens".
	charactersStub = regexp.MustCompile(`([0-9][0-9,]*) characters`)
)

// maxStub is the length from which a text is no notice: a notice holds a preview of
// two kilobytes at most.
const maxStub = 8 << 10

// resultChars is the length of a result in characters: of the text, of the JSON of
// anything else, or, where a notice stands for the result, the size it names. It
// is nil without a result.
func resultChars(r result) *int {
	if !r.present {
		return nil
	}
	chars := utf8.RuneCountInString(r.text)
	if r.stub {
		if size, ok := stubSize(r.text); ok {
			chars = size
		}
	}
	return &chars
}

// stubSize is the size that a notice names, false for a text that is no notice.
func stubSize(text string) (int, bool) {
	if len(text) > maxStub {
		return 0, false
	}
	if match := tooLargeStub.FindStringSubmatch(text); match != nil {
		size, err := strconv.ParseFloat(match[1], 64)
		return int(size * unit(match[2])), err == nil && size < 1<<20
	}
	if !strings.Contains(text, "exceeds maximum allowed") && !strings.Contains(text, "saved to") {
		return 0, false
	}
	match := charactersStub.FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	size, err := strconv.Atoi(strings.ReplaceAll(match[1], ",", ""))
	return size, err == nil
}

func unit(name string) float64 {
	switch name {
	case "MB":
		return 1 << 20
	case "KB":
		return 1 << 10
	default:
		return 1
	}
}
