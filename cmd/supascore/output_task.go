package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/probes"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

// verdictColour is the colour of a verdict.
func verdictColour(v score.Verdict) lipgloss.Color {
	switch v {
	case score.Pass:
		return "10"
	case score.Leak, score.Block:
		return "9"
	case score.Skip:
		return "8"
	default:
		return "13"
	}
}

// verdictWord is a verdict in its colour, filled up to a width in columns.
func (p *printer) verdictWord(v score.Verdict, width int) string {
	return p.render.NewStyle().Foreground(verdictColour(v)).Render(fmt.Sprintf("%-*s", width, v))
}

// grade shows a grade: each test by each path, what differed and why, and the rules.
func (p *printer) grade(task *tasks.Task, g *supascore.TaskGrade, took time.Duration) {
	p.printf("%s  %s\n", task.DirName(), p.faint(g.Candidate+", "+g.By()))
	exposed := "no"
	if g.Exposed {
		exposed = "yes"
	}
	p.printf("%s\n\n", p.faint(wrap("readings: "+g.Readings+"; new tables are granted to the API roles: "+exposed, "")))
	for _, change := range g.Changes {
		word := "changed"
		if change.Grave {
			word = "tampered"
		}
		p.printf("  %s: %s\n", word, change)
	}
	if g.Grades != nil {
		p.testTable(g)
		p.printf("\nrules\n")
		p.ruleTable(g.Grades.Matrix)
	}
	p.printf("\n%s\n", p.gradeLine(g, took))
	if g.Reason != "" {
		p.printf("%s\n", wrap(g.Reason, "  "))
	}
}

// testTable has a line for each test, and below it what there is to say.
func (p *printer) testTable(g *supascore.TaskGrade) {
	id, rules, user := len("test"), len("rules"), len("user")
	for _, t := range g.Grades.Tests {
		id = max(id, len(t.ID))
		rules = max(rules, len(strings.Join(t.Rules, " ")))
		user = max(user, lipgloss.Width(t.User))
	}
	const verb, word = 6, 5
	p.printf("  %-*s  %-*s  %s  %-*s  %-*s  %-*s  claim\n", id, "test", rules, "rules", padded("user", user), verb, "verb", word, "sql", word, "api")
	for _, t := range g.Grades.Tests {
		p.printf("  %-*s  %-*s  %s  %-*s  %s  %s  %s\n", id, t.ID, rules, strings.Join(t.Rules, " "), padded(t.User, user),
			verb, t.Verb, p.onPath(t, probes.RLSPathSQL, word), p.onPath(t, probes.RLSPathAPI, word), t.Name)
		p.findings(t, g.Run)
	}
}

// onPath is a test's verdict on a path; a dash when the path was not taken.
func (p *printer) onPath(t score.TestGrade, path probes.RLSPath, width int) string {
	finding := t.Finding(path)
	if finding == nil {
		return fmt.Sprintf("%-*s", width, "-")
	}
	return p.verdictWord(finding.Verdict, width)
}

// findings says what was wrong with a test, by path, and why the paths differ.
func (p *printer) findings(t score.TestGrade, run *probes.RLSRun) {
	const indent = "        "
	for _, f := range t.Findings {
		if f.Verdict == score.Pass || f.Note == "" {
			continue
		}
		by := byPath(f.Path, formOf(run, t.ID, f.Path))
		if same := t.Findings[len(t.Findings)-1]; same.Path != f.Path && same.Note == f.Note {
			continue // said once, for both
		} else if first := t.Findings[0]; first.Path != f.Path && first.Note == f.Note {
			by = string(first.Path) + " and " + by
		}
		p.printf("%s\n", wrap(fmt.Sprintf("by %s: %s", by, f.Note), indent))
	}
	if t.SignedToken != "" {
		p.printf("%s\n", p.faint(wrap("the token is signed with the claims: "+t.SignedToken, indent)))
	}
	if t.Difference != nil {
		p.printf("%s\n", wrap(fmt.Sprintf("the paths differ: %s", t.Difference.Cause), indent))
		if t.Difference.Shown != "" {
			p.printf("%s\n", p.faint(wrap("shown by: "+t.Difference.Shown, indent)))
		}
	}
}

// byPath names a path, and how the test was put on it where that is not plain.
func byPath(path probes.RLSPath, form probes.RLSForm) string {
	if form == "" || form == probes.RLSForm(path) {
		return string(path)
	}
	return fmt.Sprintf("%s (%s)", path, form)
}

// formOf says how a test was put on its path.
func formOf(run *probes.RLSRun, test string, path probes.RLSPath) probes.RLSForm {
	if run == nil {
		return ""
	}
	for _, o := range run.Observations {
		if o.Test == test && o.Path == path {
			return o.Form
		}
	}
	return ""
}

// ruleTable has a line for each rule and role, and a column for each verb.
func (p *printer) ruleTable(cells []score.Cell) {
	type line struct{ rule, role string }
	var lines []line
	var verbs []probes.RLSVerb
	verdicts := map[line]map[probes.RLSVerb]score.Verdict{}
	role := len("role")
	for _, cell := range cells {
		key := line{cell.Rule, cell.Role}
		if verdicts[key] == nil {
			verdicts[key] = map[probes.RLSVerb]score.Verdict{}
			lines = append(lines, key)
			role = max(role, len(cell.Role))
		}
		verdicts[key][cell.Verb] = cell.Verdict
		if !slices.Contains(verbs, cell.Verb) {
			verbs = append(verbs, cell.Verb)
		}
	}
	order := []probes.RLSVerb{
		probes.RLSVerbSelect, probes.RLSVerbInsert, probes.RLSVerbUpsert, probes.RLSVerbUpdate, probes.RLSVerbDelete,
		probes.RLSVerbCall, probes.RLSVerbOther,
	}
	slices.SortFunc(verbs, func(a, b probes.RLSVerb) int { return slices.Index(order, a) - slices.Index(order, b) })
	head := fmt.Sprintf("  %-5s %-*s", "rule", role, "role")
	for _, verb := range verbs {
		head += fmt.Sprintf("  %-6s", verb)
	}
	p.printf("%s\n", strings.TrimRight(head, " "))
	for _, key := range lines {
		p.printf("  %-5s %-*s", key.rule, role, key.role)
		for i, verb := range verbs {
			v, width := verdicts[key][verb], len("select")
			if v == "" {
				v = "·"
			}
			if i == len(verbs)-1 {
				width = 0
			}
			p.printf("  %s", p.verdictWord(v, width))
		}
		p.printf("\n")
	}
}

// gradeLine is the verdict with the tests counted.
func (p *printer) gradeLine(g *supascore.TaskGrade, took time.Duration) string {
	word := "PASSED"
	if !g.Passed() {
		word = "FAILED (" + string(g.Verdict) + ")"
	}
	line := p.render.NewStyle().Bold(true).Foreground(verdictColour(g.Verdict)).Render(word)
	if g.Grades == nil {
		return line + "  " + p.faint(seconds(took))
	}
	count := map[score.Verdict]int{}
	for _, t := range g.Grades.Tests {
		count[t.Verdict]++
	}
	parts := []string{fmt.Sprintf("%d of %s passed", count[score.Pass], plural(len(g.Grades.Tests), "test"))}
	for _, v := range []score.Verdict{score.Leak, score.Block, score.Error} {
		if count[v] > 0 {
			parts = append(parts, plural(count[v], string(v)))
		}
	}
	return fmt.Sprintf("%s  %s  %s", line, strings.Join(parts, ", "), p.faint(seconds(took)))
}

// padded fills text up to a width in columns.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}
