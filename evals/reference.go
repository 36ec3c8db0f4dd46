package evals

import (
	"regexp"

	"github.com/supascore/supascore/internal/strictyaml"
)

// referencePattern is what a value has to look like as a whole to stand for a
// person's value. A text that merely contains it is taken literally.
var referencePattern = regexp.MustCompile(`^\$\{([a-z][a-z0-9-]*)\.([a-z]+)\}$`)

// Reference is a value that is known only once people have signed up.
type Reference struct {
	// Person is the person's id.
	Person string
	// Field is "id" (the user's id) or "email".
	Field string
}

// ParseReference reads "${person.field}". It reports false for every value that is
// not a text of exactly that form.
func ParseReference(value any) (Reference, bool) {
	text, ok := value.(string)
	if !ok {
		return Reference{}, false
	}
	match := referencePattern.FindStringSubmatch(text)
	if match == nil {
		return Reference{}, false
	}
	return Reference{Person: match[1], Field: match[2]}, true
}

// CheckRow reports what is wrong with a row of an eval: a reference to somebody
// who is not among the people, or to a field that people do not have. The
// *ParamError's Param is the column.
func (e *Eval) CheckRow(row map[string]any) error {
	for column, value := range row {
		reference, ok := ParseReference(value)
		if !ok {
			continue
		}
		if err := e.CheckPerson(reference.Person); err != nil {
			err.Param = column
			return err
		}
		if reference.Field != "id" && reference.Field != "email" {
			return &ParamError{
				Param: column, Problem: "people have no field " + reference.Field,
				Remedy: `use "id" or "email"`,
			}
		}
	}
	return nil
}

// CheckPerson reports an id that is not among the people, or nil.
func (e *Eval) CheckPerson(id string) *ParamError {
	if _, ok := e.Person(id); ok {
		return nil
	}
	var known []string
	for _, person := range e.People {
		known = append(known, person.ID)
	}
	return &ParamError{Problem: "there is no person " + quote(id), Remedy: strictyaml.DidYouMean(id, known)}
}
