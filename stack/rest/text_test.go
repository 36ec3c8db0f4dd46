package rest

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheCanonicalQueryIsSortedAndJoined(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                               "",
		"b=2&a=1":                        "a=1&b=2",
		"select=id,name(x)&id=eq.1":      "id=eq.1&select=id%2Cname%28x%29",
		"a=1&b=2&a=3":                    "a=1,3&b=2",
		"a=x+y&b=%2B":                    "a=x%20y&b=%2B",
		"d&c=1":                          "c=1&d=",
		"c=1&":                           "c=1",
		"c=1&&":                          "=&c=1",
		"&c=1":                           "=&c=1",
		"a=%zz":                          "a=%25zz",
		"a=%3E%^%26&b=%2":                "a=%3E%25%5E%26&b=%252",
		"a=x+%{%3e+%41":                  "a=x%20%25%7B%3E%20A",
		"a=%C3%BC":                       "a=%C3%83%C2%BC",
		"or=(a.eq.1,b.eq.2)&order=a.asc": "or=%28a.eq.1%2Cb.eq.2%29&order=a.asc",
	} {
		assert.Equal(t, want, canonicalQuery(raw), raw)
	}
}

func FuzzTheCanonicalQueryIsAQuery(f *testing.F) {
	f.Add("a=1&b=%zz&c")
	f.Add("&&;=%")
	f.Fuzz(func(t *testing.T, raw string) {
		out := canonicalQuery(raw)
		_, err := url.ParseQuery(out)
		require.NoError(t, err)
		require.NotContains(t, out, "\n")
	})
}

func TestHeadersFromSQLAreOneNameAndOneText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]header{
		`[]`:                         {},
		`[{"x-a": "1"}]`:             {{"X-A", "1"}},
		`[{"a": "1"}, {"a": "2"}]`:   {{"A", "1"}, {"A", "2"}},
		`[{"a": "1", "b": "2"}]`:     nil,
		`[{"a": 1}]`:                 nil,
		`[{"a": null}]`:              nil,
		`[{}]`:                       nil,
		`{"a": "1"}`:                 nil,
		`a: 1`:                       nil,
		``:                           nil,
		`[{"a": "1"}] trailing rest`: nil,
	} {
		got, ok := settingHeaders([]byte(text))
		assert.Equal(t, want != nil, ok, text)
		if want != nil {
			assert.Equal(t, want, got, text)
		}
	}
	got, ok := settingHeaders(nil)
	assert.True(t, ok && got == nil, "an unset setting has no headers")
}

func TestTheStatusFromSQLIsALeadingNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"202": 202, "404 Not Found": 404, "299": 299} {
		got, ok := leadingNumber(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "gone", "-1", "99", "100", "1000", "99999999999999999999"} {
		_, ok := leadingNumber(text)
		assert.False(t, ok, text)
	}
}

func TestRangesNameRowsAndTotal(t *testing.T) {
	t.Parallel()
	total := func(n int64) *int64 { return &n }
	assert.Equal(t, "0-9/*", contentRange(0, 9, nil))
	assert.Equal(t, "*/*", contentRange(0, -1, nil))
	assert.Equal(t, "5-9/20", contentRange(5, 9, total(20)))
	assert.Equal(t, "*/20", contentRange(20, 19, total(20)))
	assert.Equal(t, "*/0", contentRange(0, 0, total(0)))
}

func TestTransactionsBeginAsTheRoleWants(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", begin("", true))
	assert.Equal(t, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", begin("read uncommitted", false))
	assert.Equal(t, "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE", begin("Repeatable Read", false))
	assert.Equal(t, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", begin("serializable", true))
	assert.Equal(t, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", begin("x; drop table y", false))
}

func FuzzAnObjectOfTextsIsWrittenAsTheEncoderWritesIt(f *testing.F) {
	f.Add("accept", "application/json", "x-odd", "a\"b\\c\u2028<\x00>\xff")
	f.Add("", "", "ü", "\t")
	f.Fuzz(func(t *testing.T, name, value, other, more string) {
		object := map[string]string{name: value, other: more}
		var want strings.Builder
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(object))
		require.JSONEq(t, want.String(), marshal(object))
		if utf8.ValidString(name) && utf8.ValidString(other) {
			require.Equal(t, strings.TrimSuffix(want.String(), "\n"), marshal(object), "keys are sorted, and escapes the same")
		}
	})
}
