package docs

import "encoding/json"

// text is the member's text, empty when it is missing or something else.
func (e event) text(key string) string {
	text, _ := e[key].(string)
	return text
}

// object is the member's object, nil when it is missing or something else.
func (e event) object(key string) event { return asObject(e[key]) }

// list is the member's list, nil when it is missing or something else.
func (e event) list(key string) []any {
	list, _ := e[key].([]any)
	return list
}

func asObject(value any) event {
	object, _ := value.(map[string]any)
	return object
}

// arguments are a tool's arguments: an object, or the text of one, which is how
// some versions write them.
func arguments(value any) event {
	text, ok := value.(string)
	if !ok {
		return asObject(value)
	}
	var object event
	if json.Unmarshal([]byte(text), &object) != nil {
		return nil
	}
	return object
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// number is the member's number.
func (e event) number(key string) (float64, bool) {
	number, ok := e[key].(float64)
	return number, ok
}
