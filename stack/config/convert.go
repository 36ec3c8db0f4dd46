package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"
)

// convert types one raw TOML value with the CLI's weak rules (mapstructure with WeaklyTypedInput): a string may stand for a
// bool, number, duration, size or list; a number for a bool or a string; one value for a list of one. The error says what was
// expected and what is there; it never quotes a secret.
func convert(raw any, f field) (reflect.Value, error) {
	typ := f.typ
	if typ.Kind() == reflect.Pointer {
		inner, err := convert(raw, field{typ: typ.Elem(), enum: f.enum})
		if err != nil {
			return reflect.Value{}, err
		}
		p := reflect.New(typ.Elem())
		p.Elem().Set(inner)
		return p, nil
	}
	out := reflect.New(typ).Elem()
	var err error
	switch typ {
	case reflect.TypeFor[time.Duration]():
		err = setDuration(out, raw)
	case reflect.TypeFor[Size]():
		err = setSize(out, raw)
	case reflect.TypeFor[Secret]():
		err = setSecret(out, raw)
	case reflect.TypeFor[[]string](), reflect.TypeFor[Globs]():
		err = setList(out, raw)
	default:
		err = setScalar(out, raw, f.enum)
	}
	return out, err
}

// setScalar types a plain value by its kind.
func setScalar(out reflect.Value, raw any, enum []string) error {
	switch out.Kind() {
	case reflect.Bool:
		return setBool(out, raw)
	case reflect.Uint, reflect.Uint16:
		return setUint(out, raw)
	default:
		return setString(out, raw, enum)
	}
}

// setBool takes what strconv.ParseBool takes, and the empty string for false.
func setBool(out reflect.Value, raw any) error {
	switch v := raw.(type) {
	case bool:
		out.SetBool(v)
	case int64:
		out.SetBool(v != 0)
	case float64:
		out.SetBool(v != 0)
	case string:
		b, err := strconv.ParseBool(v)
		if err != nil && v != "" {
			return fmt.Errorf("must be true or false, but is %s", describe(raw))
		}
		out.SetBool(b)
	default:
		return fmt.Errorf("must be true or false, but is %s", describe(raw))
	}
	return nil
}

// setUint refuses what does not fit. The CLI wraps around instead, so that port 70000 means 4464.
func setUint(out reflect.Value, raw any) error {
	limit := uint64(math.MaxUint64) >> (64 - out.Type().Bits())
	n, ok := wholeNumber(raw)
	if !ok || n > limit {
		return fmt.Errorf("must be a whole number from 0 to %d, but is %s", limit, describe(raw))
	}
	out.SetUint(n)
	return nil
}

// wholeNumber reads a number that is not negative, in any notation that Go has for it; the empty string is 0.
func wholeNumber(raw any) (uint64, bool) {
	switch v := raw.(type) {
	case int64:
		return uint64(v), v >= 0
	case float64:
		// The CLI cuts the fraction off. The bound is what float64 holds exactly.
		return uint64(max(v, 0)), v >= 0 && v <= 1<<53
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		if v == "" {
			return 0, true
		}
		n, err := strconv.ParseUint(v, 0, 64)
		return n, err == nil
	}
	return 0, false
}

// setString takes any plain value. The CLI checks a list of allowed values for strings only, and so lets a number through that is
// not on it; here every value must be.
func setString(out reflect.Value, raw any, enum []string) error {
	s, ok := text(raw)
	if !ok {
		return fmt.Errorf("must be a string, but is %s", describe(raw))
	}
	if enum != nil && !slices.Contains(enum, s) {
		return fmt.Errorf("must be one of %s, but is %q", quoted(enum), s)
	}
	out.SetString(s)
	return nil
}

// text writes a plain value as a string; a bool becomes "1" or "0".
func text(raw any) (string, bool) {
	switch v := raw.(type) {
	case string:
		return v, true
	case bool:
		if v {
			return "1", true
		}
		return "0", true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// setSecret takes strings only, as the CLI does, and refuses dotenvx-encrypted ones: without the private key the CLI does too.
func setSecret(out reflect.Value, raw any) error {
	s, ok := raw.(string)
	if !ok {
		return fmt.Errorf("must be a string, but is %s", kindName(raw))
	}
	if strings.HasPrefix(s, "encrypted:") {
		return fmt.Errorf("is encrypted with dotenvx, which is not supported here; use env(NAME) with the plain value")
	}
	out.SetString(s)
	return nil
}

// setDuration takes Go's notation, or a number of nanoseconds.
func setDuration(out reflect.Value, raw any) error {
	if s, ok := raw.(string); ok {
		d, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf(`must be a duration such as "10s", "5m" or "1h30m", but is %s`, describe(raw))
		}
		out.SetInt(int64(d))
		return nil
	}
	n, ok := raw.(int64)
	if !ok {
		return fmt.Errorf(`must be a duration such as "10s", "5m" or "1h30m", but is %s`, describe(raw))
	}
	out.SetInt(n)
	return nil
}

// setSize takes a number of bytes, or one with a unit.
func setSize(out reflect.Value, raw any) error {
	switch v := raw.(type) {
	case int64:
		out.SetInt(v)
		return nil
	case string:
		if n, err := units.RAMInBytes(v); err == nil {
			out.SetInt(n)
			return nil
		}
	}
	return fmt.Errorf(`must be a size such as "50MiB" or "500kB", but is %s`, describe(raw))
}

// setList takes a list, or one value for a list of one. A string is a list with commas, not trimmed, except for patterns.
func setList(out reflect.Value, raw any) error {
	items := []any{raw}
	switch v := raw.(type) {
	case []any:
		items = v
	case string:
		switch {
		case v == "":
			items = nil
		case out.Type() != reflect.TypeFor[Globs]():
			items = nil
			for part := range strings.SplitSeq(v, ",") {
				items = append(items, part)
			}
		}
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		s, ok := text(item)
		if !ok {
			return fmt.Errorf("must be a list of strings, but item %d is %s", i+1, kindName(item))
		}
		list = append(list, s)
	}
	out.Set(reflect.ValueOf(list).Convert(out.Type()))
	return nil
}

// describe names a value with its kind, shortened.
func describe(raw any) string {
	switch v := raw.(type) {
	case string:
		if len(v) > 60 {
			v = v[:60] + "…"
		}
		return fmt.Sprintf("the string %q", v)
	case bool, int64, float64:
		return fmt.Sprintf("%v", v)
	}
	return kindName(raw)
}

// kindName names the kind alone, for values that must not be shown.
func kindName(raw any) string {
	switch raw.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// quoted lists the values of an enum.
func quoted(list []string) string {
	parts := make([]string, len(list))
	for i, item := range list {
		parts[i] = strconv.Quote(item)
	}
	return strings.Join(parts, ", ")
}
