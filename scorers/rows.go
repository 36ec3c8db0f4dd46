package scorers

import (
	"errors"
	"fmt"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

func verbs() []probes.Verb {
	return []probes.Verb{probes.VerbDelete, probes.VerbInsert, probes.VerbUpdate, probes.VerbRead}
}

// rowParams are the parameters of the kinds "can-<verb>-row" and
// "cannot-<verb>-row".
type rowParams struct {
	// As is the person who sends the request, with the token of their latest
	// session.
	As string `json:"as"`
	// Table is "schema.table".
	Table string `json:"table"`
	// Row maps columns to values; "${person.id}" is a person's user id. The owner
	// writes it before a delete, update or read; an insert sends it.
	Row map[string]any `json:"row"`
	// Set maps columns to new values; updates only.
	Set map[string]any `json:"set"`
}

// rowScorer judges one row probe by the owner's view of the row, never by the
// answer alone.
type rowScorer struct {
	rowParams
	id      string
	verb    probes.Verb
	allowed bool
}

// rowDecoder returns the decoder of the kind that states that the verb is, or is
// not, possible.
func rowDecoder(verb probes.Verb, allowed bool) func(*evals.Eval, evals.CheckSpec) (scorer, error) {
	return func(eval *evals.Eval, spec evals.CheckSpec) (scorer, error) {
		k := rowScorer{id: spec.ID, verb: verb, allowed: allowed}
		if err := decodeParams(spec, &k.rowParams); err != nil {
			return nil, err
		}
		return k, k.validate(eval)
	}
}

func (k rowScorer) validate(eval *evals.Eval) error {
	switch {
	case k.As == "":
		return missing("as", "name the person who sends the request")
	case !evals.ValidTable(k.Table):
		return &evals.ParamError{
			Param: "table", Problem: fmt.Sprintf("%q is not written as schema.table", k.Table),
			Remedy: `for example "public.posts"`,
		}
	case len(k.Row) == 0:
		return missing("row", "name at least one column")
	case k.verb == probes.VerbUpdate && len(k.Set) == 0:
		return missing("set", "name the columns to change and their new values")
	case k.verb != probes.VerbUpdate && len(k.Set) > 0:
		return &evals.ParamError{Param: "set", Problem: "only an update changes columns"}
	}
	if err := checkPeople(eval, "as", k.As); err != nil {
		return err
	}
	for _, block := range []struct {
		name string
		row  map[string]any
	}{{"row", k.Row}, {"set", k.Set}} {
		var param *evals.ParamError
		if errors.As(eval.CheckRow(block.row), &param) {
			param.Param = block.name + "." + param.Param
			return param
		}
	}
	return nil
}

func (k rowScorer) plan(plan *probes.Plan) {
	row := planRow(k.Row)
	probe := probes.RowProbe{ID: k.id, As: k.As, Verb: k.verb, Table: k.Table, Row: row, Own: row.Own()}
	if k.verb == probes.VerbUpdate {
		probe.Set = planRow(k.Set)
	}
	plan.Rows = append(plan.Rows, probe)
}

// people lists who has to be there for the request to make sense: who sends it
// first, then whose row it is.
func (k rowScorer) people() []string {
	ids := []string{k.As}
	for _, value := range k.Row {
		if reference, ok := evals.ParseReference(value); ok && reference.Person != k.As {
			ids = append(ids, reference.Person)
		}
	}
	return ids
}

func (k rowScorer) judge(seen *probes.Observations) verdict {
	expected := k.expected()
	for _, id := range k.people() {
		// Only the sender needs a session and their rows; others need to exist.
		if id != k.As && seen.People[id] != nil && seen.People[id].ID != "" {
			continue
		}
		if said := peopleReady(seen, expected, id); said != nil {
			return *said
		}
	}
	row := seen.Rows[k.id]
	switch {
	case row == nil:
		return notObserved("this request")
	case row.Withheld != "":
		return unmeasured("not tried: %s", row.Withheld)
	case row.Trouble != "":
		return broken("not measured: %s", excerpt(row.Trouble))
	case row.Failed != nil:
		return failed(evals.ClassBlock, expected,
			fmt.Sprintf("the owner of the database could not prepare the row in %s: %s", k.Table, excerpt(row.Failed.Error())),
			insertCause(probes.InsertObservation{Table: k.Table, Failed: row.Failed}))
	case row.Unready != "":
		return broken("not measured: %s", excerpt(row.Unready))
	case row.Answer == nil || !row.Counted:
		return notObserved("this request's outcome")
	case k.allowed:
		return k.judgeAllowed(seen, row, expected)
	default:
		return k.judgeRefused(seen, row, expected)
	}
}

func (k rowScorer) expected() string {
	can := map[bool]string{true: "can", false: "cannot"}[k.allowed]
	where := map[probes.Verb]string{
		probes.VerbDelete: "from", probes.VerbInsert: "into", probes.VerbUpdate: "in", probes.VerbRead: "from",
	}[k.verb]
	return fmt.Sprintf("that %s %s %s the row %s %s", k.As, can, k.verb, where, k.Table)
}

// happened reports whether the request took effect: by the owner's view of the row
// for writes, by the rows in the answer for reads.
func (k rowScorer) happened(row *probes.RowObservation) bool {
	switch k.verb {
	case probes.VerbDelete:
		return row.After < row.Before
	case probes.VerbRead:
		return row.Answer.OK() && row.Answer.Rows > 0
	default:
		return row.After > 0
	}
}

// effect describes what the owner saw.
func (k rowScorer) effect(row *probes.RowObservation) string {
	there := map[bool]string{true: "still there", false: "gone"}[row.After > 0]
	switch k.verb {
	case probes.VerbDelete:
		return "the row is " + there
	case probes.VerbInsert:
		if row.After > 0 {
			return "the row is there"
		}
		return "no such row is there"
	case probes.VerbUpdate:
		if row.After > 0 {
			return "the row holds the new values"
		}
		return "the row is unchanged"
	default:
		return fmt.Sprintf("the answer held %d of 1 rows", max(row.Answer.Rows, 0))
	}
}

func (k rowScorer) judgeAllowed(seen *probes.Observations, row *probes.RowObservation, expected string) verdict {
	observed := fmt.Sprintf("%s, and %s", answerText(row.Answer), k.effect(row))
	if k.happened(row) {
		said := passed("%s", observed)
		said.advice = policyAdvice(seen, k.Table)
		return said
	}
	return failed(evals.ClassBlock, expected, observed, k.blockCause(seen, row))
}

func (k rowScorer) judgeRefused(seen *probes.Observations, row *probes.RowObservation, expected string) verdict {
	observed := fmt.Sprintf("%s, and %s", answerText(row.Answer), k.effect(row))
	if k.happened(row) {
		return failed(evals.ClassLeak, expected, observed, k.leakCause(seen, row))
	}
	said := passed("%s", observed)
	why := notADenial(row.Answer)
	if why == "" && row.OwnerRefused != nil {
		// The positive control of an insert: a row that nobody can write is not denied
		// to this person.
		why = "the owner of the database cannot write such a row either: " + excerpt(row.OwnerRefused.Error())
	}
	if why != "" {
		said.vacuous = true
		said.note += "; vacuous: " + why
	}
	return said
}
