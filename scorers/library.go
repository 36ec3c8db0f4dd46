package scorers

import (
	"fmt"
	"slices"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// scorer is a check kind with its parameters: one check of an eval.
type scorer interface {
	// plan adds what the check wants to know to the plan of a run.
	plan(plan *probes.Plan)
	// judge says what the observations mean. It must not modify them.
	judge(seen *probes.Observations) verdict
}

// verdict is what a scorer says about its check.
type verdict struct {
	status evals.Status
	// class overrides the declared class when it is not empty.
	class evals.Class
	note  string
	// advice is worth saying although it changes nothing.
	advice []string
	// vacuous marks a pass that proves nothing whatever its control says.
	vacuous bool
}

// kind is one entry of the library.
type kind struct {
	name string
	// doc says in a line what a check of the kind states.
	doc string
	// negative kinds state that something is impossible; only they have a control.
	negative bool
	// decode reads the parameters of a check. The error is an *evals.ParamError
	// when one of them is wrong.
	decode func(eval *evals.Eval, spec evals.CheckSpec) (scorer, error)
}

// kinds is the table of all check kinds.
func kinds() []kind {
	list := []kind{
		{
			name: "stack-ready", doc: "the stack came up from the workspace and answers",
			decode: decodeStackReady,
		},
		{
			name: "auth-hook-enabled", doc: "Auth was started with a hook switched on",
			decode: decodeHookEnabled,
		},
		{
			name: "token-carries-value", doc: "a value is in the access tokens of some people and not of others",
			decode: decodeTokenCarries,
		},
		{
			name: "docs-page-read", doc: "the transcript shows that a documentation page was read",
			decode: decodeDocsRead,
		},
	}
	for _, verb := range verbs() {
		list = append(list,
			kind{
				name: fmt.Sprintf("can-%s-row", verb), doc: fmt.Sprintf("a person can %s a row", verb),
				decode: rowDecoder(verb, true),
			},
			kind{
				name: fmt.Sprintf("cannot-%s-row", verb), doc: fmt.Sprintf("a person cannot %s a row", verb),
				negative: true, decode: rowDecoder(verb, false),
			})
	}
	return list
}

// KindDoc is one line of the library's documentation.
type KindDoc struct {
	// Name is what a check's "uses" says; Doc says what such a check states.
	Name, Doc string
}

// Library is the library of check kinds as a loader of evals sees it. The zero
// value is ready for use.
type Library struct{}

var _ evals.Kinds = Library{}

// Names lists the kinds, sorted.
func (Library) Names() []string {
	var names []string
	for _, kind := range kinds() {
		names = append(names, kind.name)
	}
	slices.Sort(names)
	return names
}

// Docs documents the kinds, in the library's order.
func (Library) Docs() []KindDoc {
	var docs []KindDoc
	for _, kind := range kinds() {
		docs = append(docs, KindDoc{Name: kind.name, Doc: kind.doc})
	}
	return docs
}

// Validate reports what is wrong with a check's parameters, as an
// *evals.ParamError where that can be said of one of them.
func (Library) Validate(eval *evals.Eval, spec evals.CheckSpec) error {
	kind, err := find(spec)
	if err != nil {
		return err
	}
	if spec.Control != "" && !kind.negative {
		return &evals.ParamError{
			Problem: fmt.Sprintf("a check of kind %s has no use for a control", kind.name),
			Remedy:  "controls belong to the kinds that state an impossibility",
		}
	}
	_, err = kind.decode(eval, spec)
	return err
}

// find returns the kind of a check.
func find(spec evals.CheckSpec) (kind, error) {
	for _, kind := range kinds() {
		if kind.name == spec.Uses {
			return kind, nil
		}
	}
	return kind{}, fmt.Errorf("check %s: unknown check kind %q", spec.ID, spec.Uses)
}

// decode returns the scorer of a check.
func decode(eval *evals.Eval, spec evals.CheckSpec) (scorer, error) {
	kind, err := find(spec)
	if err != nil {
		return nil, err
	}
	decoded, err := kind.decode(eval, spec)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", spec.ID, err)
	}
	return decoded, nil
}
