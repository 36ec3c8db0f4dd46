package split

import "strings"

// Piece is the beginning of a text as psql cuts it: up to a semicolon, a backslash or the end.
type Piece struct {
	// Length is how many bytes the piece has, with its semicolon and without the backslash.
	Length int
	// Ended and Backslash say what the piece ends at; neither is set at the end of the text.
	Ended     bool
	Backslash bool
	// Blank says that there is nothing but space, comments and the semicolon.
	Blank bool
	// Colons are the offsets of the colons outside of quotes and comments, at which a variable may stand.
	Colons []int
	// CopyFromStdin says that the piece is a COPY … FROM STDIN, whose data follows in the text.
	CopyFromStdin bool
}

// Next cuts the first piece off a text for somebody who does what psql does: commands begin with a backslash, and :name is
// replaced.
func Next(sql string) Piece {
	p := Piece{Blank: true}
	l := &lexer{sql: sql, backslash: -1, psql: &p}
	l.run()
	p.Length, p.CopyFromStdin = l.pos, l.copyFromStdin()
	p.Ended = !p.Backslash && l.ended
	return p
}

// note takes note of a character outside of quotes and comments. It reports whether the piece ends before it.
func (l *lexer) note(c byte) bool {
	rest := l.sql[l.pos:]
	switch {
	case c == '\\':
		l.psql.Backslash = true
		return true
	case c == ':':
		l.psql.Colons = append(l.psql.Colons, l.pos)
	}
	space := strings.IndexByte(" \t\n\r\f\v;", c) >= 0
	l.psql.Blank = l.psql.Blank && (space || strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*"))
	return false
}
