package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/internal/strictyaml"
)

// decodeRow decodes one line strictly: unknown, doubled and missing fields are errors
// with a column, which counts bytes from 1.
func decodeRow(name string, number int, line []byte, out *row) error {
	at := func(offset int64, problem, remedy string) error {
		return &FileError{File: name, Line: number, Column: int(offset) + 1, Problem: problem, Remedy: remedy}
	}
	if !utf8.Valid(line) {
		return at(0, "the line is not UTF-8", "")
	}
	targets, names := rowTargets(out)
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return at(0, "the line is no JSON object", "a dataset has one object a line")
	}
	seen := map[string]bool{}
	var errs []error
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return at(decoder.InputOffset(), jsonProblem(err), "")
		}
		field, _ := key.(string)
		start := decoder.InputOffset() - int64(len(field)) - 2
		target, known := targets[field]
		switch {
		case !known:
			errs = append(errs, at(start, fmt.Sprintf("unknown field %q", field), strictyaml.DidYouMean(field, names)))
			target = new(json.RawMessage)
		case seen[field]:
			errs = append(errs, at(start, fmt.Sprintf("field %q is there twice", field), ""))
		}
		seen[field] = true
		if err := decoder.Decode(target); err != nil {
			var mistyped *json.UnmarshalTypeError
			var syntax *json.SyntaxError
			switch {
			case errors.As(err, &mistyped):
				errs = append(errs, at(start, fmt.Sprintf("field %q holds a %s where it must not", field, mistyped.Value), ""))
			case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
				return at(decoder.InputOffset(), jsonProblem(err), "")
			default: // an unknown field inside of the value
				errs = append(errs, at(start, fmt.Sprintf("field %q: %s", field, strings.TrimPrefix(err.Error(), "json: ")), ""))
			}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return at(decoder.InputOffset(), jsonProblem(err), "")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return at(decoder.InputOffset(), "there is more after the object", "a dataset has one object a line")
	}
	for _, field := range []string{"id", "title", "tier", "requirement", "schema_sql", "tests_yaml", "solution_sql"} {
		if !seen[field] {
			errs = append(errs, at(0, fmt.Sprintf("there is no field %q", field), ""))
		}
	}
	return errors.Join(errs...)
}

// rowTargets maps a row's fields by their JSON names, and lists the names.
func rowTargets(out *row) (map[string]any, []string) {
	targets := map[string]any{}
	var names []string
	value := reflect.ValueOf(out).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		targets[name] = value.Field(i).Addr().Interface()
		names = append(names, name)
	}
	return targets, names
}

// jsonProblem says what is wrong with a line in words of its own where the JSON
// library's are about readers.
func jsonProblem(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the line ends in the middle of the object"
	}
	return err.Error()
}
