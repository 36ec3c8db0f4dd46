package main

import (
	"fmt"
	"time"

	"github.com/charmbracelet/lipgloss"

	"github.com/supascore/supascore/evals"
)

// sideBySide shows two results of one eval: every check with both verdicts, then
// why those that differ do.
func (p *printer) sideBySide(eval *evals.Eval, names [2]string, results [2]*evals.Result, elapsed time.Duration) {
	p.printf("%s\n", eval.Title)
	p.printf("two workspaces, the same SQL byte for byte; the hook is switched on in config.toml in one only\n\n")
	width := 0
	for _, spec := range eval.Checks {
		width = max(width, lipgloss.Width(spec.Name))
	}
	p.printf("  %-*s  %-8s  %s\n", width, "", names[0], names[1])
	var flipped []int
	for i, spec := range eval.Checks {
		line := fmt.Sprintf("  %-*s  %s%8s %s", width, spec.Name, p.sign(results[0].Checks[i].Status), "", p.sign(results[1].Checks[i].Status))
		if results[0].Checks[i].Status != results[1].Checks[i].Status {
			flipped = append(flipped, i)
			line += "  flips"
		}
		p.printf("%s\n", line)
	}
	p.printf("\n%d checks flip, and why:\n", len(flipped))
	for _, i := range flipped {
		check := results[1].Checks[i]
		p.printf("\n  %s  %s\n%s\n", check.ID, p.faint("["+string(check.Class)+"]"), wrap(check.Note, "      "))
	}
	p.printf("\n%s %s, %s %s  %s\n", names[0], tally(results[0]), names[1], tally(results[1]), p.faint(seconds(elapsed)))
}

// sign is the sign of a status in its colour.
func (p *printer) sign(status evals.Status) string {
	sign, colour := mark(status)
	return p.render.NewStyle().Foreground(colour).Render(sign)
}

// tally counts passed checks among those that were measured.
func tally(r *evals.Result) string {
	passed, measured := 0, 0
	for _, check := range r.Checks {
		if check.Status != evals.StatusUnmeasured {
			measured++
		}
		if check.Status == evals.StatusPass {
			passed++
		}
	}
	return fmt.Sprintf("%d/%d", passed, measured)
}
