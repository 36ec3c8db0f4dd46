package psql

import (
	"strings"
	"testing"

	"github.com/supascore/supascore/stack/migrate/split"
)

// vars are variables for texts that use them.
func vars() map[string]string {
	return map[string]string{"a": "1", "quote": `it's \ "so"`, "ü": "é", "_": ""}
}

func FuzzACommandIsReadToItsEnd(f *testing.F) {
	for _, text := range []string{
		`\set a 'b''c\n' "d" :a :'quote' :"quote" :{?a} \\ select 1;`, "\\echo x\nselect 1", `\`, `\\`, `\a\b`, "\\set x `date`", `\i 'open`, `\i "open`,
		"\\gset p_\n", `\x :`, `\x ::a`, `\x :{?`, `\x :'`, `\x '\`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = `\` + text
		s := &session{vars: vars()}
		c, rest := s.parse(text)
		if !strings.HasSuffix(text, rest) || len(rest) >= len(text) {
			t.Fatalf("%q: %q is left of it, after %+v", text, rest, c)
		}
		if strings.ContainsAny(c.name, " \t\n\\") {
			t.Fatalf("%q: the command is %q", text, c.name)
		}
	})
}

// Without variables a text is what it was, whatever its colons.
func FuzzReplacingNothingChangesNothing(f *testing.F) {
	for _, text := range []string{"select :a, :'quote', :\"quote\", :{?a}, x::int, a[1:2], ':a'", ":", "::::", ":'a", ":{?a", ":ü:_"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := split.Next(text)
		piece := text[:p.Length]
		with, without := &session{vars: vars()}, &session{}
		with.replace(piece, p.Colons) // must only not fail
		if strings.Contains(piece, ":{?") {
			return // asks whether a variable is set, which is answered
		}
		if got := without.replace(piece, p.Colons); got != piece {
			t.Fatalf("%q became %q", piece, got)
		}
	})
}
