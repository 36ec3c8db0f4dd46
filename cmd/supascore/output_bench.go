package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/scorers/stats"
)

// benchRows is a leaderboard as the dataset card has it: a head, and a row a model.
func benchRows(report *supascore.BenchReport) [][]string {
	tiers := stats.TierNumbers(report.Models)
	var names []string
	for _, tier := range tiers {
		names = append(names, fmt.Sprint(tier))
	}
	rows := [][]string{{"model", "pass@1", "pass@5", "leak rate", "tier " + strings.Join(names, " / ") + " pass@1", "tasks", "samples"}}
	for _, m := range report.Models {
		var byTier []string
		for _, tier := range tiers {
			byTier = append(byTier, percent(m.Tiers[tier].Pass1))
		}
		pass5 := percent(m.Pass5)
		if m.Pass5 != nil && m.Pass5.Tasks < m.Tasks {
			pass5 += fmt.Sprintf(" (%s)", plural(m.Pass5.Tasks, "task"))
		}
		rows = append(rows, []string{
			m.Model, interval(m.Pass1), pass5, interval(m.Leak), strings.Join(byTier, " / "), fmt.Sprint(m.Tasks), fmt.Sprint(m.Samples),
		})
	}
	return rows
}

// percent is an estimate without its interval; a dash when there is none.
func percent(e *stats.Estimate) string {
	if e == nil {
		return "—"
	}
	return fmt.Sprintf("%.0f%%", 100*e.Value)
}

// interval is an estimate with its interval: "87% [79–92]".
func interval(e *stats.Estimate) string {
	if e == nil {
		return "—"
	}
	return fmt.Sprintf("%s [%.0f–%.0f]", percent(e), 100*e.Low, 100*e.High)
}

// bench shows a benchmark's table, what it rests on, and how fast it was.
func (p *printer) bench(report *supascore.BenchReport) {
	rows := benchRows(report)
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += padded(cell, widths[i]+2)
		}
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
	p.printf("\n%s\n", p.faint(wrap(benchGround(report), "")))
	if report.Graded > 0 {
		p.printf("%s\n", p.faint(wrap(benchSpeed(report), "")))
	}
	for _, note := range benchNotes(report) {
		p.printf("%s\n", wrap(note, ""))
	}
}

// benchGround says what the numbers rest on.
func benchGround(report *supascore.BenchReport) string {
	return fmt.Sprintf("%s on %s, %s, %d kept from before; 95%% intervals by bootstrap over tasks; %s; %s",
		plural(report.Samples, "sample"), plural(report.Tasks, "task"), plural(report.Candidates, "different candidate"),
		report.Kept, report.Settings, report.By())
}

// benchSpeed says how fast candidates were graded, and what the time went into.
func benchSpeed(report *supascore.BenchReport) string {
	total := 0.0
	var names []string
	for name, ms := range report.Phases {
		total += ms
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if report.Phases[a] != report.Phases[b] {
			if report.Phases[a] > report.Phases[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var shares []string
	for _, name := range names {
		if share := report.Phases[name] / total; share >= 0.005 {
			shares = append(shares, fmt.Sprintf("%s %.0f%%", name, 100*share))
		}
	}
	return fmt.Sprintf("%d graded in %.1f s, %.1f a second, %.0f ms each: %s",
		report.Graded, report.Seconds, report.PerSecond, total, strings.Join(shares, ", "))
}

// benchNotes says what is to be known before the numbers are trusted.
func benchNotes(report *supascore.BenchReport) []string {
	var notes []string
	for _, m := range report.Models {
		if covered := report.Coverage(m.Model); covered < report.Tasks {
			notes = append(notes, fmt.Sprintf("%s has samples for %d of %s", m.Model, covered, plural(report.Tasks, "task")))
		}
	}
	if report.Stale > 0 {
		notes = append(notes, fmt.Sprintf("%s of another prompt than the task has now", plural(report.Stale, "sample")))
	}
	if report.Ungraded > 0 {
		notes = append(notes, fmt.Sprintf("%s not graded; run again to go on", plural(report.Ungraded, "candidate")))
	}
	const most = 5
	for i, broken := range report.Broken {
		if i == most {
			notes = append(notes, fmt.Sprintf("and %d more", len(report.Broken)-most))
			break
		}
		notes = append(notes, fmt.Sprintf("broke: %s, %s, sample %d: %s", broken.Model, broken.Task, broken.Sample, broken.Error))
	}
	return notes
}

// benchMarkdown writes the table as Markdown.
func benchMarkdown(w io.Writer, report *supascore.BenchReport) error {
	rows := benchRows(report)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = markdownCell(cell)
		}
	}
	if err := markdownTable(w, rows); err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s.\n", benchGround(report))
	for _, note := range benchNotes(report) {
		fmt.Fprintf(&out, "\n%s.\n", markdownCell(note))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
