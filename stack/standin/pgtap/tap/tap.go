// Package tap reads the Test Anything Protocol, version 12, the language in which pgTAP tells how its tests went. It owns what
// a line means and what the lines of one program add up to: which tests failed, and where the output contradicts itself. It
// promises the judgement of Perl's TAP::Parser, which pg_prove uses, in its own words, and that no text makes it fail. It reads
// no files and prints nothing.
//
// Source: https://testanything.org/tap-specification.html, and TAP::Parser where that is silent. Version 13's YAML blocks are
// lines without a meaning here: pgTAP writes none.
package tap

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Kind is what a line is.
type Kind int

// The kinds of lines.
const (
	Other   Kind = iota // nothing of the protocol; it is passed over
	Plan                // 1..4
	Test                // ok 1 - name
	Comment             // # text
	BailOut             // Bail out!
	Version             // TAP version 12
)

// Line is one line that was read.
type Line struct {
	Kind Kind
	Text string // the line as it came, without its end
	// For Test: its number, and whether it counts as passed.
	Number int
	OK     bool
	// For BailOut: the reason, "" when there is none.
	Reason string
}

// Result is what the lines of one program add up to.
type Result struct {
	Planned    int    // how many tests were announced; 0 without a plan
	HasPlan    bool   // a plan was found
	SkipAll    string // why all tests were skipped, "" when they were not
	Run        int    // how many test lines there were
	Passed     int    // how many of them passed; tests to do pass either way
	Failed     []int  // numbers of tests that failed
	Skipped    []int  // numbers of tests that were skipped
	TodoPassed []int  // numbers of tests that passed although they were still to do
	Faults     []string
	Bailed     bool // the program gave up
}

// Parser reads the lines of one program. The zero value is ready.
type Parser struct {
	result Result
	state  state
	plan   string       // the line that announced the number of tests
	todo   map[int]bool // tests that the plan says are to do
}

// state is what was read so far.
type state int

const (
	beginning state = iota // nothing
	planned                // a plan came first
	unplanned              // tests, and no plan yet
	closed                 // tests, then the plan: nothing may follow
)

var (
	planLine    = regexp.MustCompile(`^1\.\.([0-9]+)\s*(.*)$`)
	todoPlan    = regexp.MustCompile(`^todo((?:\s+[0-9]+)+)`)
	skipPlan    = regexp.MustCompile(`(?i)^#\s*SKIP\S*\s+(.*)`)
	testLine    = regexp.MustCompile(`^((?:not )?ok)\b\s*([0-9]+)?\s*(.*)$`)
	directive   = regexp.MustCompile(`(?i)^[^\\#]*(?:\\.[^\\#]*)*#\s*(SKIP|TODO)\b\s*(.*)$`)
	bailOutLine = regexp.MustCompile(`^\s*Bail out!\s*(.*)$`)
	versionLine = regexp.MustCompile(`(?i)^TAP\s+version\s+([0-9]+)\s*$`)
)

// Line reads one line, which has no line break at its end.
func (p *Parser) Line(text string) Line {
	l := Line{Text: text}
	if m := versionLine.FindStringSubmatch(text); m != nil {
		l.Kind = Version
		p.version()
	} else if m := planLine.FindStringSubmatch(text); m != nil && p.announce(text, number(m[1]), m[2]) {
		l.Kind = Plan
	} else if m := testLine.FindStringSubmatch(text); m != nil {
		l.Kind = Test
		l.Number, l.OK = p.test(m[1] == "ok", m[2], m[3])
	} else if strings.HasPrefix(text, "#") {
		l.Kind = Comment
	} else if m := bailOutLine.FindStringSubmatch(text); m != nil {
		l.Kind, l.Reason = BailOut, m[1]
		p.result.Bailed = true
	}
	return l
}

func (p *Parser) fault(format string, args ...any) {
	p.result.Faults = append(p.result.Faults, fmt.Sprintf(format, args...))
}

// version takes note of a version line, which pgTAP does not write.
func (p *Parser) version() {
	if p.state != beginning {
		p.fault("If TAP version is present it must be the first line of output")
	}
}

// announce reads a plan. It reports whether the line is one.
func (p *Parser) announce(text string, count int, tail string) bool {
	todo := todoPlan.FindStringSubmatch(tail)
	if todo == nil && count > 0 && strings.TrimSpace(tail) != "" {
		return false
	}
	if p.state == planned || p.state == closed {
		p.fault("More than one plan found in TAP output")
		return true
	}
	p.result.HasPlan, p.result.Planned, p.plan = true, count, text
	if todo != nil {
		p.todo = map[int]bool{}
		for _, n := range strings.Fields(todo[1]) {
			p.todo[number(n)] = true
		}
	} else if count == 0 {
		p.result.SkipAll = "(no reason given)"
		if m := skipPlan.FindStringSubmatch(tail); m != nil && m[1] != "" {
			p.result.SkipAll = m[1]
		}
	}
	if p.state == unplanned {
		p.state = closed
	} else {
		p.state = planned
	}
	return true
}

// test reads a test line and returns the test's number and whether it counts as passed.
func (p *Parser) test(ok bool, digits, description string) (no int, passed bool) {
	switch p.state {
	case beginning:
		p.state = unplanned
	case closed:
		p.fault("Plan (%s) must be at the beginning or end of the TAP output", p.plan)
		p.state = planned
	}
	r := &p.result
	r.Run++
	n := r.Run
	if digits != "" {
		if n = number(digits); n != r.Run {
			p.fault("Tests out of sequence.  Found (%s) but expected (%d)", digits, r.Run)
		}
	}
	var kind string
	if m := directive.FindStringSubmatch(description); m != nil {
		kind = strings.ToUpper(m[1])
	}
	if p.todo[n] {
		kind = "TODO"
		delete(p.todo, n)
	}
	// A test beyond the plan fails, whatever it says.
	beyond := r.HasPlan && r.Run > r.Planned
	passed = !beyond && (ok || kind == "TODO")
	if kind == "SKIP" {
		r.Skipped = append(r.Skipped, n)
	}
	if kind == "TODO" && ok {
		r.TodoPassed = append(r.TodoPassed, n)
	}
	if passed {
		r.Passed++
	} else {
		r.Failed = append(r.Failed, n)
	}
	return n, passed
}

// number reads digits; what no int holds is the largest one.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return math.MaxInt
	}
	return n
}

// End returns what all lines add up to.
func (p *Parser) End() Result {
	r := p.result
	if !r.HasPlan {
		r.Faults = append(r.Faults, "No plan found in TAP output")
	} else if r.Run != r.Planned {
		r.Faults = append(r.Faults, fmt.Sprintf("Bad plan.  You planned %d tests but ran %d.", r.Planned, r.Run))
	}
	return r
}

// OK reports whether nothing failed and nothing contradicted itself.
func (r Result) OK() bool { return len(r.Failed) == 0 && len(r.Faults) == 0 && !r.Bailed }

// Unrun is how many tests were announced and not run, or, when it is negative, run and not announced.
func (r Result) Unrun() int {
	if !r.HasPlan {
		return 0
	}
	return r.Planned - r.Run
}
