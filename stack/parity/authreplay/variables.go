package authreplay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
)

// reference is a use of a variable, or of the code of a TOTP secret in one.
var reference = regexp.MustCompile(`\{\{(totp:)?([A-Za-z0-9_]+)\}\}`)

// variables holds what steps captured. Values are JSON: string, json.Number,
// bool, nil, map[string]any or []any.
type variables map[string]any

// texts gives the variables that hold a non-empty string, by name.
func (v variables) texts() map[string]string {
	texts := make(map[string]string, len(v))
	for name, value := range v {
		if text, ok := value.(string); ok && text != "" {
			texts[name] = text
		}
	}
	return texts
}

// expand replaces references in a text. An unknown name is an error.
func (v variables) expand(text string) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		value, err := v.resolve(ref)
		if err != nil {
			failed = err
			return ref
		}
		if s, ok := value.(string); ok {
			return s
		}
		return fmt.Sprint(value)
	})
	return out, failed
}

// resolve finds what a reference stands for. Codes are made of the real time,
// which is the server's too.
func (v variables) resolve(ref string) (any, error) {
	parts := reference.FindStringSubmatch(ref)
	value, ok := v[parts[2]]
	if !ok {
		return nil, fmt.Errorf("variable %q is not set", parts[2])
	}
	if parts[1] == "" {
		return value, nil
	}
	code, err := totp.GenerateCode(fmt.Sprint(value), time.Now())
	if err != nil {
		return nil, fmt.Errorf("totp code of variable %q: %w", parts[2], err)
	}
	return code, nil
}

// expandAll expands the values of a map.
func (v variables) expandAll(in map[string]string) (map[string]string, error) {
	out := maps.Clone(in)
	for key, text := range in {
		expanded, err := v.expand(text)
		if err != nil {
			return nil, err
		}
		out[key] = expanded
	}
	return out, nil
}

// expandJSON expands references in a JSON document's strings. A string that is
// nothing but a reference takes the variable's value with its type.
func (v variables) expandJSON(document json.RawMessage) ([]byte, error) {
	value, err := parseJSON(document)
	if err != nil {
		return nil, err
	}
	if value, err = v.expandValue(value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// expandValue expands a parsed document in place.
func (v variables) expandValue(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case string:
		if reference.FindString(value) == value && value != "" {
			return v.resolve(value)
		}
		return v.expand(value)
	case map[string]any:
		for key, member := range value {
			if value[key], err = v.expandValue(member); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, member := range value {
			if value[i], err = v.expandValue(member); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// parseJSON reads one JSON value and keeps numbers as they are written.
func parseJSON(document []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	if rest := strings.TrimSpace(string(document[dec.InputOffset():])); rest != "" {
		return nil, fmt.Errorf("parse JSON: text after the value: %.40q", rest)
	}
	return value, nil
}

// lookUp walks a dotted path through objects and arrays.
func lookUp(value any, path string) (any, bool) {
	for part := range strings.SplitSeq(path, ".") {
		switch node := value.(type) {
		case map[string]any:
			member, ok := node[part]
			if !ok {
				return nil, false
			}
			value = member
		case []any:
			var i int
			if _, err := fmt.Sscanf(part, "%d", &i); err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			value = node[i]
		default:
			return nil, false
		}
	}
	return value, true
}
