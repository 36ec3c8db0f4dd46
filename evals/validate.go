package evals

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// idPattern is what ids of people and checks look like. People's ids end up in
// e-mail addresses, check ids in file and test names.
var idPattern = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// tablePattern is "schema.table" without quotes: evals name tables of their own
// workspaces, which need none.
var tablePattern = regexp.MustCompile(`^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$`)

func quote(text string) string { return strconv.Quote(text) }

// ValidTable reports whether a table is written as "schema.table".
func ValidTable(table string) bool { return tablePattern.MatchString(table) }

// validator collects what is wrong with an eval.
type validator struct {
	eval  *Eval
	doc   *document
	kinds Kinds
	errs  []error
}

// validate reports everything that is wrong with a decoded eval.
func validate(eval *Eval, doc *document, kinds Kinds) error {
	v := &validator{eval: eval, doc: doc, kinds: kinds}
	if strings.TrimSpace(eval.Title) == "" {
		v.fail("title is missing", "say in a line what is evaluated", "title")
	}
	v.people()
	for i, step := range eval.Arrange {
		v.step(i, step)
	}
	v.checks()
	return errors.Join(v.errs...)
}

func (v *validator) fail(problem, remedy string, path ...any) {
	v.errs = append(v.errs, v.doc.find(problem, remedy, path...))
}

// failParam reports a ParamError under a path.
func (v *validator) failParam(err *ParamError, path ...any) {
	problem := err.Problem
	if err.Param != "" {
		// A dotted parameter points into a block: "row.author_id".
		for _, key := range strings.Split(err.Param, ".") {
			path = append(path, key)
		}
		problem = err.Error()
	}
	v.fail(problem, err.Remedy, path...)
}

func (v *validator) people() {
	seen := map[string]bool{}
	for i, person := range v.eval.People {
		switch {
		case !idPattern.MatchString(person.ID):
			v.fail(fmt.Sprintf("person id %q is not in kebab-case", person.ID),
				"use lower-case letters, digits and single hyphens", "people", i, "id")
		case seen[person.ID]:
			v.fail(fmt.Sprintf("person %q is declared twice", person.ID), "", "people", i, "id")
		}
		seen[person.ID] = true
	}
}

func (v *validator) step(i int, step Step) {
	set := 0
	for _, present := range []bool{step.SignUp != nil, step.SignIn != nil, step.Insert != nil} {
		if present {
			set++
		}
	}
	if set != 1 {
		v.fail("a step does exactly one thing", `give it one of "sign-up", "sign-in", "insert"`, "arrange", i)
		return
	}
	for j, id := range step.SignUp {
		v.person(id, "arrange", i, "sign-up", j)
	}
	for j, id := range step.SignIn {
		v.person(id, "arrange", i, "sign-in", j)
	}
	if step.Insert == nil {
		return
	}
	if !ValidTable(step.Insert.Table) {
		v.fail(fmt.Sprintf("table %q is not written as schema.table", step.Insert.Table),
			`for example "public.posts"`, "arrange", i, "insert", "table")
	}
	if step.Insert.For != "" {
		v.person(step.Insert.For, "arrange", i, "insert", "for")
	}
	if len(step.Insert.Row) == 0 {
		v.fail("the row is empty", "name at least one column", "arrange", i, "insert", "row")
	}
	var param *ParamError
	if errors.As(v.eval.CheckRow(step.Insert.Row), &param) {
		v.failParam(param, "arrange", i, "insert", "row")
	}
}

func (v *validator) person(id string, path ...any) {
	if err := v.eval.CheckPerson(id); err != nil {
		v.failParam(err, path...)
	}
}

func (v *validator) checks() {
	if len(v.eval.Checks) == 0 {
		v.fail("there are no checks", "an eval has at least one check", "checks")
	}
	ids := make([]string, 0, len(v.eval.Checks))
	for i, spec := range v.eval.Checks {
		switch {
		case !idPattern.MatchString(spec.ID):
			v.fail(fmt.Sprintf("check id %q is not in kebab-case", spec.ID),
				"use lower-case letters, digits and single hyphens", "checks", i, "id")
		case slices.Contains(ids, spec.ID):
			v.fail(fmt.Sprintf("check %q is declared twice", spec.ID), "", "checks", i, "id")
		}
		ids = append(ids, spec.ID)
	}
	for i, spec := range v.eval.Checks {
		v.check(i, spec, ids)
	}
	if cycle := needsCycle(v.eval.Checks); cycle != nil {
		v.fail("checks need each other in a circle: "+strings.Join(cycle, " → "), "", "checks",
			slices.Index(ids, cycle[0]), "needs")
	}
}

func (v *validator) check(i int, spec CheckSpec, ids []string) {
	if strings.TrimSpace(spec.Name) == "" {
		v.fail(fmt.Sprintf("check %q has no name", spec.ID), "state the predicate in words", "checks", i, "name")
	}
	if !spec.Class.Valid() {
		classes := make([]string, 0, len(Classes()))
		for _, class := range Classes() {
			classes = append(classes, string(class))
		}
		v.fail(fmt.Sprintf("unknown class %q", spec.Class), strictyaml.DidYouMean(string(spec.Class), classes), "checks", i, "class")
	}
	for j, need := range spec.Needs {
		if !slices.Contains(ids, need) {
			v.fail(fmt.Sprintf("needs %q, which is no check", need), strictyaml.DidYouMean(need, ids), "checks", i, "needs", j)
		}
	}
	switch {
	case spec.Control == "":
	case spec.Control == spec.ID:
		v.fail("a check cannot be its own control", "", "checks", i, "control")
	case !slices.Contains(ids, spec.Control):
		v.fail(fmt.Sprintf("control %q is no check", spec.Control), strictyaml.DidYouMean(spec.Control, ids), "checks", i, "control")
	}
	v.kind(i, spec)
}

// kind checks the check's kind and its parameters.
func (v *validator) kind(i int, spec CheckSpec) {
	names := v.kinds.Names()
	if !slices.Contains(names, spec.Uses) {
		v.fail(fmt.Sprintf("unknown check kind %q", spec.Uses), strictyaml.DidYouMean(spec.Uses, names), "checks", i, "uses")
		return
	}
	err := v.kinds.Validate(v.eval, spec)
	if err == nil {
		return
	}
	var param *ParamError
	if errors.As(err, &param) {
		v.failParam(param, "checks", i, "with")
		return
	}
	v.fail(err.Error(), "", "checks", i, "with")
}

// needsCycle returns the ids of a circle of needs, first id repeated at the end;
// nil when there is none.
func needsCycle(checks []CheckSpec) []string {
	needs := map[string][]string{}
	for _, spec := range checks {
		needs[spec.ID] = spec.Needs
	}
	done := map[string]bool{}
	var trail []string
	var visit func(id string) []string
	visit = func(id string) []string {
		if at := slices.Index(trail, id); at >= 0 {
			return append(slices.Clone(trail[at:]), id)
		}
		if done[id] {
			return nil
		}
		trail = append(trail, id)
		for _, need := range needs[id] {
			if cycle := visit(need); cycle != nil {
				return cycle
			}
		}
		trail = trail[:len(trail)-1]
		done[id] = true
		return nil
	}
	for _, spec := range checks {
		if cycle := visit(spec.ID); cycle != nil {
			return cycle
		}
	}
	return nil
}
