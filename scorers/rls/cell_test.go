package rls

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValuesOfATypeAreComparedByWhatTheyMean(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		typ  string
		a, b any
		same bool
	}{
		{"int4", "1", int64(1), true},
		{"int4", "1", json.Number("1"), true},
		{"int8", "9007199254740993", json.Number("9007199254740992"), false},
		{"numeric", "1.50", 1.5, true},
		{"numeric", "1.50", "1.5", true},
		{"numeric", "NaN", "NaN", true},
		{"float8", "1e2", json.Number("100"), true},
		{"numeric", "1e999999999", json.Number("2"), false},
		{"bool", "t", true, true},
		{"bool", "f", true, false},
		{"uuid", "ABCDEF00-0000-4000-8000-000000000000", "abcdef00-0000-4000-8000-000000000000", true},
		{"text", "5", int64(5), false},
		{"text", "", nil, false},
		{"text", "null", nil, false},
		{"text", "A", "a", false},
		{"timestamptz", "2024-05-01 12:00:00+02", "2024-05-01T10:00:00Z", true},
		{"timestamptz", "2024-05-01 10:00:00.500+00", "2024-05-01T10:00:00.5+00:00", true},
		{"timestamptz", "2024-05-01 10:00:00+00", "2024-05-01", false},
		{"timestamptz", "infinity", "infinity", true},
		{"timestamp", "2024-05-01 00:00:00", "2024-05-01T00:00:00", true},
		{"date", "2024-05-01", "2024-05-01", true},
		{"jsonb", `{"b": 1.0, "a": [true]}`, map[string]any{"a": []any{true}, "b": int64(1)}, true},
		{"jsonb", `{"a": "1"}`, map[string]any{"a": int64(1)}, false},
		{"jsonb", "null", nil, false},
		{"_text", `{a,"b,c",NULL,"NULL"}`, []any{"a", "b,c", nil, "NULL"}, true},
		{"_int4", "{{1,2},{3,4}}", []any{[]any{int64(1), int64(2)}, []any{int64(3), int64(4)}}, true},
		{"_int4", "[0:1]={1,2}", []any{int64(1), int64(2)}, true},
		{"_int4", "{}", []any{}, true},
		{"_uuid", "{ABCDEF00-0000-4000-8000-000000000000}", []any{"abcdef00-0000-4000-8000-000000000000"}, true},
		{"", "red", "red", true},
		{"", json.Number("1"), int64(1), true},
		{"", true, "true", false},
		{"bytea", `\xAB`, `\xab`, true},
	} {
		assert.Equal(t, test.same, cell(test.typ, test.a) == cell(test.typ, test.b), "%s: %v and %v: %s, %s",
			test.typ, test.a, test.b, cell(test.typ, test.a), cell(test.typ, test.b))
	}
}

func TestABrokenArrayIsNoArray(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "{a", "{a}}", `{"a`, "{a,", "{{a}", "a"} {
		_, ok := parseArray(text)
		assert.False(t, ok, text)
	}
}

func FuzzCell(f *testing.F) {
	for _, seed := range [][2]string{
		{"_text", `{a,"b\"",NULL}`},
		{"numeric", "1e5"},
		{"numeric", "1/3"},
		{"jsonb", `{"a":1}`},
		{"timestamptz", "2024-01-01 00:00:00+00"},
		{"bool", "t"},
		{"_jsonb", `{"{\"a\":1}"}`},
		{"", "x"},
		{"float8", "-Infinity"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, typ, value string) {
		assert.Equal(t, cell(typ, value), cell(typ, value), "the same value has the same cell")
		assert.NotEqual(t, cell(typ, nil), cell(typ, value), "no text is null")
	})
}
