package rls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/supascore/supascore/probes"
)

// tableOf reads rows that came as JSON: an array of objects, one object, or one bare
// value, which is a row with one column. names are the columns in the wanted order;
// nil takes the order of the first object.
func tableOf(body []byte, names []string) (*probes.RLSTable, error) {
	table := &probes.RLSTable{}
	items := []json.RawMessage{body}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(body, &items); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		table.Columns = append(table.Columns, probes.RLSColumn{Name: name})
	}
	for _, item := range items {
		keys, values, err := orderedObject(item)
		if errors.Is(err, errNoObject) {
			var value any
			if value, err = decode(item); err != nil {
				return nil, err
			}
			keys, values = []string{""}, []any{value}
		}
		if err != nil {
			return nil, err
		}
		if names != nil {
			if values, err = pick(keys, values, names); err != nil {
				return nil, err
			}
		} else if table.Columns == nil {
			for _, key := range keys {
				table.Columns = append(table.Columns, probes.RLSColumn{Name: key})
			}
		}
		table.Rows = append(table.Rows, values)
	}
	return table, nil
}

// pick brings an object's values into the order of names.
func pick(keys []string, values []any, names []string) ([]any, error) {
	row := make([]any, len(names))
	for i, name := range names {
		found := false
		for j, key := range keys {
			if key == name {
				row[i], found = values[j], true
			}
		}
		if !found {
			return nil, fmt.Errorf("a row has no column %q", name)
		}
	}
	return row, nil
}

var errNoObject = errors.New("not a JSON object")

// orderedObject reads a JSON object and keeps the order of its members, and members of
// one name.
func orderedObject(raw []byte) (keys []string, values []any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	open, err := dec.Token()
	if err != nil {
		return nil, nil, err
	}
	if open != json.Delim('{') {
		return nil, nil, errNoObject
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		name, _ := key.(string) // a member's name always is one
		keys, values = append(keys, name), append(values, value)
	}
	_, err = dec.Token()
	return keys, values, err
}

// decode reads a JSON value, numbers with all their digits.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	err := dec.Decode(&value)
	return value, err
}
