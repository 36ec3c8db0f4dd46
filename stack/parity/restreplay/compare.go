package restreplay

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/parity"
)

// comparison collects the differences of one answer.
type comparison struct{ found []parity.Difference }

// add notes a difference.
func (c *comparison) add(path, want, got string) {
	c.found = append(c.found, parity.Difference{Path: path, Want: want, Got: got})
}

// compare judges an answer by the rules of the recordings: status exact; a reason phrase where one is recorded; headers by
// compareHeaders; bodies of errors by their keys; other JSON as JSON, with the order of keys and the spelling of numbers; other
// text exactly.
func compare(s Step, got answer) []parity.Difference {
	c := &comparison{}
	want := s.Response
	if want.Status != got.status {
		c.add("status", strconv.Itoa(want.Status), strconv.Itoa(got.status)+" "+string(got.body))
	}
	if want.Reason != "" && want.Reason != got.reason {
		c.add("reason", want.Reason, got.reason)
	}
	c.headers(want.Headers, got.header)
	c.body(s, got)
	return c.found
}

// alwaysRecorded says whether recordings have a header whenever the server sent it, so that its absence means something.
func alwaysRecorded(name string) bool {
	switch name {
	case "content-type", "content-range", "range-unit", "location", "content-location", "content-profile",
		"preference-applied", "allow", "www-authenticate", "proxy-status":
		return true
	}
	return strings.HasPrefix(name, "access-control-")
}

// headers compares what is recorded, and looks for what is not recorded and should be when it is sent.
func (c *comparison) headers(want map[string]Values, got http.Header) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if values := got.Values(name); !slices.Equal(want[name], values) {
			c.add("header "+name, strings.Join(want[name], " | "), orAbsent(strings.Join(values, " | ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		lower := strings.ToLower(name)
		if _, recorded := want[lower]; !recorded && alwaysRecorded(lower) {
			c.add("header "+lower, parity.Absent, strings.Join(got[name], " | "))
		}
	}
}

// orAbsent stands in for the value of a header that is not there.
func orAbsent(text string) string {
	if text == "" {
		return parity.Absent
	}
	return text
}

// body chooses the comparison by what was recorded.
func (c *comparison) body(s Step, got answer) {
	want := s.Response
	switch {
	case want.BodyKeys != nil:
		c.rootDocument(want, got.body)
	case want.BodyBase64 != nil:
		if text := base64.StdEncoding.EncodeToString(got.body); text != *want.BodyBase64 {
			c.add("body (base64)", *want.BodyBase64, text)
		}
	case !isJSON(want.Headers["content-type"]):
		c.text(want.Body, got.body)
	default:
		c.json(s, got.body)
	}
}

// isJSON says whether the recorded body was parsed.
func isJSON(contentType Values) bool {
	if len(contentType) == 0 {
		return false
	}
	media, _, _ := strings.Cut(contentType[0], ";")
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// text compares bodies that are no JSON.
func (c *comparison) text(want json.RawMessage, got []byte) {
	var text string
	if err := json.Unmarshal(want, &text); err != nil {
		c.add("body", string(want), string(got))
		return
	}
	if text != string(got) {
		c.add("body", strconv.Quote(text), strconv.Quote(string(got)))
	}
}

// json compares JSON bodies. Recordings write "" both for no body and for an empty JSON string.
func (c *comparison) json(s Step, got []byte) {
	if len(got) == 0 && string(s.Response.Body) == `""` {
		return
	}
	want, err := parseJSON(s.Response.Body)
	if err != nil {
		c.add("body", err.Error(), string(got))
		return
	}
	value, err := parseJSON(got)
	if err != nil {
		c.text(s.Response.Body, got) // a server may send text under a JSON content type
		return
	}
	if o, ok := want.(object); ok && isError(o) {
		c.errorBody(o, value, s.CompareHint)
		return
	}
	c.value("body", want, value)
}

// isError says whether an object is the body of an error.
func isError(o object) bool {
	keys := o.keys()
	slices.Sort(keys)
	return slices.Equal(keys, []string{"code", "details", "hint", "message"})
}

// errorBody compares the keys of an error in any order. Hints count only where the recording says so.
func (c *comparison) errorBody(want object, got any, withHint bool) {
	o, ok := got.(object)
	if !ok || !isError(o) {
		c.add("body", render(want), render(got))
		return
	}
	for _, key := range []string{"code", "message", "details", "hint"} {
		if key == "hint" && !withHint {
			continue
		}
		w, _ := want.get(key)
		g, _ := o.get(key)
		c.value("body."+key, w, g)
	}
}

// value compares parsed JSON and reports the deepest place that differs.
func (c *comparison) value(path string, want, got any) {
	switch want := want.(type) {
	case object:
		if o, ok := got.(object); ok && slices.Equal(want.keys(), o.keys()) {
			for i, m := range want {
				c.value(path+"."+m.key, m.value, o[i].value)
			}
			return
		}
	case []any:
		if list, ok := got.([]any); ok && len(list) == len(want) {
			for i := range want {
				c.value(fmt.Sprintf("%s.%d", path, i), want[i], list[i])
			}
			return
		}
	default: // string, json.Number, bool, nil
		if want == got {
			return
		}
	}
	c.add(path, render(want), render(got))
}

// rootDocument compares the keys of the OpenAPI document and of its paths.
func (c *comparison) rootDocument(want Response, got []byte) {
	value, err := parseJSON(got)
	o, ok := value.(object)
	if err != nil || !ok {
		c.add("body", "an object", string(got))
		return
	}
	c.keys("keys of the body", want.BodyKeys, o)
	paths, _ := o.get("paths")
	list, ok := paths.(object)
	if !ok {
		c.add("body.paths", "an object", render(paths))
		return
	}
	c.keys("keys of body.paths", want.PathKeys, list)
}

// keys compares two sets of keys.
func (c *comparison) keys(what string, want []string, got object) {
	keys, sorted := got.keys(), slices.Clone(want)
	slices.Sort(keys)
	slices.Sort(sorted)
	if !slices.Equal(keys, sorted) {
		c.add(what, strings.Join(sorted, " "), strings.Join(keys, " "))
	}
}

// render writes a parsed value as JSON again, for people.
func render(v any) string {
	switch v := v.(type) {
	case object:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = render(m.key) + ":" + render(m.value)
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = render(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
