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
		return Payload{Kind: PayloadJSON, Raw: body, Keys: keys}, nil
	case '[':
		keys, ok := w.uniformKeys()
		if !ok {
			return Payload{}, invalidBody("All object keys must match")
		}
		return Payload{Kind: PayloadJSON, Raw: body, Keys: keys}, nil
	}
	return Payload{Kind: PayloadJSON, Raw: []byte("[]")}, nil
}

// jsonWalk finds keys in valid JSON without decoding its values, which go to the database as they are.
type jsonWalk struct {
	src  []byte
	pos  int
	keys [][]byte // of the last object, used again for the next
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
		w.keys = append(w.keys, w.src[start:w.pos])
		w.space()
		w.pos++ // :
		w.value()
		if w.src[w.pos] == '}' {
			w.pos++
			return w.keys
		}
	}
}

// value skips a value and the blanks around it.
func (w *jsonWalk) value() {
	for depth := 0; ; {
		w.space()
		switch w.src[w.pos] {
		case '"':
			w.text()
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

// text skips a string.
func (w *jsonWalk) text() {
	for w.pos++; w.src[w.pos] != '"'; w.pos++ {
		if w.src[w.pos] == '\\' {
			w.pos++
		}
	}
	w.pos++
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
