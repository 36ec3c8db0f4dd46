package evals

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testKinds is a library of two kinds: one takes the parameter "who", a person.
type testKinds struct{}

func (testKinds) Names() []string { return []string{"always", "person-named"} }

func (testKinds) Validate(eval *Eval, spec CheckSpec) error {
	if spec.Uses == "always" {
		if len(spec.With) > 0 {
			return errors.New("takes no parameters")
		}
		return nil
	}
	who, _ := spec.With["who"].(string)
	if err := eval.CheckPerson(who); err != nil {
		err.Param = "who"
		return err
	}
	return nil
}

const goodEval = `title: something
people:
  - id: member
  - id: moderator
    password: other
arrange:
  - sign-up: [member, moderator]
  - insert:
      table: public.roles
      for: moderator
      row: {member_id: "${moderator.id}", role: moderator}
  - sign-in: [moderator]
checks:
  - id: first
    name: the first thing holds
    class: config
    uses: always
  - id: second
    name: the second thing holds
    class: leak
    needs: [first]
    control: first
    uses: person-named
    with: {who: member}
`

func folder(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fsys
}

func TestAnEvalIsLoadedWithEverythingItsFolderSays(t *testing.T) {
	t.Parallel()
	eval, err := Load(folder(
		"docs/build-x/eval.yaml", goodEval,
		"docs/build-x/PROMPT.md", "---\nstage: build\n---\nPlease use no hook.\n",
		"docs/build-x/README.md", "# About\n\n## Words that must not appear in the prompt\n\n- `hook`\n- token\n",
		"docs/build-x/local/supabase/config.toml", "project_id = \"x\"\n",
	), "docs/build-x", testKinds{})
	require.NoError(t, err)

	assert.Equal(t, "build-x", eval.ID)
	assert.Equal(t, "something", eval.Title)
	assert.Equal(t, []Person{{ID: "member", Password: DefaultPassword}, {ID: "moderator", Password: "other"}}, eval.People)
	require.Len(t, eval.Arrange, 3)
	assert.Equal(t, []string{"member", "moderator"}, eval.Arrange[0].SignUp)
	assert.Equal(t, &Insert{
		Table: "public.roles", For: "moderator",
		Row: map[string]any{"member_id": "${moderator.id}", "role": "moderator"},
	}, eval.Arrange[1].Insert)
	assert.Equal(t, []string{"moderator"}, eval.Arrange[2].SignIn)
	require.Len(t, eval.Checks, 2)
	assert.Equal(t, CheckSpec{
		ID: "second", Name: "the second thing holds", Class: ClassLeak, Needs: []string{"first"},
		Control: "first", Uses: "person-named", With: map[string]any{"who": "member"},
	}, eval.Checks[1])
	assert.Equal(t, "Please use no hook.\n", eval.Prompt)
	assert.Equal(t, []string{"hook", "token"}, eval.ForbiddenWords)
	assert.Equal(t, []Violation{{File: "docs/build-x/PROMPT.md", Line: 4, Column: 15, Word: "hook"}}, eval.Violations)
	config, err := fs.ReadFile(eval.Files, LocalDir+"/supabase/config.toml")
	require.NoError(t, err)
	assert.Equal(t, "project_id = \"x\"\n", string(config))
	_, found := eval.Check("second")
	assert.True(t, found)
	_, found = eval.Check("third")
	assert.False(t, found)
}

func TestAnEvalWithoutAPromptIsLoaded(t *testing.T) {
	t.Parallel()
	eval, err := Load(folder("e/eval.yaml", goodEval), "e", testKinds{})
	require.NoError(t, err)
	assert.Empty(t, eval.Prompt)
	assert.Empty(t, eval.Violations)
}

func TestALoadErrorSaysWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	replace := func(old, new string) string {
		if !strings.Contains(goodEval, old) {
			panic("the test replaces what is not there: " + old)
		}
		return strings.Replace(goodEval, old, new, 1)
	}
	for _, test := range []struct {
		name, text string
		want       []string
		hint       string
	}{
		{"a file that is no YAML", "title: 'x\n", []string{"e/eval.yaml:1:8: could not find end character of single-quoted text"}, ""},
		{"an empty file", "", []string{"e/eval.yaml: is empty"}, ""},
		{"a second document", goodEval + "---\ntitle: more\n", []string{"e/eval.yaml:26:1: a second document starts here"}, "keep one document a file"},
		{"an alias", replace("title: something", "title: &a something\nother: *a"), []string{"e/eval.yaml:2:8: aliases are not supported"}, "write the value out"},
		{"a key twice", goodEval + "title: again\n", []string{`e/eval.yaml:25:1: mapping key "title" already defined at [1:1]`}, ""},
		{"an unknown key near a known one", replace("needs:", "need:"), []string{`e/eval.yaml:21:5: unknown key "need"`}, `did you mean "needs"?`},
		{"an unknown key at the top", goodEval + "poeple: []\n", []string{`e/eval.yaml:25:1: unknown key "poeple"`}, `did you mean "people"?`},
		{"a value of the wrong type", replace("title: something", "title: [x]"), []string{"e/eval.yaml:1:8: cannot unmarshal"}, ""},
		{"no title", replace("title: something\n", ""), []string{"e/eval.yaml:1:1: title is missing"}, "say in a line"},
		{"a person's id with capitals", replace("- id: member", "- id: Member"), []string{`e/eval.yaml:3:9: person id "Member" is not in kebab-case`}, "lower-case"},
		{"a person twice", replace("- id: moderator", "- id: member"), []string{`e/eval.yaml:4:9: person "member" is declared twice`}, ""},
		{"an unknown person who signs up", replace("sign-up: [member,", "sign-up: [membre,"), []string{`e/eval.yaml:7:15: there is no person "membre"`}, `did you mean "member"?`},
		{"an unknown person who signs in", replace("sign-in: [moderator]", "sign-in: [stranger]"), []string{`e/eval.yaml:12:15: there is no person "stranger"`}, "known: member, moderator"},
		{"a row for an unknown person", replace("for: moderator", "for: mod"), []string{`e/eval.yaml:10:12: there is no person "mod"`}, ""},
		{"a reference to an unknown person", replace("${moderator.id}", "${moderatro.id}"), []string{`e/eval.yaml:11:24: member_id: there is no person "moderatro"`}, `did you mean "moderator"?`},
		{"a reference to an unknown field", replace("${moderator.id}", "${moderator.name}"), []string{"e/eval.yaml:11:24: member_id: people have no field name"}, `use "id" or "email"`},
		{"an empty row", replace(`row: {member_id: "${moderator.id}", role: moderator}`, "row: {}"), []string{"the row is empty"}, "name at least one column"},
		{"a table without its schema", replace("public.roles", "roles"), []string{`e/eval.yaml:9:14: table "roles" is not written as schema.table`}, "public.posts"},
		{"a step of two things", replace("- sign-in: [moderator]", "- sign-in: [moderator]\n    sign-up: [member]"), []string{"e/eval.yaml:12:5: a step does exactly one thing"}, "insert"},
		{"an unknown kind", replace("uses: person-named", "uses: person-name"), []string{`e/eval.yaml:23:11: unknown check kind "person-name"`}, `did you mean "person-named"?`},
		{"a bad parameter", replace("who: member", "who: nobody"), []string{`e/eval.yaml:24:17: who: there is no person "nobody"`}, "known: member, moderator"},
		{"parameters where there are none", replace("uses: always", "uses: always\n    with: {a: 1}"), []string{"takes no parameters"}, ""},
		{"an unknown class", replace("class: leak", "class: leek"), []string{`e/eval.yaml:20:12: unknown class "leek"`}, `did you mean "leak"?`},
		{"an unknown need", replace("needs: [first]", "needs: [frist]"), []string{`e/eval.yaml:21:13: needs "frist", which is no check`}, `did you mean "first"?`},
		{"an unknown control", replace("control: first", "control: firts"), []string{`e/eval.yaml:22:14: control "firts" is no check`}, `did you mean "first"?`},
		{"a control of itself", replace("control: first", "control: second"), []string{"a check cannot be its own control"}, ""},
		{"a check twice", replace("id: second", "id: first"), []string{`check "first" is declared twice`}, ""},
		{"a check without a name", replace("    name: the first thing holds\n", ""), []string{`e/eval.yaml:14:5: check "first" has no name`}, "predicate"},
		{"needs in a circle", replace("uses: always", "uses: always\n    needs: [second]"), []string{"checks need each other in a circle: first → second → first"}, ""},
		{"no checks", "title: x\nchecks: []\n", []string{"e/eval.yaml:2:9: there are no checks"}, ""},
		{
			"two faults, both reported", strings.Replace(replace("class: leak", "class: leek"), "needs: [first]", "needs: [x]", 1),
			[]string{`unknown class "leek"`, `needs "x", which is no check`},
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(folder("e/eval.yaml", test.text), "e", testKinds{})
			require.Error(t, err)
			for _, want := range test.want {
				assert.Contains(t, err.Error(), want)
			}
			if test.hint != "" {
				var hinted interface{ Hint() string }
				require.ErrorAs(t, err, &hinted)
				assert.Contains(t, hinted.Hint(), test.hint)
			}
		})
	}
}

