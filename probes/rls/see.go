package rls

import (
	"github.com/supascore/supascore/probes"
)

// seen is a test under way with the rows that it began with.
type seen struct {
	t      *planned
	o      *probes.RLSObservation
	before map[string][]string
}

// looks are the steps that look at a test's transaction as the owner, run by the login
// role: at the rows, unless the transaction wrote nothing and so has no id, and at what
// the test asks for.
func looks(t *planned) []step {
	steps := []step{{sql: "select case when pg_catalog.pg_current_xact_id_if_assigned() is not null then supascore.look() end"}}
	if t.after != nil {
		steps = append(steps, step{sql: "select supascore.owner_rows($1)", args: []string{t.after.Text}})
	}
	return steps
}

// keepLook records the answer to a look, by its place among looks.
func (r *runner) keepLook(s seen, at int, rows [][][]byte) error {
	if at > 0 {
		after, err := r.after(s.t, rows)
		s.o.After = after
		return err
	}
	now, err := rowsOf(rows)
	if now != nil {
		s.o.Changes = changes(s.before, now)
	}
	return err
}

// failed records PostgreSQL's refusal of a look.
func (s seen) failed(at int, failed *probes.SQLError) {
	if at > 0 {
		s.o.After = &probes.RLSAfter{Statement: s.t.after.Statement, Failed: failed}
		return
	}
	s.o.LookFailed = failed
}

// after makes a table of the owner's rows, which came as JSON objects.
func (r *runner) after(t *planned, rows [][][]byte) (*probes.RLSAfter, error) {
	after := &probes.RLSAfter{Statement: t.after.Statement}
	for i, row := range rows {
		names, values, err := orderedObject(row[0])
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, name := range names {
				after.Table.Columns = append(after.Table.Columns, probes.RLSColumn{Name: name})
			}
		}
		after.Table.Rows = append(after.Table.Rows, values)
	}
	if described := r.shape.columns[afterKey(t)]; len(described) > 0 && (len(rows) == 0 || len(described) == len(after.Table.Columns)) {
		after.Table.Columns = described
	}
	return after, nil
}
