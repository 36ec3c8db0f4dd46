package docs

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// segment is one simple command: between the operators of lists and pipes.
type segment struct {
	// words are the command and its arguments. A word that the shell would have to
	// compute, from a variable for example, is empty.
	words []string
	// redirected is true when the output goes elsewhere.
	redirected bool
}

// segments are the simple commands of statements, in order, also those in groups.
// Loops and conditions are not looked into: nothing says how often they ran.
func segments(statements []*syntax.Stmt, redirected bool) []segment {
	var found []segment
	for _, statement := range statements {
		away := redirected || slices.ContainsFunc(statement.Redirs, takesOutput)
		switch cmd := statement.Cmd.(type) {
		case *syntax.CallExpr:
			found = append(found, newSegment(cmd, away))
		case *syntax.BinaryCmd:
			found = append(found, segments([]*syntax.Stmt{cmd.X, cmd.Y}, away)...)
		case *syntax.Subshell:
			found = append(found, segments(cmd.Stmts, away)...)
		case *syntax.Block:
			found = append(found, segments(cmd.Stmts, away)...)
		}
	}
	return found
}

func newSegment(call *syntax.CallExpr, redirected bool) segment {
	made := segment{redirected: redirected}
	for _, arg := range call.Args {
		word, _ := plain(arg)
		made.words = append(made.words, word)
	}
	return made
}

// takesOutput reports whether a redirection sends the standard output elsewhere.
func takesOutput(redirect *syntax.Redirect) bool {
	switch redirect.Op {
	case syntax.RdrAll, syntax.AppAll:
		return true
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.DplOut:
		return redirect.N == nil || redirect.N.Value == "1"
	default:
		return false
	}
}

// fetch returns the addresses that the command fetches to its output, and whether
// a server's error fails it instead of being printed.
func (s segment) fetch() (urls []string, failing bool) {
	if s.redirected || len(s.words) == 0 {
		return nil, false
	}
	switch path.Base(s.words[0]) {
	case "curl":
		options := readOptions(s.words[1:], curlValues())
		if options.has("o", "O", "I", "output", "remote-name", "remote-name-all", "head") {
			return nil, false
		}
		return options.addresses(), options.has("f", "fail")
	case "wget":
		options := readOptions(s.words[1:], wgetValues())
		if !options.is("-", "O", "output-document") {
			return nil, false
		}
		return options.addresses(), true
	default:
		return nil, false
	}
}

// plain is a word as the shell hands it on, false when it would have to compute a
// part of it.
func plain(word *syntax.Word) (string, bool) {
	var text strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(unescape(part.Value, false))
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				literal, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				text.WriteString(unescape(literal.Value, true))
			}
		default:
			return "", false
		}
	}
	return text.String(), true
}

// unescape undoes backslashes: all of them, or, within double quotes, those before
// the characters that need one there.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue // a continued line
			}
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}
