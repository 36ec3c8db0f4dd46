package main

import (
	"time"

	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/replay"
)

// parity shows the outcome group by group and reports whether it is good: something was
// asked, and no finding fails.
func (p *printer) parity(groups []replay.Group, show bool, elapsed time.Duration) bool {
	left := 0
	for _, g := range groups {
		left += count(g)[parity.NotAsked]
	}
	p.printf("%-24s %7s %7s %10s", "group", "agree", "differ", "known gap")
	if left > 0 {
		p.printf(" %10s", "not asked")
	}
	p.printf("\n")
	failed, agreed, all := 0, 0, 0
	for _, g := range groups {
		count := count(g)
		agree, total := g.Report.Count()
		agreed, all, failed = agreed+agree, all+total, failed+len(g.Report.Failed())
		p.printf("%-24s %7d %7d %10d", g.Name, agree, count[parity.Differs], count[parity.Known])
		if left > 0 {
			p.printf(" %10d", count[parity.NotAsked])
		}
		p.printf("\n")
		for _, f := range g.Report.Findings {
			p.finding(f, show)
		}
		p.notAsked(g.Report.Findings)
	}
	p.printf("%d of %d answers agree", agreed, all)
	if left > 0 {
		p.printf(", %d were not asked", left)
	}
	p.printf("  %s\n", p.faint(seconds(elapsed)))
	return failed == 0 && all > 0
}

// count counts a group's findings by what they mean.
func count(g replay.Group) map[parity.Verdict]int {
	count := map[parity.Verdict]int{}
	for _, f := range g.Report.Findings {
		count[f.Verdict]++
	}
	return count
}

func (p *printer) finding(f parity.Finding, show bool) {
	if f.Verdict == parity.Agrees || f.Verdict == parity.NotAsked || (f.Verdict == parity.Known && !show) {
		return
	}
	p.printf("    %s: %s, %q", f.Verdict, f.Step.Scenario, f.Step.Step)
	if f.Reason != "" {
		p.printf(" (%s)", f.Reason)
	}
	p.printf("\n")
	if show && !f.Step.Agrees() {
		p.printf("%s\n", indent(f.Step.Diff(), "      "))
	}
}

// notAsked shows what was left out: a line for each scenario and reason.
func (p *printer) notAsked(findings []parity.Finding) {
	type about struct{ scenario, reason string }
	var order []about
	steps := map[about]int{}
	for _, f := range findings {
		if f.Verdict != parity.NotAsked {
			continue
		}
		key := about{f.Step.Scenario, f.Reason}
		if steps[key] == 0 {
			order = append(order, key)
		}
		steps[key]++
	}
	for _, key := range order {
		p.printf("    not asked: %s, %d of its steps: %s\n", key.scenario, steps[key], key.reason)
	}
}
