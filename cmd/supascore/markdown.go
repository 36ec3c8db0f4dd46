package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/supascore/supascore/evals"
)

// markdownCell is a text as it can stand in a cell of a table. What a stack answered is
// in it: nothing of that may be taken for markup.
func markdownCell(text string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "\r", "", "\n", "<br>", "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "](", `]\(`,
	).Replace(text)
}

// markdownTable writes rows, the first of which is the head. Cells are written as they
// are.
func markdownTable(w io.Writer, rows [][]string) error {
	var out strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			out.WriteString("| " + cell + " ")
		}
		out.WriteString("|\n")
		if i == 0 {
			out.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// evalMarkdown writes a result as Markdown, for a pull request or a CI summary: the
// verdict, a table of the checks, and the notes of those that did not simply pass.
func evalMarkdown(w io.Writer, r *evals.Result) error {
	verdict, _ := verdictOf(r)
	_, err := fmt.Fprintf(w, "### %s %s\n\n%s, %s, %s\n\n", markdownCell(r.Eval), verdict,
		markdownCell(engineLine(r)), counts(r), seconds(r.Finished.Sub(r.Started)))
	if err != nil {
		return err
	}
	if r.Error != "" {
		if _, err := fmt.Fprintf(w, "**%s**\n\n", markdownCell(r.Error)); err != nil {
			return err
		}
	}
	rows := [][]string{{"", "check", "result", "note"}}
	for _, check := range r.Checks {
		sign, _ := mark(check.Status)
		note := ""
		if check.Status != evals.StatusPass || check.Vacuous {
			note = check.Note
		}
		for _, advice := range check.Advice {
			note = strings.TrimPrefix(note+"\nadvice: "+advice, "\n")
		}
		label := checkLabel(check)
		if label == "" {
			label = string(check.Status)
		}
		rows = append(rows, []string{sign, markdownCell(check.Name), label, markdownCell(note)})
	}
	return markdownTable(w, rows)
}
