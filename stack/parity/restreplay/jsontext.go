package restreplay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object is a JSON object with its members in the order of the text, repeated keys included. Servers write objects in an order
// that means something (that of select=), and programs see it.
type object []member

// member is a key with its value.
type member struct {
	key   string
	value any
}

// get is the value of the last member with a key.
func (o object) get(key string) (any, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].key == key {
			return o[i].value, true
		}
	}
	return nil, false
}

// keys are the keys in the order of the text.
func (o object) keys() []string {
	keys := make([]string, len(o))
	for i, m := range o {
		keys[i] = m.key
	}
	return keys
}

// parseJSON reads one document into object, []any, string, json.Number, bool and nil.
func parseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := parseValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON document")
	}
	return v, nil
}

// parseValue reads the value that begins at the decoder's place.
func parseValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return parseObject(dec)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}

// parseObject reads the rest of an object, after its brace.
func parseObject(dec *json.Decoder) (any, error) {
	o := object{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseValue(dec)
		if err != nil {
			return nil, err
		}
		o = append(o, member{fmt.Sprint(key), v})
	}
	_, err := dec.Token()
	return o, err
}
