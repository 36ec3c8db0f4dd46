package standin

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// table is a heading over rows of a label and a value. Rows without a value are left
// out, and so is a table without rows.
type table struct {
	heading string
	rows    [][2]string
}

// String draws the table as the CLI does, with round corners.
func (t table) String() string {
	var rows [][2]string
	label, value := 0, 0
	for _, r := range t.rows {
		if r[1] == "" {
			continue
		}
		rows = append(rows, r)
		label, value = max(label, lipgloss.Width(r[0])), max(value, lipgloss.Width(r[1]))
	}
	if len(rows) == 0 {
		return ""
	}
	value = max(value, lipgloss.Width(t.heading)-label-3)
	left, right := strings.Repeat("─", label+2), strings.Repeat("─", value+2)
	var b strings.Builder
	fmt.Fprintf(&b, "╭%s─%s╮\n", left, right)
	fmt.Fprintf(&b, "│ %s │\n", padded(t.heading, label+value+3))
	fmt.Fprintf(&b, "├%s┬%s┤\n", left, right)
	for _, r := range rows {
		fmt.Fprintf(&b, "│ %s │ %s │\n", padded(r[0], label), padded(r[1], value))
	}
	fmt.Fprintf(&b, "╰%s┴%s╯\n", left, right)
	return b.String()
}

// padded is the text with spaces up to a width in columns of a terminal.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}
