package authreplay

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHowBodiesAreCompared(t *testing.T) {
	t.Parallel()
	const u1, u2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	vars := map[string]string{"user_a": u1, "refresh_a": "abcdefghijkl"}
	agree := map[string][2]string{
		"order of members":   {`{"a":1,"b":2}`, `{"b":2,"a":1}`},
		"a named value":      {`"<uuid:user_a>"`, `"` + u1 + `"`},
		"another value":      {`"<uuid>"`, `"` + u2 + `"`},
		"inside a text":      {`"x <uuid:user_a>/<int> y"`, `"x ` + u1 + `/12 y"`},
		"a time":             {`["<timestamp>","<timestamp>"]`, `["2026-01-02T03:04:05.678Z","2026-01-02 03:04:05.678+00"]`},
		"seconds":            {`"<seconds:3600>"`, `3571`},
		"a Unix time":        {`"<unixtime>"`, `1767322800`},
		"a Unix time, iat":   {`"<unixtime:iat+60>"`, `160`},
		"a long text":        {`"<string:5>"`, `"häää!"`},
		"no body":            {`null`, ``},
		"a big number":       {`1e+21`, `1000000000000000000000`},
		"lines in any order": {`"` + schemaMessage + `\n- a\n- b\n"`, `"` + schemaMessage + `\n- b\n- a\n"`},
		"an svg":             {`"<svg>"`, `"<?xml version=\"1.0\"?>\n<svg width=\"1\">\n</svg>\n"`},
	}
	differ := map[string][2]string{
		"a missing member":        {`{"a":1,"b":null}`, `{"a":1}`},
		"a member more":           {`{"a":1}`, `{"a":1,"b":null}`},
		"null is not empty":       {`null`, `""`},
		"another named value":     {`"<uuid:user_a>"`, `"` + u2 + `"`},
		"an unset name":           {`"<uuid:user_b>"`, `"` + u2 + `"`},
		"a captured value":        {`"<uuid>"`, `"` + u1 + `"`},
		"a captured token":        {`"<token>"`, `"abcdefghijkl"`},
		"no UUID":                 {`"<uuid>"`, `"x"`},
		"a number as text":        {`"<unixtime>"`, `"1767322800"`},
		"a text as number":        {`"<token>"`, `1`},
		"31 seconds less":         {`"<seconds:3600>"`, `3569`},
		"a second more":           {`"<seconds:3600>"`, `3601`},
		"another offset":          {`"<unixtime:iat+60>"`, `161`},
		"length":                  {`"<string:5>"`, `"four"`},
		"order of elements":       {`[1,2]`, `[2,1]`},
		"an element more":         {`[1]`, `[1,2]`},
		"big numbers, last digit": {`12345678901234567890`, `12345678901234567891`},
		"a boolean":               {`true`, `false`},
		"text around":             {`"a<uuid>"`, `"b` + u2 + `"`},
		"the decoder's text":      {`"Could not parse: x"`, `"Could not parse: y"`},
		"letters":                 {`"Email"`, `"email"`},
		"other lines":             {`"` + schemaMessage + `\n- a\n"`, `"` + schemaMessage + `\n- b\n"`},
		"not JSON":                {`{}`, `<html>`},
	}
	compare := func(pair [2]string) int {
		c := comparison{matcher: matcher{vars: vars, iat: json.Number("100")}}
		c.document("body", json.RawMessage(pair[0]), []byte(pair[1]))
		return len(c.found)
	}
	for name, pair := range agree {
		assert.Zero(t, compare(pair), name)
	}
	for name, pair := range differ {
		assert.NotZero(t, compare(pair), name)
	}
}

func TestHowHeadersAreCompared(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want, got map[string]string
		found     int
	}{
		"equal":            {map[string]string{"content-type": "a"}, map[string]string{"content-type": "a"}, 0},
		"other":            {map[string]string{"content-type": "a"}, map[string]string{"content-type": "b"}, 1},
		"missing":          {map[string]string{"location": "a"}, nil, 1},
		"unexpected code":  {nil, map[string]string{"x-sb-error-code": "a"}, 1},
		"unexpected type":  {nil, map[string]string{"content-type": "a"}, 0},
		"not one of ours":  {nil, map[string]string{"date": "now"}, 0},
		"with placeholder": {map[string]string{"location": "x?code=<uuid>"}, map[string]string{"location": "x?code=22222222-2222-4222-8222-222222222222"}, 0},
	}
	for name, test := range tests {
		c := comparison{}
		c.headers(test.want, func(header string) string { return test.got[header] })
		assert.Len(t, c.found, test.found, name)
	}
}

func TestVariablesKeepTheirTypesAndFailWhenUnset(t *testing.T) {
	t.Parallel()
	vars := variables{"n": json.Number("7"), "s": `a"b`, "secret": "JBSWY3DPEHPK3PXP"}
	body, err := vars.expandJSON(json.RawMessage(`{"whole":"{{n}}","part":"x{{n}}","quoted":"{{s}}<"}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"whole":7,"part":"x7","quoted":"a\"b<"}`, string(body))
	code, err := vars.expand("{{totp:secret}}")
	require.NoError(t, err)
	assert.Regexp(t, `^\d{6}$`, code)
	_, err = vars.expand("{{nothing}}")
	assert.Error(t, err)
	_, err = vars.expand("{{totp:s}}")
	assert.Error(t, err, "no base32")
}

func FuzzText(f *testing.F) {
	f.Add("<uuid:a> <b> <int>", "x")
	f.Add("a<string:3>(", "a[]](")
	f.Fuzz(func(t *testing.T, want, got string) {
		m := matcher{vars: map[string]string{"a": "b"}}
		if reason := m.text(want, got); strings.Contains(reason, "error parsing regexp") {
			t.Fatal(reason)
		}
		if !placeholder.MatchString(want) && m.text(want, want) != "" {
			t.Fatalf("%q differs from itself", want)
		}
	})
}
