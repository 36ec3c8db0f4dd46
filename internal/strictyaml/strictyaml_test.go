package strictyaml_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/strictyaml"
)

func parse(t *testing.T, text string) *strictyaml.Document {
	t.Helper()
	doc, err := strictyaml.Parse("f.yaml", []byte(text))
	require.NoError(t, err)
	return doc
}

// first is the first of joined FileErrors.
func first(t *testing.T, err error) *strictyaml.FileError {
	t.Helper()
	var fileErr *strictyaml.FileError
	require.ErrorAs(t, err, &fileErr)
	return fileErr
}

func TestFieldsRefusesWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, problem, hint string }{
		"an unknown key is named with a suggestion": {"a: 1\nqery: x", `f.yaml:2:1: unknown key "qery"`, `did you mean "query"?`},
		"two spellings of one key exclude each other": {
			"query: x\nsql: y", `f.yaml:2:1: keys "query" and "sql" mean the same`, "remove one of them",
		},
		"a key that is there twice is refused": {"{a: 1, a: 2}", `f.yaml:1:8: key "a" is there twice`, "remove one of them"},
		"a list is no mapping":                 {"- a", "f.yaml:1:1: expected a mapping, found a list", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := strictyaml.Parse("f.yaml", []byte(c.text))
			if err == nil { // the library refuses some duplicates itself
				doc.Root().Fields("a", "query|sql", "expect")
				err = doc.Err()
			}
			fileErr := first(t, err)
			if strings.Contains(c.problem, "twice") {
				assert.Equal(t, 1, fileErr.Line)
				return
			}
			assert.EqualError(t, fileErr, c.problem)
			assert.Equal(t, c.hint, fileErr.Hint())
		})
	}
}

func TestFieldsLooksUpByTheFirstSpelling(t *testing.T) {
	t.Parallel()
	doc := parse(t, "sql: select 1\nname: ~")
	f := doc.Root().Fields("query|sql", "name", "gone")
	assert.Equal(t, "select 1", f["query"].Text())
	assert.True(t, f["name"].Exists())
	assert.True(t, f["name"].IsNull())
	assert.False(t, f["gone"].Exists())
	assert.Equal(t, []string{"name", "query"}, f.One("gone", "name", "query"))
	require.NoError(t, doc.Err())
}

func TestValuesHaveTheirJSONTypes(t *testing.T) {
	t.Parallel()
	doc := parse(t, `
- [1, -2, 9223372036854775807, 18446744073709551615, 1.5, true, ~]
- {a: text, "b": "1", c: 'on', d: 2026-01-02, e: .inf}
- |
  block
- []
`)
	assert.Equal(t, []any{
		[]any{int64(1), int64(-2), int64(9223372036854775807), uint64(18446744073709551615), 1.5, true, nil},
		map[string]any{"a": "text", "b": "1", "c": "on", "d": "2026-01-02", "e": ".inf"},
		"block\n",
		[]any{},
	}, doc.Root().Value())
	require.NoError(t, doc.Err())
}

func TestTypesAreNotMixedUp(t *testing.T) {
	t.Parallel()
	doc := parse(t, "text: [1]\nint: x\nbig: 18446744073709551615\nbool: 1\nlist: 2\nstate: 42501\nzero: 00123")
	f := doc.Root().Fields("text", "int", "big", "bool", "list", "state", "zero")
	assert.Equal(t, "42501", f["state"].Text())
	assert.Equal(t, "00123", f["zero"].Text(), "a text is as it was written, be it a number to YAML")
	require.NoError(t, doc.Err())
	f["text"].Text()
	f["int"].Int()
	f["big"].Int()
	f["bool"].Bool()
	f["list"].Items()
	assert.EqualError(t, doc.Err(), strings.Join([]string{
		"f.yaml:1:7: expected a text, found a list",
		"f.yaml:2:6: expected a whole number, found a text",
		"f.yaml:3:6: expected a whole number, found the number 18446744073709551615",
		"f.yaml:4:7: expected true or false, found the number 1",
		"f.yaml:5:7: expected a list, found the number 2",
	}, "\n"))
}

func TestAliasesAndMergeKeysAreFollowed(t *testing.T) {
	t.Parallel()
	doc := parse(t, `
base: &base {role: authenticated, sub: a}
user: {<<: *base, sub: b}
same: *base
`)
	user := doc.Root().Fields("base", "user", "same")
	assert.Equal(t, map[string]any{"role": "authenticated", "sub": "b"}, user["user"].Value())
	assert.Equal(t, map[string]any{"role": "authenticated", "sub": "a"}, user["same"].Value())
	require.NoError(t, doc.Err())
}

func TestHostileDocumentsEndInErrors(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x]\n"
	for i := 1; i < 12; i++ {
		name, before := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 1 {
			before = "a0"
		}
		bomb += name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat("*"+before+", ", 9), ", ") + "]\n"
	}
	for name, c := range map[string]struct{ text, problem string }{
		"an alias bomb runs out of its budget": {bomb, "aliases make the file too large"},
		"an alias without an anchor":           {"a: *b", `alias "b"`},
		"an anchor that holds itself":          {"a: &a [*a]", ""},
		"nesting in brackets":                  {strings.Repeat("[", 100_000), "nests deeper"},
		"nesting by indentation":               {strings.Repeat("- ", 100_000) + "x", "nests deeper"},
		"bytes that are no text":               {"a: \xff", "is not UTF-8"},
		"nothing":                              {"", "is empty"},
		"comments alone":                       {"# nothing", "is empty"},
		"a second document":                    {"a: 1\n---\nb: 2", "a second document starts here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := strictyaml.Parse("f.yaml", []byte(c.text))
			if err == nil {
				doc.Root().Value()
				err = doc.Err()
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.problem)
		})
	}
}

func TestNearestIgnoresCaseAndRefusesWhatIsFar(t *testing.T) {
	t.Parallel()
	name, ok := strictyaml.Nearest("QUERRY", []string{"name", "query"})
	assert.True(t, ok)
	assert.Equal(t, "query", name)
	assert.Equal(t, "known: name, query", strictyaml.DidYouMean("solution", []string{"name", "query"}))
	assert.Empty(t, strictyaml.DidYouMean("x", nil))
	_, ok = strictyaml.Nearest(strings.Repeat("x", 1000), []string{"name"})
	assert.False(t, ok)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a: 1", "- [1, {b: *c}]", "&a [*a]", "<<: {a: 1}", "a: |\n  x\n b", "? [a]\n: b", "!!str 1", "{a: 1, <<: [{b: 2}]}", "\"\\u0001\"", "-", "{{{",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := strictyaml.Parse("f.yaml", data)
		if err != nil {
			var fileErr *strictyaml.FileError
			if !errors.As(err, &fileErr) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		value := doc.Root().Value()
		if _, err := json.Marshal(value); err != nil {
			t.Fatalf("%#v has no JSON form: %v", value, err)
		}
	})
}
