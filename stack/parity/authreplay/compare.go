package authreplay

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/parity"
)

// comparison collects the differences of one step.
type comparison struct {
	matcher
	found []parity.Difference
}

func (c *comparison) add(path, want, got string) {
	c.found = append(c.found, parity.Difference{Path: path, Want: want, Got: got})
}

// value compares recorded and observed JSON: the same members in objects,
// arrays of equal length and order, equal scalars, placeholders by their kind.
func (c *comparison) value(path string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		if members, ok := got.(map[string]any); ok {
			c.members(path, want, members)
			return
		}
	case []any:
		if elements, ok := got.([]any); ok && len(elements) == len(want) {
			for i := range want {
				c.value(fmt.Sprintf("%s.%d", path, i), want[i], elements[i])
			}
			return
		}
	case string:
		c.scalarText(path, want, got)
		return
	case json.Number:
		if number, ok := got.(json.Number); ok && sameNumber(want, number) {
			return
		}
	default: // bool, nil
		if want == got {
			return
		}
	}
	c.add(path, render(want), render(got))
}

// members compares objects: whether a member is there matters as much as what
// it is.
func (c *comparison) members(path string, want, got map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[name]; ok {
			c.value(path+"."+name, want[name], value)
		} else {
			c.add(path+"."+name, render(want[name]), parity.Absent)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			c.add(path+"."+name, parity.Absent, render(got[name]))
		}
	}
}

// scalarText compares a recorded string. Some placeholders stand for numbers, in
// the place of a string; a number in a text is a text.
func (c *comparison) scalarText(path, want string, got any) {
	reason := "is no text"
	if number, ok := got.(json.Number); ok && isNumberPlaceholder(want) {
		reason = c.text(want, number.String())
	}
	if text, ok := got.(string); ok && !isNumberPlaceholder(want) {
		reason = c.message(want, text)
	}
	if reason != "" {
		c.add(path, render(want), render(got)+" ("+reason+")")
	}
}

// schemaMessage is the beginning of the one message that is not compared letter
// by letter: violations follow it in no fixed order.
const schemaMessage = "output claims do not conform to the expected schema: "

// message compares texts, with the exception for violations of the schema.
func (c *comparison) message(want, got string) string {
	if strings.HasPrefix(want, schemaMessage) && strings.HasPrefix(got, schemaMessage) {
		want, got = sortLines(want), sortLines(got)
	}
	return c.text(want, got)
}

func sortLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sameNumber compares whole numbers digit by digit and others as float64,
// through which the real server passes what a hook returns.
func sameNumber(want, got json.Number) bool {
	if want == got {
		return true
	}
	w, okWant := new(big.Int).SetString(want.String(), 10)
	g, okGot := new(big.Int).SetString(got.String(), 10)
	if okWant && okGot {
		return w.Cmp(g) == 0
	}
	fw, errWant := strconv.ParseFloat(want.String(), 64)
	fg, errGot := strconv.ParseFloat(got.String(), 64)
	return errWant == nil && errGot == nil && fw == fg
}

// document compares a recorded JSON document with an observed body. No body and
// the document null are the same.
func (c *comparison) document(path string, want json.RawMessage, got []byte) {
	wantValue, err := parseJSON(want)
	if err != nil {
		c.add(path, string(want), "(recording: "+err.Error()+")")
		return
	}
	if len(got) == 0 {
		got = []byte("null")
	}
	gotValue, err := parseJSON(got)
	if err != nil {
		c.add(path, render(wantValue), fmt.Sprintf("(not JSON) %s", got))
		return
	}
	c.value(path, wantValue, gotValue)
}

// keptHeaders are the headers that recordings keep. The value tells whether the
// header must be absent where the recording lacks it.
func keptHeaders() map[string]bool {
	return map[string]bool{
		"content-type": false, "www-authenticate": false,
		"x-sb-error-code": true, "x-supabase-api-version": true,
		"x-total-count": true, "link": true, "location": true,
	}
}

// headers compares those that are kept. got returns a header's value.
func (c *comparison) headers(want map[string]string, got func(string) string) {
	kept := keptHeaders()
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		recorded, there := want[name]
		observed := got(name)
		switch {
		case there && observed == "" && recorded != "":
			c.add("header "+name, recorded, parity.Absent)
		case there:
			if reason := c.text(recorded, observed); reason != "" {
				c.add("header "+name, recorded, observed+" ("+reason+")")
			}
		case kept[name] && observed != "":
			c.add("header "+name, parity.Absent, observed)
		}
	}
}

// render writes a JSON value for people.
func render(value any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // placeholders would be hard to read
	if err := enc.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
