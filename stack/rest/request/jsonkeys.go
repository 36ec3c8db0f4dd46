package request

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// jsonPayload checks that body is JSON and finds its keys: those of the object, or those that all objects of the array share.
// Any other value writes nothing and counts as [] (recording mutations/bad_bodies).
func jsonPayload(body []byte) (Payload, *apierror.Error) {
	if !json.Valid(body) || !utf8.Valid(body) {
		return Payload{}, invalidBody("Empty or invalid json")
	}
	w := &jsonWalk{src: body}
	w.space()
	switch w.src[w.pos] {
	case '{':
		keys := keySet(w.object())
		return w.payload(keys), nil
	case '[':
		keys, ok := w.uniformKeys()
		if !ok {
			return Payload{}, invalidBody("All object keys must match")
		}
		return w.payload(keys), nil
	}
	return Payload{Kind: PayloadJSON, Raw: []byte("[]")}, nil
}

// jsonWalk finds keys in valid JSON without decoding its values, which go to the database as they are.
type jsonWalk struct {
	src  []byte
	pos  int
	keys [][]byte // of the last object, used again for the next

	odd    bool            // a value was met that json and jsonb treat differently
	nested map[string]bool // keys as written whose value was an array or an object
}

// payload is what was found.
func (w *jsonWalk) payload(keys []string) Payload {
	p := Payload{Kind: PayloadJSON, Raw: w.src, Keys: keys, Plain: !w.odd}
	if len(w.nested) > 0 {
		raw := make([][]byte, 0, len(w.nested))
		for key := range w.nested {
			raw = append(raw, []byte(key))
		}
		p.Nested = keySet(raw)
	}
	return p
}

// uniformKeys are the keys of the array at pos; ok is false when its elements are not objects with the same keys.
func (w *jsonWalk) uniformKeys() (keys []string, ok bool) {
	var first [][]byte
	for n := 0; ; n++ {
		w.pos++ // [ or ,
		w.space()
		switch w.src[w.pos] {
		case ']':
			return nil, true
		case '{':
		default:
			return nil, false
		}
		raw := w.object()
		switch {
		case n == 0:
			first, keys = slices.Clone(raw), keySet(raw)
		case !slices.EqualFunc(first, raw, bytes.Equal) && !slices.Equal(keys, keySet(raw)):
			return nil, false
		}
		w.space()
		if w.src[w.pos] == ']' {
			return keys, true
		}
	}
}

// object reads the object at pos and gives its keys as written, with their quotes, until the next call.
func (w *jsonWalk) object() [][]byte {
	w.keys = w.keys[:0]
	for {
		w.pos++ // { or ,
		w.space()
		if w.src[w.pos] == '}' {
			w.pos++
			return w.keys
		}
		start := w.pos
		w.text()
		end := w.pos
		w.keys = append(w.keys, w.src[start:end])
		w.space()
		w.pos++ // :
		w.noteNested(w.src[start:end])
		w.value()
		if w.src[w.pos] == '}' {
			w.pos++
			return w.keys
		}
	}
}

// noteNested remembers a key if the value that follows is an array or an object.
func (w *jsonWalk) noteNested(key []byte) {
	w.space()
	if c := w.src[w.pos]; c != '[' && c != '{' || w.nested[string(key)] {
		return
	}
	if w.nested == nil {
		w.nested = make(map[string]bool)
	}
	w.nested[string(key)] = true
}

// value skips a value and the blanks around it.
func (w *jsonWalk) value() {
	for depth := 0; ; {
		w.space()
		switch w.src[w.pos] {
		case '"':
			w.text()
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			w.number()
		case '{', '[':
			depth++
			w.pos++
		case '}', ']':
			depth--
			w.pos++
		default:
			w.pos++
		}
		w.space()
		if c := w.src[w.pos]; depth == 0 && (c == ',' || c == '}' || c == ']') {
			return
		}
	}
}

// text skips a string. jsonb knows no character 0 and no halves of characters, which json may carry along.
func (w *jsonWalk) text() {
	for w.pos++; w.src[w.pos] != '"'; w.pos++ {
		if w.src[w.pos] == '\\' {
			w.pos++
			w.odd = w.odd || w.src[w.pos] == 'u'
		}
	}
	w.pos++
}

// number skips a number. jsonb writes those with an exponent without it, knows no negative zero, and has a largest one.
func (w *jsonWalk) number() {
	const long = 100
	start, zero := w.pos, true
	for ; w.pos < len(w.src); w.pos++ {
		switch c := w.src[w.pos]; {
		case c >= '1' && c <= '9':
			zero = false
		case c == '0' || c == '.' || c == '-':
		case c == 'e' || c == 'E' || c == '+':
			w.odd = true
		default:
			w.odd = w.odd || zero && w.src[start] == '-' || w.pos-start > long
			return
		}
	}
}

// space skips what JSON allows between tokens.
func (w *jsonWalk) space() {
	for w.pos < len(w.src) {
		switch w.src[w.pos] {
		case ' ', '\t', '\n', '\r':
			w.pos++
		default:
			return
		}
	}
}

// keySet decodes, sorts and deduplicates keys.
func keySet(raw [][]byte) []string {
	set := make(map[string]struct{}, len(raw))
	for _, k := range raw {
		var text string
		if json.Unmarshal(k, &text) == nil {
			set[text] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
