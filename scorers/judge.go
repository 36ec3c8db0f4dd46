package scorers

import (
	"fmt"
	"slices"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// Judge says what the observations mean for every check of the eval, in the
// eval's order. It is a pure function: the same arguments give the same checks.
// The error is one of an eval that was not loaded through evals.Load with this
// package's Library.
func Judge(eval *evals.Eval, seen *probes.Observations) ([]evals.Check, error) {
	if seen == nil {
		seen = &probes.Observations{Stack: probes.StackState{
			Fault: probes.FaultInfrastructure, Error: "the run left no observations",
		}}
	}
	judge := &judgement{eval: eval, seen: seen, done: map[string]*evals.Check{}}
	checks := make([]evals.Check, 0, len(eval.Checks))
	for _, spec := range eval.Checks {
		if _, err := judge.check(spec); err != nil {
			return nil, err
		}
	}
	for _, spec := range eval.Checks {
		check := judge.done[spec.ID]
		judge.control(spec, check)
		checks = append(checks, *check)
	}
	onceEach(checks)
	return checks, nil
}

// onceEach keeps every piece of advice at the first check that gives it.
func onceEach(checks []evals.Check) {
	var given []string
	for i := range checks {
		var own []string
		for _, advice := range checks[i].Advice {
			if !slices.Contains(given, advice) {
				own = append(own, advice)
			}
		}
		given = append(given, own...)
		checks[i].Advice = own
	}
}

// judgement is the state of one call of Judge.
type judgement struct {
	eval *evals.Eval
	seen *probes.Observations
	done map[string]*evals.Check
}

// check judges one check, and those it needs first. Needs have no circles: the
// loader refuses them.
func (j *judgement) check(spec evals.CheckSpec) (*evals.Check, error) {
	if check, ok := j.done[spec.ID]; ok {
		return check, nil
	}
	scorer, err := decode(j.eval, spec)
	if err != nil {
		return nil, err
	}
	check := &evals.Check{
		ID: spec.ID, Name: spec.Name, Class: spec.Class, Needs: spec.Needs, Control: spec.Control,
	}
	blocked, err := j.blocked(spec)
	if err != nil {
		return nil, err
	}
	said := blocked
	if said == nil {
		own := scorer.judge(j.seen)
		said = &own
	}
	check.Status, check.Note, check.Advice, check.Vacuous = said.status, said.note, said.advice, said.vacuous
	if said.class != "" {
		check.Class = said.class
	}
	j.done[spec.ID] = check
	return check, nil
}

// blocked returns the verdict of a check whose needs do not allow to try it; nil
// when they do. A need in error does not block: what was observed before the
// trouble still counts, and scorers answer error where nothing was.
func (j *judgement) blocked(spec evals.CheckSpec) (*verdict, error) {
	for _, id := range spec.Needs {
		need, ok := j.eval.Check(id)
		if !ok {
			return nil, fmt.Errorf("check %s: needs %q, which is no check", spec.ID, id)
		}
		check, err := j.check(need)
		if err != nil {
			return nil, err
		}
		switch {
		case check.Status.Red():
			return &verdict{
				status: evals.StatusBlocked,
				note:   fmt.Sprintf("not tried: it needs %s (%s), which is red", id, check.Name),
			}, nil
		case check.Status == evals.StatusUnmeasured:
			return &verdict{
				status: evals.StatusUnmeasured,
				note:   fmt.Sprintf("not tried: it needs %s (%s), which was not measured", id, check.Name),
			}, nil
		}
	}
	return nil, nil
}

// control marks a passing negative check as vacuous when its positive control did
// not pass: a refusal proves nothing where nobody is let through.
func (j *judgement) control(spec evals.CheckSpec, check *evals.Check) {
	if spec.Control == "" || check.Status != evals.StatusPass {
		return
	}
	control, ok := j.done[spec.Control]
	if !ok || control.Status == evals.StatusPass {
		return
	}
	check.Vacuous = true
	check.Note += fmt.Sprintf("; vacuous: its control %s is %s, so the refusal proves nothing",
		spec.Control, control.Status)
}
