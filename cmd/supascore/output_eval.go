package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/stack"
)

// noteWidth is how wide notes are wrapped, in columns.
const noteWidth = 92

// mark is the sign and the colour of a status.
func mark(s evals.Status) (sign string, colour lipgloss.Color) {
	switch s {
	case evals.StatusPass:
		return "✓", "10"
	case evals.StatusFail:
		return "✗", "9"
	case evals.StatusBlocked:
		return "■", "9"
	case evals.StatusUnmeasured:
		return "?", "11"
	default:
		return "!", "13"
	}
}

// result shows one result: checks with their notes, phases, and the verdict.
func (p *printer) result(eval *evals.Eval, r *evals.Result) {
	p.printf("%s  %s\n", eval.ID, p.faint(engineLine(r)))
	p.printf("%s\n\n", p.faint(phaseLine(r.Phases)))
	for _, check := range r.Checks {
		p.check(check)
	}
	for _, note := range r.Notes {
		p.printf("%s\n", wrap("note: "+note, "  "))
	}
	p.printf("\n%s\n", p.summary(r))
}

func (p *printer) faint(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines { // a block would be padded to its longest line
		lines[i] = p.render.NewStyle().Faint(true).Render(line)
	}
	return strings.Join(lines, "\n")
}

func (p *printer) check(check evals.Check) {
	sign, colour := mark(check.Status)
	style := p.render.NewStyle().Foreground(colour)
	label := checkLabel(check)
	p.printf("  %s %s", style.Render(sign), check.Name)
	if label != "" {
		p.printf("  %s", style.Render("["+label+"]"))
	}
	p.printf("\n")
	if check.Status != evals.StatusPass || check.Vacuous {
		p.printf("%s\n", wrap(check.Note, "      "))
	}
	for _, advice := range check.Advice {
		p.printf("%s\n", p.faint(wrap("advice: "+advice, "      ")))
	}
}

// checkLabel says in a word what a check that did not simply pass is; else nothing.
func checkLabel(check evals.Check) string {
	switch {
	case check.Status == evals.StatusBlocked:
		return "not tried"
	case check.Status.Red():
		return string(check.Class)
	case check.Status == evals.StatusUnmeasured:
		return "unmeasured"
	case check.Status == evals.StatusError:
		return "error"
	case check.Vacuous:
		return "vacuous"
	}
	return ""
}

// counts says how many checks came out how.
func counts(r *evals.Result) string {
	count := map[evals.Status]int{}
	for _, check := range r.Checks {
		count[check.Status]++
	}
	parts := []string{fmt.Sprintf("%d of %d passed", count[evals.StatusPass], len(r.Checks))}
	for _, s := range []struct {
		status evals.Status
		word   string
	}{
		{evals.StatusFail, "failed"},
		{evals.StatusBlocked, "blocked"},
		{evals.StatusUnmeasured, "unmeasured"},
		{evals.StatusError, "in error"},
	} {
		if n := count[s.status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.word))
		}
	}
	return strings.Join(parts, ", ")
}

// verdictOf is the verdict's word and its colour.
func verdictOf(r *evals.Result) (string, lipgloss.Color) {
	switch v := r.Verdict(); {
	case v.Broken:
		return "BROKEN", "13"
	case !v.Passed:
		return "FAILED", "9"
	}
	return "PASSED", "10"
}

func (p *printer) summary(r *evals.Result) string {
	verdict, colour := verdictOf(r)
	styled := p.render.NewStyle().Bold(true).Foreground(colour).Render(verdict)
	return fmt.Sprintf("%s  %s  %s", styled, counts(r), p.faint(seconds(r.Finished.Sub(r.Started))))
}

func engineLine(r *evals.Result) string {
	if r.Engine.Name == "" {
		return "no stack"
	}
	line := r.Engine.Name + " engine"
	if from := r.Settings["attached_by"]; from != "" {
		line = "a running stack, by " + from
	}
	if r.Engine.Name == string(stack.EngineNative) {
		line += ", PostgREST " + r.Engine.Versions["rest"] + ", Auth " + r.Engine.Versions["auth"]
	}
	if v := r.Engine.Versions["postgres"]; v != "" {
		line += ", postgres " + v
	}
	return line
}

// phaseLine names the phases that took a moment; the others are summed up.
func phaseLine(list []evals.Phase) string {
	const moment = 10 // milliseconds
	var parts []string
	rest := 0.0
	for _, phase := range list {
		if phase.MS < moment && phase.Error == "" {
			rest += phase.MS
			continue
		}
		part := fmt.Sprintf("%s %.0f ms", phase.Name, phase.MS)
		if phase.Error != "" {
			part += " (failed)"
		}
		parts = append(parts, part)
	}
	if rest >= 1 {
		parts = append(parts, fmt.Sprintf("other %.0f ms", rest))
	}
	return strings.Join(parts, " · ")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// wrap breaks text into lines that start with indent.
func wrap(text, indent string) string {
	lines := strings.Split(lipgloss.NewStyle().Width(noteWidth).Render(strings.TrimSpace(text)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(indent+line, " ")
	}
	return strings.Join(lines, "\n")
}

// fixture shows that one fixture of a verification is done.
func (p *printer) fixture(f supascore.FixtureReport) {
	sign, colour := mark(evals.StatusPass)
	if !f.Holds() {
		sign, colour = mark(evals.StatusFail)
	}
	p.printf("  %s %-46s %s\n", p.render.NewStyle().Foreground(colour).Render(sign), f.Name, p.faint(fmt.Sprintf("%.0f ms", f.MS)))
	if f.Error != "" {
		p.printf("%s\n", wrap("could not be run: "+f.Error, "      "))
	}
	for _, s := range f.Surprises {
		p.printf("%s\n", wrap(s.String(), "      "))
	}
}

// verified sums a verification up.
func (p *printer) verified(report *supascore.VerifyReport, elapsed time.Duration) {
	held := 0
	for _, f := range report.Fixtures {
		if f.Holds() {
			held++
		}
	}
	for _, c := range report.Idle {
		p.printf("  ✗ check %s was red %d and green %d times over all fixtures: it shows nothing\n", c.Check, c.Red, c.Green)
	}
	p.printf("%d of %d fixtures hold  %s\n", held, len(report.Fixtures), p.faint(seconds(elapsed)))
}

// engineWords names the engine, and the versions of the real servers.
func engineWords(e stack.Endpoints) string {
	if e.Engine != stack.EngineNative {
		return string(e.Engine)
	}
	return fmt.Sprintf("%s (PostgREST %s, Auth %s)", e.Engine, e.Versions["rest"], e.Versions["auth"])
}

// endpoints shows where a running stack can be reached, in the words of `supabase status`.
func (p *printer) endpoints(e stack.Endpoints) {
	for _, line := range [][2]string{
		{"Engine", engineWords(e)},
		{"API URL", e.APIURL},
		{"REST URL", e.RESTURL},
		{"Auth URL", e.AuthURL},
		{"DB URL", e.DBURL},
		{"Publishable key", e.Keys.Publishable},
		{"Secret key", e.Keys.Secret},
		{"JWT secret", e.Keys.JWTSecret},
		{"anon key", e.Keys.Anon},
		{"service_role key", e.Keys.ServiceRole},
	} {
		p.printf("%16s: %s\n", line[0], line[1])
	}
}
