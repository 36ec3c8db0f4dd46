package rls

import (
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/tasks"
)

// judgeDenied judges an expected refusal. What counts as one depends on the statement:
// PostgreSQL refuses an INSERT with an error, and hides from SELECT, UPDATE and DELETE
// the rows that they may not touch.
func (e expectation) judgeDenied(f Finding) Finding {
	accept := e.want.Denied
	if accept == "" {
		accept = tasks.Denial(e.readings.Denied)
	}
	if refusal := e.refusal(); refusal != "" {
		return e.judgeRefusal(f, refusal, accept)
	}
	if len(e.o.Changes) > 0 {
		return f.turn(Leak, "it was not refused%s", e.changes())
	}
	rows := e.rows()
	switch {
	case rows > 0 && e.o.Statement.ReturnsRows():
		return f.turn(Leak, "it was not refused: %s came back%s", plural(int(rows), "row"), e.firstRows())
	case rows > 0:
		return f.turn(Leak, "it was not refused: %s", plural(int(rows), "affected row"))
	case accept == tasks.DeniedError:
		return f.turn(Error, "no row was touched, and no error came, which is asked for")
	case accept == tasks.DeniedAny && !filters(e.o.Statement.Verb):
		return f.turn(Error, "no row was touched, and no error came, which is what refuses this statement")
	}
	return f
}

// judgeRefusal judges a statement that failed.
func (e expectation) judgeRefusal(f Finding, refusal string, accept tasks.Denial) Finding {
	code := e.code()
	switch {
	case accept == tasks.DeniedFiltered:
		return f.turn(Error, "%s, and no row without an error is expected", refusal)
	case e.want.SQLState != "" && code == e.want.SQLState:
		return f
	case e.want.SQLState != "" && code != "":
		return f.turn(Error, "%s, SQLSTATE %s is expected", refusal, e.want.SQLState)
	case code == denied, e.unreachable():
		return f
	}
	// A broken policy, a violated constraint or a time limit refuse nobody: with other
	// values or on another day the same statement would go through.
	return f.turn(Error, "%s is no refusal", refusal)
}

// rows is how many rows the statement touched or returned.
func (e expectation) rows() int64 {
	if e.o.Result != nil {
		if e.o.Statement.Aggregate && len(e.o.Result.Rows) == 1 {
			// An aggregate always has a row; what it says is whether it saw any.
			if n, _, problem := countValue(e.o.Result); problem == "" {
				return n
			}
		}
		return int64(len(e.o.Result.Rows))
	}
	return e.o.Affected
}

func (e expectation) firstRows() string {
	if e.o.Result == nil {
		return ""
	}
	var lines []string
	for _, row := range e.o.Result.Rows {
		lines = append(lines, lineOf(e.o.Result.Columns, row).text)
	}
	return ": " + list(lines)
}

// filters says whether policies hide rows from a statement instead of refusing it.
func filters(verb probes.RLSVerb) bool {
	switch verb {
	case probes.RLSVerbSelect, probes.RLSVerbUpdate, probes.RLSVerbDelete:
		return true
	}
	return false
}

// judgeAfter judges what the owner saw at the end of a test. Rows that should not be
// there, or should not be as they are, are a leak; when the statement itself was
// blocked, they only confirm it.
func judgeAfter(after *tasks.After, readings tasks.Readings, seen *probes.RLSAfter, f Finding) Finding {
	base := Finding{Path: f.Path, Verdict: Pass}
	if seen.Failed != nil {
		return base.turn(Error, "the owner's look afterwards failed: %s", seen.Failed)
	}
	e := expectation{want: after.Expect, readings: readings, o: &probes.RLSObservation{
		Result: &seen.Table, Affected: int64(len(seen.Table.Rows)), Statement: seen.Statement,
	}}
	judged := e.judge(base)
	if judged.Verdict == Pass {
		return judged
	}
	judged.Note = "afterwards the owner sees: " + judged.Note
	if judged.Verdict == Block || judged.Verdict == Leak {
		judged.Verdict = Leak
		if f.Verdict == Block {
			judged.Verdict = Block
		}
	}
	return judged
}
