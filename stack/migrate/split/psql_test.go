package split_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/migrate/split"
)

func TestPsqlCutsAtSemicolonsAndBackslashes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]split.Piece{
		"select 1; select 2":                 {Length: 9, Ended: true},
		"select 1":                           {Length: 8},
		"select 1 \\gset\nselect 2;":         {Length: 9, Backslash: true},
		`\set a 1`:                           {Backslash: true, Blank: true},
		"-- a \\set\n \\set":                 {Length: 11, Backslash: true, Blank: true},
		"/* ; */ ;":                          {Length: 9, Ended: true, Blank: true},
		`select '\;' , $$ \; :a $$, ":b" ;x`: {Length: 33, Ended: true},
		"select a::int, :a, :'b;', x[1:2];":  {Length: 33, Ended: true, Colons: []int{8, 9, 15, 19, 29}},
		"copy t from stdin;\n1\n\\.\n":       {Length: 18, Ended: true, CopyFromStdin: true},
		"create rule r as (a; b);":           {Length: 24, Ended: true},
		"":                                   {Blank: true},
	} {
		assert.Equal(t, want, split.Next(text), text)
	}
}

func FuzzPsqlsPiecesAreTheBeginningOfTheText(f *testing.F) {
	f.Add("select 1; \\set a :b ; $$ \\ $$ 'c:' -- d")
	f.Add("/* */ \\ ;")
	f.Fuzz(func(t *testing.T, sql string) {
		p := split.Next(sql)
		if p.Length < 0 || p.Length > len(sql) || p.Ended && sql[p.Length-1] != ';' || p.Backslash && sql[p.Length] != '\\' {
			t.Fatalf("%q: %+v", sql, p)
		}
		if !p.Ended && !p.Backslash && p.Length != len(sql) {
			t.Fatalf("%q ends in the middle: %+v", sql, p)
		}
		for _, c := range p.Colons {
			if sql[c] != ':' || c >= p.Length {
				t.Fatalf("%q has no colon at %d", sql, c)
			}
		}
	})
}
