package rls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// difference is how observed rows differ from expected ones.
type difference struct {
	// extra and missing are rows as a reader wants to see them.
	extra, missing []string
	// order is true when the rows are the same and their order is not.
	order bool
	// problem is why the rows cannot be compared.
	problem string
}

func (d difference) none() bool {
	return len(d.extra) == 0 && len(d.missing) == 0 && !d.order && d.problem == ""
}

// compareRows compares a result with expected rows. ordered asks for the order too.
func compareRows(want tasks.Expect, got *probes.RLSTable, ordered bool) difference {
	columns := got.Columns
	positions, problem := positionsOf(want, got)
	if problem != "" {
		return difference{problem: problem}
	}
	shape := make([]probes.RLSColumn, len(positions))
	for i, at := range positions {
		shape[i] = columns[at]
	}
	var seen, wanted []line
	for _, row := range got.Rows {
		values := make([]any, len(positions))
		for i, at := range positions {
			values[i] = row[at]
		}
		seen = append(seen, lineOf(shape, values))
	}
	for _, row := range want.Rows {
		wanted = append(wanted, lineOf(shape, row))
	}
	d := difference{extra: minus(seen, wanted), missing: minus(wanted, seen)}
	if got.Truncated {
		d.extra = append(d.extra, "… and more")
	}
	if ordered && d.none() && !slices.EqualFunc(seen, wanted, func(a, b line) bool { return a.key == b.key }) {
		d.order = true
	}
	return d
}

// positionsOf finds the result's columns that the expected rows speak of.
func positionsOf(want tasks.Expect, got *probes.RLSTable) ([]int, string) {
	if want.Columns == nil {
		width := len(got.Columns)
		if len(want.Rows) > 0 && len(got.Rows) > 0 && len(want.Rows[0]) != width {
			return nil, fmt.Sprintf("the result has %d columns (%s), rows of %d values are expected",
				width, names(got.Columns), len(want.Rows[0]))
		}
		if len(want.Rows) > 0 {
			width = min(width, len(want.Rows[0]))
		}
		positions := make([]int, width)
		for i := range positions {
			positions[i] = i
		}
		return positions, ""
	}
	var positions []int
	for _, name := range want.Columns {
		at := slices.IndexFunc(got.Columns, func(c probes.RLSColumn) bool { return c.Name == name })
		if at < 0 {
			if len(got.Rows) == 0 {
				continue
			}
			return nil, fmt.Sprintf("the result has no column %s, it has %s", name, names(got.Columns))
		}
		positions = append(positions, at)
	}
	return positions, ""
}

func names(columns []probes.RLSColumn) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}

// line is a row: key for comparing, text for reading.
type line struct{ key, text string }

func lineOf(columns []probes.RLSColumn, values []any) line {
	var keys, texts []string
	for i, value := range values {
		var column probes.RLSColumn
		if i < len(columns) {
			column = columns[i]
		}
		keys = append(keys, cell(column.Type, value))
		texts = append(texts, strings.TrimPrefix(column.Name+"=", "=")+show(value))
	}
	return line{key: marshal(keys), text: strings.Join(texts, " ")}
}

// show writes a value for a reader, short.
func show(value any) string {
	const limit = 60
	text := fmt.Sprint(value)
	switch v := value.(type) {
	case nil:
		return "null"
	case map[string]any, []any:
		text = marshal(v)
	}
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}

// minus is the bag of lines less the bag of others, as texts.
func minus(lines, others []line) []string {
	count := map[string]int{}
	for _, other := range others {
		count[other.key]++
	}
	var left []string
	for _, l := range lines {
		if count[l.key] > 0 {
			count[l.key]--
			continue
		}
		left = append(left, l.text)
	}
	return left
}

// list shows the first lines of several.
func list(lines []string) string {
	const limit = 5
	if len(lines) > limit {
		return strings.Join(lines[:limit], "; ") + fmt.Sprintf("; and %d more", len(lines)-limit)
	}
	return strings.Join(lines, "; ")
}
