package split_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/migrate/split"
)

func texts(sql string) []string {
	var out []string
	for _, s := range split.Statements(sql) {
		out = append(out, s.Text)
	}
	return out
}

func TestOneStatementStaysWhole(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"string":                   "select ';'",
		"doubled quote":            "select 'it''s; fine'",
		"backslash in a string":    `select '\'`,
		"escape string":            `select E'it\'s; fine'`,
		"escaped backslash":        `select e'\\'`,
		"continued escape string":  "select E'a'\n  'b\\';c'",
		"quoted name":              `select 1 as "a;b""c;"`,
		"dollar quotes":            "do $$ begin perform 1; end; $$",
		"tagged dollar quotes":     "do $body$ begin execute $$ select 1; $$; end; $body$",
		"tag with digits":          "do $t1$ ; $t1$",
		"dollar in a name":         "select a$b$c from t$x",
		"parameter":                "prepare p as select $1, $2",
		"line comment":             "select 1 -- not; here\n + 1",
		"block comment":            "select /* a; /* nested; */ still; */ 1",
		"parentheses":              "create rule r as on insert to t do (select 1; select 2)",
		"atomic body":              "create function f() returns int language sql begin atomic select 1; select 2; end",
		"atomic body with case":    "create or replace function f() returns int begin atomic select case when true then 1 else 2 end; select 3; end",
		"atomic procedure":         "CREATE PROCEDURE p() BEGIN ATOMIC insert into appends values (1); END",
		"name that contains end":   "create function f() returns int begin atomic select append from weekend; select 1; end",
		"comment inside":           "create function f() returns int begin /* ; */ atomic select 1; -- end;\n end",
		"unclosed string":          "select 'abc; def",
		"unclosed dollar quote":    "do $$ begin; end",
		"unclosed comment":         "select 1 /* ; a",
		"unclosed escape":          `select E'\`,
		"minus and slash":          "select 4 - 2 / 1",
		"Unicode name":             "select ü$$ from t",
		"national character":       "select U&'d\\0061t;'",
		"word e before a string":   "select date '2020-01-01;'",
		"identifier ending in e'":  "select 1 as e, ';'",
		"dollar after a name":      "select 'x'::a$$, ';'",
		"semicolon in array paren": "select (array[';'])[1]",
	} {
		assert.Equal(t, []string{sql}, texts(sql), name)
		if !strings.HasPrefix(name, "unclosed") {
			assert.Equal(t, []string{sql, "select 99"}, texts(sql+"\n;select 99"), name)
		}
	}
}

func TestStatementsAreCutAtTheirSemicolons(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"select 1", "select 2"}, texts("select 1;select 2"))
	assert.Equal(t, []string{"-- about\nselect 1", "begin", "insert into t values (1)", "commit"},
		texts("-- about\nselect 1;\n\nbegin;insert into t values (1);commit;\n"))
	assert.Equal(t, []string{"create function f() returns int begin atomic select 1; end", "select 2"},
		texts("create function f() returns int begin atomic select 1; end; select 2;"))
	assert.Equal(t, []string{"create function f() returns int language plpgsql as $$begin return 1; end$$", "select 2"},
		texts("create function f() returns int language plpgsql as $$begin return 1; end$$; select 2"))
	assert.Equal(t, []string{"select case when true then 1 end", "select 2"}, texts("select case when true then 1 end; select 2"))
	assert.Equal(t, []string{"select $1$", "$1$ 2"}, texts("select $1$; $1$ 2"), "a tag does not begin with a digit")
	assert.Equal(t, []string{"select 1)", "select 2"}, texts("select 1); select 2"))
	assert.Equal(t, []string{"select 1", "-- the end"}, texts("select 1; -- the end\n"))
	assert.Empty(t, texts(" \n\t;; ; "))
	assert.Empty(t, texts(""))
}

func TestAStatementKnowsWhereItStands(t *testing.T) {
	t.Parallel()
	sql := "\n  select 'ü';\n\n-- note\nselect 2 ; "
	for _, s := range split.Statements(sql) {
		assert.True(t, strings.HasPrefix(sql[s.Offset:], s.Text))
	}
	assert.Equal(t, 3, split.Statements(sql)[0].Offset)
}

func TestWhatOnlyPsqlUnderstandsIsMarked(t *testing.T) {
	t.Parallel()
	for sql, offset := range map[string]int{
		`\copy t from 'f'`:            0,
		"-- x\n\\i other.sql":         5,
		`select 1 \gexec`:             9,
		`select '\copy'`:              -1,
		"/* \\i */ select 1":          -1,
		`select E'\n'`:                -1,
		`do $$ \ $$`:                  -1,
		"select 1 -- \\x\n":           -1,
		`select "\"`:                  -1,
		"\\restrict abc\nselect 1":    0,
		"select 1, \\\n2":             10,
		`comment on table t is '\;x'`: -1,
	} {
		assert.Equal(t, offset, split.Statements(sql)[0].Backslash, sql)
	}
	for sql, want := range map[string]bool{
		"copy t from stdin":                           true,
		"COPY public.t (a, b) FROM /* x */ stdin":     true,
		"-- c\ncopy t from stdin with (format csv)":   true,
		"copy t from '/tmp/x'":                        false,
		"copy (select 1) to stdout":                   false,
		"select * from stdin":                         false,
		"insert into copy values ('copy from stdin')": false,
	} {
		assert.Equal(t, want, split.Statements(sql)[0].CopyFromStdin, sql)
	}
}

// Work that grows with the square of the length would take hours on these, and the deadline of go test would end it.
func TestALongTextIsCutInOnePass(t *testing.T) {
	t.Parallel()
	const n = 300_000
	for sql, pieces := range map[string]int{
		strings.Repeat("select 1;", n):   n,
		strings.Repeat("$a", n):          1,
		strings.Repeat("$a$b", n):        1,
		strings.Repeat("/*", n):          1,
		strings.Repeat("'", 2*n+1) + ";": 1,
		strings.Repeat("E'\n' ", n):      1,
	} {
		assert.Len(t, split.Pieces(sql), pieces)
	}
}

func FuzzPiecesAreTheText(f *testing.F) {
	for _, seed := range []string{
		"", ";", "select 1; select 2", "do $$;$$;", "E'\\", "$a$b$a$", "/*/**/", "create function f() begin atomic case end; end;", "'\n'", "\xff;\x00",
		"e'a'\n'b\\", "$ü$;$ü$", `\;`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if joined := strings.Join(split.Pieces(sql), ""); joined != sql {
			t.Fatalf("%q became %q", sql, joined)
		}
		end := 0
		for _, s := range split.Statements(sql) {
			if s.Offset < end || !strings.HasPrefix(sql[s.Offset:], s.Text) || s.Backslash >= len(s.Text) {
				t.Fatalf("%+v is not in %q after %d", s, sql, end)
			}
			end = s.Offset + len(s.Text)
		}
	})
}
