// Package split cuts a text of SQL into its statements the way PostgreSQL's own lexer would: strings, quoted names, dollar
// quotes, nested comments, parentheses and SQL-standard function bodies hold semicolons that end nothing. It promises that the
// pieces put together are the text again, whatever the text is, and that it takes time linear in its length. It does not
// understand the statements and checks nothing.
//
// The Supabase CLI cuts by the same rules with a simpler lexer (pkg/parser/state.go). The two differ where that one is wrong
// about SQL: it ends an E'…' string at an escaped quote and a BEGIN ATOMIC body at the first "end" in it, so that such a file
// fails there and works in psql. Here both are read as PostgreSQL reads them.
package split

import (
	"strings"
	"unicode/utf8"
)

// Statement is one statement of a text.
type Statement struct {
	// Text is the statement without the semicolon and the white space around it; comments before it belong to it. A text that
	// ends with a comment has a last statement that is nothing else, which the CLI sends to the server too.
	Text   string
	Offset int // of Text in the whole, in bytes
	// Backslash is the offset in Text of the first backslash outside of quotes and comments, which only psql understands; -1
	// when there is none.
	Backslash int
	// CopyFromStdin says that the statement is a COPY … FROM STDIN, for which only psql finds the data.
	CopyFromStdin bool
}

// Statements cuts a text into statements and leaves out empty ones.
func Statements(sql string) []Statement {
	var out []Statement
	offset := 0
	for _, p := range pieces(sql) {
		text := strings.TrimRight(p.text, ";") // the order is the CLI's, so "a ; ;" keeps its first semicolon there too
		trimmed := strings.TrimSpace(text)
		if trimmed != "" {
			start := strings.Index(text, trimmed)
			s := Statement{Text: trimmed, Offset: offset + start, Backslash: -1, CopyFromStdin: p.copyFromStdin}
			if p.backslash >= 0 {
				s.Backslash = p.backslash - start
			}
			out = append(out, s)
		}
		offset += len(p.text)
	}
	return out
}

// Pieces cuts a text after each semicolon that ends a statement. Joined, the pieces are the text.
func Pieces(sql string) []string {
	var out []string
	for _, p := range pieces(sql) {
		out = append(out, p.text)
	}
	return out
}

type piece struct {
	text          string
	backslash     int
	copyFromStdin bool
}

func pieces(sql string) []piece {
	var out []piece
	for sql != "" {
		l := &lexer{sql: sql, backslash: -1}
		l.run()
		out = append(out, piece{text: sql[:l.pos], backslash: l.backslash, copyFromStdin: l.copyFromStdin()})
		sql = sql[l.pos:]
	}
	return out
}

// lexer reads one piece.
type lexer struct {
	sql       string
	pos       int
	parens    int      // open parentheses
	bodies    int      // open BEGIN ATOMIC and CASE of a function body
	words     []string // the first words outside of parentheses, lower case
	last      string   // the last of all words
	stdin     bool     // the words FROM STDIN came one after the other
	backslash int
	ended     bool   // at a semicolon
	psql      *Piece // what psql wants to know; nil when nobody asks
}

// maxWords is how many words decide what kind of statement it is: CREATE OR REPLACE FUNCTION.
const maxWords = 4

// run moves pos behind the semicolon that ends the piece, or to the end of the text.
func (l *lexer) run() {
	for l.pos < len(l.sql) {
		c := l.sql[l.pos]
		if l.psql != nil && l.note(c) {
			return
		}
		switch {
		case c == '\'':
			l.quoted('\'', false)
		case c == '"':
			l.quoted('"', false)
		case c == '$':
			l.dollar()
		case c == '-' && strings.HasPrefix(l.sql[l.pos:], "--"):
			l.lineComment()
		case c == '/' && strings.HasPrefix(l.sql[l.pos:], "/*"):
			l.blockComment()
		case isWordStart(c):
			l.word()
		case c == '\\':
			if l.backslash < 0 {
				l.backslash = l.pos
			}
			l.pos++
		case c == '(':
			l.parens++
			l.pos++
		case c == ')':
			l.parens = max(l.parens-1, 0)
			l.pos++
		case c == ';':
			l.pos++
			if l.parens == 0 && l.bodies == 0 {
				l.ended = true
				return
			}
		default:
			l.pos++
		}
	}
}

