package pgtap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/standin/pgtap/tap"
)

// report writes what pg_prove writes to stdout.
type report struct {
	stdout  io.Writer
	verbose bool
	started time.Time
	longest int // of the tests' names, in bytes
	tests   []*test
	err     error // of the first write that failed
}

// test is one file that runs or has run. It reads the file's output as a Writer.
type test struct {
	report  *report
	name    string
	parser  tap.Parser
	partial []byte // a line without its end
	lines   bool   // lines were shown, so the verdict begins a line
	bailed  string
	result  tap.Result
	status  int
}

// errBailOut stops a file that gave up.
var errBailOut = errors.New("the test called for all testing to stop")

func (r *report) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(r.stdout, format, args...); err != nil && r.err == nil {
		r.err = fmt.Errorf("write the report: %w", err)
	}
}

func (r *report) open(name string) *test {
	r.printf("%s %s ", name, strings.Repeat(".", r.longest+2-len(name)))
	return &test{report: r, name: name}
}

// Write reads whole lines.
func (t *test) Write(p []byte) (int, error) {
	t.partial = append(t.partial, p...)
	for {
		line, rest, found := bytes.Cut(t.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		t.partial = rest
		if err := t.line(string(line)); err != nil {
			return len(p), err
		}
	}
}

func (t *test) line(text string) error {
	l := t.parser.Line(text)
	if l.Kind == tap.BailOut {
		t.bailed = l.Reason
		t.report.printf("Bailout called.  Further testing stopped:  %s\n", l.Reason)
		return errBailOut
	}
	if t.report.verbose || l.Kind == tap.Comment {
		if !t.lines {
			t.report.printf("\n")
		}
		t.lines = true
		t.report.printf("%s\n", text)
	}
	return t.report.err
}

// close judges a file that has run and says so.
func (r *report) close(t *test, status int) {
	if len(t.partial) > 0 {
		_ = t.line(string(t.partial)) // a last line without its end; giving up there changes nothing
	}
	t.result, t.status = t.parser.End(), status
	r.tests = append(r.tests, t)
	switch res := t.result; {
	case res.Bailed:
	case res.SkipAll != "":
		r.printf("skipped: %s\n", res.SkipAll)
	case t.bad():
		r.verdict(t)
	default:
		r.printf("ok\n")
	}
}

func (t *test) bad() bool { return !t.result.OK() || t.status != 0 }

// verdict says how a file failed.
func (r *report) verdict(t *test) {
	res := t.result
	total := res.Run
	if res.HasPlan {
		total = res.Planned
	}
	if !t.lines {
		r.printf("\n")
	}
	if t.status != 0 {
		r.printf("Dubious, test returned %d (wstat %d, 0x%x)\n", t.status, t.status<<8, t.status<<8)
	}
	failed := len(res.Failed) + total - res.Run
	switch {
	case failed == 0 && total > 0:
		r.printf("All %d subtests passed ", total)
	case failed == 0:
		r.printf("No subtests run ")
	default:
		r.printf("Failed %d/%d subtests ", failed, total)
		if total == 0 {
			r.printf("\nNo tests run!")
		}
	}
	if n := len(res.Skipped); n > 0 {
		r.printf("\n\t(less %d skipped %s: %d okay)", n, plural(n, "subtest"), res.Passed-n)
	}
	if n := len(res.TodoPassed); n > 0 {
		r.printf("\n\t(%d TODO %s unexpectedly succeeded)", n, plural(n, "test"))
	}
	r.printf("\n")
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (r *report) total() int {
	total := 0
	for _, t := range r.tests {
		total += t.result.Run
	}
	return total
}

// finish says how all of it went.
func (r *report) finish(now time.Time) Summary {
	s := Summary{Files: len(r.tests), Tests: r.total(), OK: !slices.ContainsFunc(r.tests, (*test).bad)}
	if s.OK && s.Tests > 0 {
		r.printf("All tests successful.\n")
	}
	if slices.ContainsFunc(r.tests, (*test).notable) {
		r.printf("\nTest Summary Report\n-------------------\n")
		for _, t := range r.tests {
			if t.notable() {
				r.summarize(t)
			}
		}
	}
	r.printf("Files=%d, Tests=%d, %2d wallclock secs\n", s.Files, s.Tests, int(now.Sub(r.started).Seconds()))
	switch {
	case !s.OK:
		r.printf("Result: FAIL\n")
	case s.Tests == 0:
		r.printf("Result: NOTESTS\n")
	default:
		r.printf("Result: PASS\n")
	}
	return s
}

// notable reports whether the summary has something to say about a file.
func (t *test) notable() bool { return t.bad() || len(t.result.TodoPassed) > 0 }

// maxFaults is how many contradictions of a file are listed.
const maxFaults = 5

// summarize says what was wrong with a file.
func (r *report) summarize(t *test) {
	res := t.result
	wait := "0"
	if t.status != 0 {
		wait = fmt.Sprintf("%d (exited %d)", t.status<<8, t.status)
	}
	r.printf("%s%s(Wstat: %s Tests: %d Failed: %d)\n", t.name, strings.Repeat(" ", max(1, r.longest-len(t.name))), wait, res.Run, len(res.Failed))
	r.list("  Failed "+plural(len(res.Failed), "test")+":  ", res.Failed)
	r.list("  TODO passed:   ", res.TodoPassed)
	if t.status != 0 {
		r.printf("  Non-zero exit status: %d\n", t.status)
	}
	for i, fault := range res.Faults[:min(len(res.Faults), maxFaults)] {
		lead := "                "
		if i == 0 {
			lead = "  Parse errors: "
		}
		r.printf("%s%s\n", lead, fault)
	}
	if n := len(res.Faults); n > maxFaults {
		r.printf("Displayed the first %d of %d TAP syntax errors.\n", maxFaults, n)
	}
}

// list writes numbers as ranges, about forty characters a line.
func (r *report) list(lead string, numbers []int) {
	if len(numbers) == 0 {
		return
	}
	var lines []string
	line := ""
	for _, s := range ranges(numbers) {
		if len(line) >= 40 {
			lines = append(lines, strings.TrimSuffix(line, ", "))
			line = ""
		}
		line += s + ", "
	}
	lines = append(lines, strings.TrimSuffix(line, ", "))
	r.printf("%s%s\n", lead, strings.Join(lines, "\n                "))
}

// ranges joins numbers that follow each other.
func ranges(numbers []int) []string {
	numbers = slices.Sorted(slices.Values(numbers))
	var out []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if end == i {
			out = append(out, fmt.Sprint(numbers[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", numbers[i], numbers[end]))
		}
		i = end + 1
	}
	return out
}
