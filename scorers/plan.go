package scorers

import (
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// Plan says what a run of the eval has to do and look at. The error is one of an
// eval that was not loaded through evals.Load with this package's Library.
func Plan(eval *evals.Eval) (probes.Plan, error) {
	var plan probes.Plan
	for _, person := range eval.People {
		plan.People = append(plan.People, probes.Person{ID: person.ID, Password: person.Password})
	}
	for _, step := range eval.Arrange {
		planned := probes.Step{SignUp: step.SignUp, SignIn: step.SignIn}
		if insert := step.Insert; insert != nil {
			row := planRow(insert.Row)
			planned.Insert = &probes.RowInsert{Table: insert.Table, For: insert.For, Row: row, Own: row.Own()}
		}
		plan.Steps = append(plan.Steps, planned)
	}
	for _, spec := range eval.Checks {
		scorer, err := decode(eval, spec)
		if err != nil {
			return probes.Plan{}, err
		}
		scorer.plan(&plan)
	}
	return plan, nil
}

// planRow translates an eval's row: references become references of the plan.
func planRow(values map[string]any) probes.Row {
	row := make(probes.Row, len(values))
	for column, value := range values {
		if reference, ok := evals.ParseReference(value); ok {
			row[column] = probes.Value{Person: reference.Person, Field: reference.Field}
			continue
		}
		row[column] = probes.Value{Literal: value}
	}
	return row
}
