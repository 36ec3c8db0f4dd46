package scorers

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/internal/strictyaml"
)

// decodeParams decodes a check's parameters into the struct that out points to.
// Parameters that the struct's json tags do not name are errors.
func decodeParams(spec evals.CheckSpec, out any) error {
	known := paramNames(reflect.TypeOf(out).Elem())
	for name := range spec.With {
		if slices.Contains(known, name) {
			continue
		}
		remedy := fmt.Sprintf("%s takes no parameters", spec.Uses)
		if near, ok := strictyaml.Nearest(name, known); ok {
			remedy = fmt.Sprintf("did you mean %q?", near)
		} else if len(known) > 0 {
			remedy = fmt.Sprintf("%s takes: %s", spec.Uses, strings.Join(known, ", "))
		}
		return &evals.ParamError{Param: name, Problem: "unknown parameter", Remedy: remedy}
	}
	data, err := json.Marshal(spec.With)
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return &evals.ParamError{
				Param:   wrong.Field,
				Problem: fmt.Sprintf("is a %s, should be a %s", wrong.Value, typeWord(wrong.Type)),
			}
		}
		return fmt.Errorf("parameters: %w", err)
	}
	return nil
}

func paramNames(typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// typeWord names a Go type as somebody who writes YAML would.
func typeWord(typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Slice:
		return "list"
	case reflect.Map, reflect.Struct:
		return "mapping"
	case reflect.String:
		return "text"
	default:
		return typ.String()
	}
}

// missing is the error for a parameter that has to be given.
func missing(param, remedy string) error {
	return &evals.ParamError{Param: param, Problem: "is missing", Remedy: remedy}
}

// checkPeople reports the first id that is not among an eval's people.
func checkPeople(eval *evals.Eval, param string, ids ...string) error {
	for _, id := range ids {
		if err := eval.CheckPerson(id); err != nil {
			err.Param = param
			return err
		}
	}
	return nil
}