// quoted skips a string or a quoted name. In an E string a backslash takes the next character with it.
func (l *lexer) quoted(quote byte, escapes bool) {
	for l.pos++; l.pos < len(l.sql); l.pos++ {
		switch c := l.sql[l.pos]; {
		case c == '\\' && escapes:
			l.pos++
		case c == quote && strings.HasPrefix(l.sql[l.pos+1:], string(quote)):
			l.pos++
		case c == quote:
			l.pos++
			if !escapes || !l.continued() {
				return
			}
			l.pos-- // for the loop's own step
		}
	}
	l.pos = min(l.pos, len(l.sql))
}

// continued reports whether a string goes on on another line, and moves to its next opening quote: 'a'⏎'b' is one string, and
// escapes stay what they are in it.
func (l *lexer) continued() bool {
	rest := l.sql[l.pos:]
	trimmed := strings.TrimLeft(rest, " \t\n\r\f\v")
	space := rest[:len(rest)-len(trimmed)]
	if !strings.ContainsAny(space, "\n\r") || !strings.HasPrefix(trimmed, "'") {
		return false
	}
	l.pos += len(space) + 1
	return true
}

// dollar skips a dollar-quoted string, or a lone dollar sign.
func (l *lexer) dollar() {
	end := l.pos + 1
	for end < len(l.sql) && (isWordStart(l.sql[end]) || end > l.pos+1 && isDigit(l.sql[end])) {
		end++
	}
	if end >= len(l.sql) || l.sql[end] != '$' {
		l.pos++
		return
	}
	tag := l.sql[l.pos : end+1]
	l.pos = end + 1
	if i := strings.Index(l.sql[l.pos:], tag); i >= 0 {
		l.pos += i + len(tag)
		return
	}
	l.pos = len(l.sql) // never closed: the server will say so
}

func (l *lexer) lineComment() {
	if i := strings.IndexAny(l.sql[l.pos:], "\n\r"); i >= 0 {
		l.pos += i + 1
		return
	}
	l.pos = len(l.sql)
}

// blockComment skips a comment with the comments inside it.
func (l *lexer) blockComment() {
	depth := 0
	for l.pos < len(l.sql) {
		switch {
		case strings.HasPrefix(l.sql[l.pos:], "/*"):
			depth++
			l.pos += 2
		case strings.HasPrefix(l.sql[l.pos:], "*/"):
			depth--
			l.pos += 2
			if depth == 0 {
				return
			}
		default:
			l.pos++
		}
	}
}

// word skips a keyword, name or number and takes note of what it means for the end of the statement.
func (l *lexer) word() {
	start := l.pos
	for l.pos < len(l.sql) && (isWordStart(l.sql[l.pos]) || isDigit(l.sql[l.pos]) || l.sql[l.pos] == '$') {
		l.pos++
	}
	word := strings.ToLower(l.sql[start:l.pos])
	if word == "e" && strings.HasPrefix(l.sql[l.pos:], "'") {
		l.quoted('\'', true)
		return
	}
	if l.parens > 0 {
		return
	}
	if len(l.words) < maxWords {
		l.words = append(l.words, word)
	}
	l.stdin = l.stdin || word == "stdin" && l.last == "from"
	l.last = word
	if l.isRoutine() {
		l.body(word)
	}
}

// body keeps count of what an END may belong to in the body of a function. The BEGIN of a transaction is none, as it does not
// stand in a CREATE FUNCTION, and the one of PL/pgSQL stands in a string.
func (l *lexer) body(word string) {
	switch {
	case word == "begin", word == "case" && l.bodies > 0:
		l.bodies++
	case word == "end" && l.bodies > 0:
		l.bodies--
	}
}

// isRoutine reports whether the statement is CREATE [OR REPLACE] FUNCTION or PROCEDURE.
func (l *lexer) isRoutine() bool {
	w := l.words
	if len(w) < 2 || w[0] != "create" {
		return false
	}
	kind := w[1]
	if kind == "or" && len(w) == maxWords && w[2] == "replace" {
		kind = w[3]
	}
	return kind == "function" || kind == "procedure"
}

func (l *lexer) copyFromStdin() bool { return l.stdin && len(l.words) > 0 && l.words[0] == "copy" }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordStart takes every byte above ASCII for a letter, as PostgreSQL does.
func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
