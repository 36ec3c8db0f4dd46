package parity

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Verdict says what a step's outcome means next to the list of known gaps.
type Verdict string

const (
	// Agrees: answered as recorded.
	Agrees Verdict = "agrees"
	// Differs: answered otherwise, and no gap explains it. Fails.
	Differs Verdict = "differs"
	// Known: answered otherwise, as the list of gaps says.
	Known Verdict = "known gap"
	// Stale: every step of a listed gap's name agrees, so the gap must leave
	// the list. Fails.
	Stale Verdict = "stale gap"
	// NotAsked: left out, for the step's own reason. It neither agrees nor fails, whatever
	// the list of gaps says of it.
	NotAsked Verdict = "not asked"
	// Unknown: a gap names a step that no recording has. Fails.
	Unknown Verdict = "gap without a step"
)

// Finding is one line of a report.
type Finding struct {
	Step    Step
	Verdict Verdict
	// Reason is the known gap's explanation, if there is one, or why a step was not asked.
	Reason string
}

// Fails tells whether the finding makes a run fail.
func (f Finding) Fails() bool {
	return f.Verdict == Differs || f.Verdict == Stale || f.Verdict == Unknown
}

// Report is the outcome of replayed steps, judged against the known gaps.
type Report struct {
	Findings []Finding
}

// Judge makes a report. The steps are those of whole scenarios; gaps of
// scenarios that are not among them are left alone, so that a part of the
// recordings can be replayed.
func Judge(steps []Step, gaps Gaps) Report {
	var report Report
	differs := map[gapKey]bool{}
	seen := map[gapKey]bool{}
	scenarios := map[string]bool{}
	for _, step := range steps {
		key := gapKey{step.Scenario, step.Step}
		scenarios[step.Scenario], seen[key] = true, true
		if !step.Agrees() { // of a step that was not asked nobody knows whether its gap is stale
			differs[key] = true
		}
	}
	for _, step := range steps {
		report.Findings = append(report.Findings, judge(step, gaps, differs))
	}
	for _, gap := range gaps.All() {
		if scenarios[gap.Scenario] && !seen[gapKey{gap.Scenario, gap.Step}] {
			step := Step{Scenario: gap.Scenario, Step: gap.Step}
			report.Findings = append(report.Findings, Finding{step, Unknown, gap.Reason})
		}
	}
	return report
}

func judge(step Step, gaps Gaps, differs map[gapKey]bool) Finding {
	reason, listed := gaps.Reason(step.Scenario, step.Step)
	switch {
	case step.NotAsked != "":
		return Finding{step, NotAsked, step.NotAsked}
	case !step.Agrees() && listed:
		return Finding{step, Known, reason}
	case !step.Agrees():
		return Finding{step, Differs, ""}
	case listed && !differs[gapKey{step.Scenario, step.Step}]:
		return Finding{step, Stale, reason}
	}
	return Finding{step, Agrees, ""}
}

// Failed lists the findings that make the run fail.
func (r Report) Failed() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !f.Fails() })
}

// Count says how many steps agree and how many were asked.
func (r Report) Count() (agree, total int) {
	for _, f := range r.Findings {
		switch f.Verdict {
		case Agrees, Stale:
			agree++
			total++
		case Differs, Known:
			total++
		}
	}
	return agree, total
}

// Write prints one line per scenario, in the order of the steps, and below it
// what does not agree.
func (r Report) Write(w io.Writer) error {
	var out strings.Builder
	for start := 0; start < len(r.Findings); {
		scenario := r.Findings[start].Step.Scenario
		end := start
		for end < len(r.Findings) && r.Findings[end].Step.Scenario == scenario {
			end++
		}
		writeScenario(&out, scenario, Report{r.Findings[start:end]})
		start = end
	}
	agree, total := r.Count()
	fmt.Fprintf(&out, "%d of %d steps agree\n", agree, total)
	_, err := io.WriteString(w, out.String())
	return err
}

func writeScenario(out *strings.Builder, scenario string, part Report) {
	agree, total := part.Count()
	fmt.Fprintf(out, "%-50s %d/%d\n", scenario, agree, total)
	for _, f := range part.Findings {
		if f.Verdict == Agrees {
			continue
		}
		fmt.Fprintf(out, "  %s: %s", f.Verdict, f.Step.Step)
		if f.Reason != "" {
			fmt.Fprintf(out, " (%s)", f.Reason)
		}
		out.WriteString("\n")
		if f.Verdict == Differs {
			for line := range strings.Lines(f.Step.Diff()) {
				out.WriteString("    " + line)
			}
		}
	}
}
