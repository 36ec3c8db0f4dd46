package store

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMergingAnObject(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		object, updates, want map[string]any
	}{
		"sets and keeps members":             {map[string]any{"a": 1, "b": 2}, map[string]any{"b": 3}, map[string]any{"a": 1, "b": 3}},
		"deletes members that are nil":       {map[string]any{"a": 1, "b": 2}, map[string]any{"b": nil}, map[string]any{"a": 1}},
		"keeps a nil that it does not name":  {map[string]any{"a": nil}, map[string]any{"b": 1}, map[string]any{"a": nil, "b": 1}},
		"takes updates over when it is none": {nil, map[string]any{"a": 1, "b": nil}, map[string]any{"a": 1, "b": nil}},
		"does nothing without updates":       {map[string]any{"a": 1}, nil, map[string]any{"a": 1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := Object(c.object)
			object.Merge(c.updates)
			assert.Equal(t, Object(c.want), object)
		})
	}
}

func TestAnObjectColumn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		column any
		want   Object
	}{
		"NULL reads as an empty object":      {nil, Object{}},
		"JSON null reads as an empty object": {"null", Object{}},
		"an object reads as it is":           {[]byte(`{"a":{"b":1}}`), Object{"a": map[string]any{"b": 1.0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got Object
			require.NoError(t, got.Scan(c.column))
			assert.Equal(t, c.want, got)
		})
	}
	for name, column := range map[string]any{"an array": "[]", "a number": "1", "another type": 1} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			var got Object
			assert.Error(t, got.Scan(column))
		})
	}
}

func FuzzObjectScan(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", `{"a":[1,{"b":null}]}`, "[1]", "{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var object Object
		if object.Scan(text) == nil && object == nil {
			t.Fatal("a readable column left no object")
		}
	})
}
