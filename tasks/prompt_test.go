package tasks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

func TestThePromptShowsSchemaAndRulesAndNothingElse(t *testing.T) {
	t.Parallel()
	prompt, err := tasks.Prompt(load(t, map[string]string{
		"seed.sql": "the seed", "solution.sql": "the solution", "traps/null-owner.sql": "the trap",
	}))
	require.NoError(t, err)
	assert.Contains(t, prompt, "Schema:\n```sql\ncreate table notes (id int primary key, owner uuid, body text);\n```\n")
	assert.Contains(t, prompt, "R1. A person reads and changes\n    their own notes.\nR2. Nobody else does.\n\n"+tasks.Canary+"\n")
	for _, hidden := range []string{"the seed", "the solution", "the trap", "alice reads"} {
		assert.NotContains(t, prompt, hidden)
	}
	assert.Contains(t, prompt, "exactly one fenced code block marked sql")
	assert.False(t, strings.Contains(prompt, "{{"))
}

func TestASchemaCannotCloseItsBlock(t *testing.T) {
	t.Parallel()
	prompt, err := tasks.Prompt(load(t, map[string]string{"schema.sql": "-- ````\nx"}))
	require.NoError(t, err)
	assert.Contains(t, prompt, "`````sql\n-- ````\nx\n`````\n")
}

func TestSQLIsFoundInAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   tasks.Answer
	}{
		"one block":              {"Here:\n```sql\nselect 1;\n```\nDone.", tasks.Answer{SQL: "select 1;", Blocks: 1}},
		"no block":               {"  select 1;\n", tasks.Answer{SQL: "select 1;"}},
		"a block without mark":   {"```\nselect 1;\n```", tasks.Answer{SQL: "select 1;", Blocks: 1}},
		"SQL before others":      {"```\nnot this, though it is longer\n```\n```postgresql\na\n```\n```bash\nnor this one here\n```", tasks.Answer{SQL: "a", Blocks: 1}},
		"the longest of several": {"```sql\ncreate policy a;\n```\n```sql\nselect 1;\n```", tasks.Answer{SQL: "create policy a;", Blocks: 2}},
		"the last of equals":     {"```sql\naa\n```\n```SQL\nbb\n```", tasks.Answer{SQL: "bb", Blocks: 2}},
		"a block that is cut":    {"```sql\ncreate policy a\non", tasks.Answer{SQL: "create policy a\non", Blocks: 1, Cut: true}},
		"a longer fence":         {"````sql\n```\nx\n```\n````", tasks.Answer{SQL: "```\nx\n```", Blocks: 1}},
		"tildes":                 {"~~~sql\nx\n~~~", tasks.Answer{SQL: "x", Blocks: 1}},
		"a block in a list":      {"1. this:\n   ```sql\n   a\n     b\n   ```", tasks.Answer{SQL: "a\n  b", Blocks: 1}},
		"line ends of Windows":   {"```sql\r\na\r\nb\r\n```\r\n", tasks.Answer{SQL: "a\nb", Blocks: 1}},
		"thoughts before":        {"<think>```sql\nlonger draft\n```</think>```sql\nx\n```", tasks.Answer{SQL: "x", Blocks: 1}},
		"inline code":            {"use `x` and ```y```", tasks.Answer{SQL: "use `x` and ```y```"}},
		"attributes":             {"```sql title=\"a.sql\"\nx\n```", tasks.Answer{SQL: "x", Blocks: 1}},
		"nothing":                {"", tasks.Answer{}},
		"a dollar body":          {"```sql\ncreate function f() returns int language sql as $$\nselect 1\n$$;\n```", tasks.Answer{SQL: "create function f() returns int language sql as $$\nselect 1\n$$;", Blocks: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, tasks.ExtractSQL(c.answer))
		})
	}
}

func FuzzExtractSQL(f *testing.F) {
	f.Add("Here:\n```sql\nselect 1;\n```\n~~~\nx")
	f.Add("</think>````")
	f.Fuzz(func(t *testing.T, answer string) {
		got := tasks.ExtractSQL(answer)
		if got.SQL != strings.TrimSpace(got.SQL) || len(got.SQL) > len(answer) {
			t.Fatalf("%q", got.SQL)
		}
		// What is put into the form that the prompt asks for comes out again.
		fence := "```````````"
		if sql := got.SQL; sql != "" && !strings.Contains(sql, fence) && !strings.Contains(sql, "\r") && !strings.Contains(sql, "</think>") {
			if again := tasks.ExtractSQL("Here it is.\n" + fence + "sql\n" + sql + "\n" + fence); again.SQL != sql {
				t.Fatalf("%q became %q", sql, again.SQL)
			}
		}
	})
}