func TestALoadErrorOfAFileThatIsTooLargeNamesTheLimit(t *testing.T) {
	t.Parallel()
	_, err := Load(folder("e/eval.yaml", strings.Repeat("#", MaxFileSize+1)), "e", testKinds{})
	assert.ErrorContains(t, err, "e/eval.yaml: is larger than 1048576 bytes")
}

func TestEvalsAreFoundAtAnyDepthAndByTheirFolderName(t *testing.T) {
	t.Parallel()
	fsys := folder(
		"docs/b-eval/eval.yaml", goodEval,
		"a-eval/eval.yaml", goodEval,
		// What lies inside an eval is its own business.
		"a-eval/local/nested/eval.yaml", "not an eval",
		"docs/empty/README.md", "nothing here",
	)
	ids, err := IDs(fsys)
	require.NoError(t, err)
	assert.Equal(t, []string{"a-eval", "b-eval"}, ids)

	list, err := List(fsys, testKinds{})
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "a-eval", list[0].ID)

	eval, err := Find(fsys, "b-eval", testKinds{})
	require.NoError(t, err)
	assert.Equal(t, "b-eval", eval.ID)
}

func TestAnUnknownEvalIsAnErrorWithASuggestion(t *testing.T) {
	t.Parallel()
	_, err := Find(folder("docs/b-eval/eval.yaml", goodEval), "c-eval", testKinds{})
	var unknown *UnknownEvalError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, `there is no eval "c-eval"`, err.Error())
	assert.Equal(t, `did you mean "b-eval"?`, unknown.Hint())
}

func TestTwoEvalsWithOneIDAreAnError(t *testing.T) {
	t.Parallel()
	_, err := IDs(folder("a/x/eval.yaml", goodEval, "b/x/eval.yaml", goodEval))
	assert.ErrorContains(t, err, `two evals have the id "x": a/x and b/x`)
}

func TestTheHashChangesWithEveryFileAndWithNothingElse(t *testing.T) {
	t.Parallel()
	hash := func(files ...string) string {
		sum, err := HashFS(folder(files...))
		require.NoError(t, err)
		return sum
	}
	base := hash("a", "1", "b", "2")
	assert.Equal(t, base, hash("b", "2", "a", "1"))
	others := []string{
		hash("a", "1", "b", "3"), hash("a", "1"), hash("a", "12", "b", ""), hash("a", "1", "c", "2"),
		hash("a", "1", "dir/b", "2"),
	}
	assert.NotContains(t, others, base)
	slices.Sort(others)
	assert.Len(t, slices.Compact(others), 5)
}

func TestAReferenceIsAWholeTextOnly(t *testing.T) {
	t.Parallel()
	reference, ok := ParseReference("${member.id}")
	assert.True(t, ok)
	assert.Equal(t, Reference{Person: "member", Field: "id"}, reference)
	for _, value := range []any{"x ${member.id}", "${member.id} x", "${member}", "$member.id", "", 3, nil, "${Member.id}"} {
		_, ok := ParseReference(value)
		assert.False(t, ok, value)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(goodEval)
	f.Add("title: x\nchecks: [{id: a, needs: [a]}]\n")
	f.Add("- a\n")
	f.Add("{")
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		eval, err := Load(folder("e/eval.yaml", text), "e", testKinds{})
		if (err == nil) == (eval == nil) {
			t.Fatalf("eval %v and error %v", eval, err)
		}
		if err == nil && (len(eval.Checks) == 0 || eval.Title == "") {
			t.Fatalf("an eval without checks or title was accepted: %q", text)
		}
	})
}
