package scorers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/supascore/supascore/evals"
)

// maxQuote bounds how many characters of foreign text a note quotes: notes are
// read in a terminal, and messages of a candidate's making have no limit.
const maxQuote = 300

// passed is the verdict of what was expected.
func passed(format string, args ...any) verdict {
	return verdict{status: evals.StatusPass, note: fmt.Sprintf(format, args...)}
}

// failed is the verdict of the opposite. The note says what was expected, what
// was observed and, unless cause is empty, the likeliest cause.
func failed(class evals.Class, expected, observed, cause string) verdict {
	note := "expected " + expected + "; observed " + observed
	if cause != "" {
		note += "; likely cause: " + cause
	}
	return verdict{status: evals.StatusFail, class: class, note: note}
}

// broken is the verdict when the harness or the stack is at fault.
func broken(format string, args ...any) verdict {
	return verdict{status: evals.StatusError, note: fmt.Sprintf(format, args...)}
}

// unmeasured is the verdict when something needed for the check was not supplied, or
// not allowed.
func unmeasured(format string, args ...any) verdict {
	return verdict{status: evals.StatusUnmeasured, note: fmt.Sprintf(format, args...)}
}

// notObserved is the verdict when a run holds no observation that it should hold.
func notObserved(what string) verdict {
	return broken("not measured: the run has no observation of %s", what)
}

// excerpt makes foreign text fit for a note: one line, cut when it is long.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	if len(runes) > maxQuote {
		return string(runes[:maxQuote]) + "…"
	}
	return text
}

// quoted is an excerpt in double quotes.
func quoted(text string) string { return strconv.Quote(excerpt(text)) }

// list joins words as a sentence does: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
