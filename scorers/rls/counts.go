package rls

import (
	"fmt"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

func (e expectation) judgeCount(f Finding) Finding {
	count, what, problem := e.count()
	switch {
	case problem != "":
		return f.turn(Error, "%s", problem)
	case count > int64(e.want.Count):
		return f.turn(Leak, "%s is %d, %d is expected", what, count, e.want.Count)
	case count < int64(e.want.Count):
		return f.turn(Block, "%s is %d, %d is expected", what, count, e.want.Count)
	}
	return f
}

// count is the number that the reading of "count" asks for.
func (e expectation) count() (count int64, what, problem string) {
	table := e.o.Result
	if table == nil {
		if e.o.Affected < 0 {
			return 0, "", "no rows came back to be counted"
		}
		return e.o.Affected, "the number of rows", ""
	}
	isValue := e.readings.Count == tasks.CountValue || e.readings.Count == tasks.CountAuto && e.o.Statement.Aggregate
	if !isValue {
		return int64(len(table.Rows)), "the number of rows", ""
	}
	return countValue(table)
}

// countValue is the only value of a table.
func countValue(table *probes.RLSTable) (count int64, what, problem string) {
	if len(table.Rows) != 1 || len(table.Rows[0]) != 1 {
		return 0, "", fmt.Sprintf("one row with one number is expected, %s of %s came", plural(len(table.Rows), "row"), plural(len(table.Columns), "column"))
	}
	value := table.Rows[0][0]
	if value == nil {
		return 0, "the value (null)", ""
	}
	if _, err := fmt.Sscan(fmt.Sprint(value), &count); err != nil {
		return 0, "", fmt.Sprintf("the value %s is no whole number", show(value))
	}
	return count, "the value", ""
}

func (e expectation) judgeAffected(f Finding) Finding {
	n, want := e.o.Affected, int64(e.want.Affected)
	switch {
	case n < 0:
		return f.turn(Error, "the number of affected rows is not known, %d is expected", want)
	case n > want:
		return f.turn(Leak, "%s, %d is expected%s", plural(int(n), "affected row"), want, e.changes())
	case n < want:
		return f.turn(Block, "%s, %d is expected", plural(int(n), "affected row"), want)
	case n == 0 && len(e.o.Changes) > 0 && e.writes():
		return f.turn(Leak, "no row is said to be affected, and yet the owner sees changes%s", e.changes())
	case n > 0 && len(e.o.Changes) == 0 && (e.o.Statement.Verb == probes.RLSVerbInsert || e.o.Statement.Verb == probes.RLSVerbDelete):
		return f.turn(Block, "%s reported, and the owner sees no change", plural(int(n), "affected row"))
	}
	return f
}

func (e expectation) writes() bool { return e.o.Statement.Verb != probes.RLSVerbCall }

// changes shows what the owner saw to change.
func (e expectation) changes() string {
	var lines []string
	for _, c := range e.o.Changes {
		for _, row := range c.Removed {
			lines = append(lines, c.Table+" lost "+show(row))
		}
		for _, row := range c.Added {
			lines = append(lines, c.Table+" has "+show(row))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ": " + list(lines)
}
