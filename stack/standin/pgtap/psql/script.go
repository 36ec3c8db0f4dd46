package psql

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/migrate/split"
)

// maxDepth is how deep files may include each other.
const maxDepth = 16

// script runs the text of one file.
func (s *session) script(ctx context.Context, path, text string) error {
	if s.depth++; s.depth > maxDepth {
		return s.refuse("%s: files include each other more than %d deep", path, maxDepth)
	}
	outer := s.place
	defer func() { s.place, s.depth = outer, s.depth-1 }()
	s.place = place{path, 1}
	f := &file{session: s, rest: text}
	for f.rest != "" && !f.quit {
		if err := f.step(ctx); err != nil {
			return err
		}
	}
	if len(f.branches) > 0 && !f.quit {
		return s.complain(`reached EOF without finding closing \endif(s)`)
	}
	return nil
}

// file is a script that is being run.
type file struct {
	*session
	rest string // what was not read yet
	// The query so far: ready has its variables replaced and ends at a \; or is empty; open does not and goes on in rest.
	ready, open string
	branches    []branch // the \if that the script is in, outermost first
	quit        bool
}

// step reads up to the next semicolon, backslash or the end.
func (f *file) step(ctx context.Context) error {
	text := f.open + f.rest
	p := split.Next(text)
	piece := text[:p.Length]
	f.place.line += strings.Count(piece[min(len(f.open), len(piece)):], "\n")
	f.rest = text[p.Length:]
	if !f.live() {
		return f.skip(p)
	}
	if p.CopyFromStdin && !p.Backslash {
		return f.refuse("COPY … FROM STDIN is not supported by supascore's stand-in for psql; write the rows as INSERT")
	}
	query := f.ready
	if !p.Blank {
		query += f.replace(piece, p.Colons)
	}
	if !p.Backslash {
		f.ready, f.open = "", ""
		if strings.TrimSpace(query) == "" {
			return nil
		}
		return f.query(ctx, query, f.show)
	}
	if after, ok := strings.CutPrefix(f.rest, `\;`); ok {
		f.ready, f.open, f.rest = query+";", "", after
		return nil
	}
	f.open = piece
	if p.Blank {
		f.open = ""
	}
	c, rest := f.parse(f.rest)
	done, err := f.command(ctx, c, query)
	if done {
		f.ready, f.open = "", ""
	}
	f.pass(rest)
	return err
}

// pass goes on to the rest of the text. A line ends after its command: messages of the command name it.
func (f *file) pass(rest string) {
	f.place.line += strings.Count(f.rest[:len(f.rest)-len(rest)], "\n")
	f.rest = rest
}

// skip passes over a piece in a branch that is not run. The query that was begun before stays.
func (f *file) skip(p split.Piece) error {
	if !p.Backslash {
		return nil
	}
	if after, ok := strings.CutPrefix(f.rest, `\;`); ok {
		f.pass(after)
		return nil
	}
	c, rest := f.parse(f.rest)
	var err error
	if isConditional(c.name) {
		err = f.conditional(c)
	}
	f.pass(rest)
	return err
}

// replace puts the values of variables in the places of :name, :'name', :"name" and :{?name}. A name that is not set stays.
func (s *session) replace(text string, colons []int) string {
	var b strings.Builder
	done := 0
	for _, at := range colons {
		if at < done {
			continue
		}
		value, length := s.variable(text[at:])
		if length == 0 {
			continue
		}
		b.WriteString(text[done:at] + value)
		done = at + length
	}
	b.WriteString(text[done:])
	return b.String()
}

// variable reads the variable at the beginning of a text, and what stands for it. The length is 0 when there is none; of two
// colons, both are passed over.
func (s *session) variable(text string) (value string, length int) {
	inner := text[1:]
	switch {
	case strings.HasPrefix(inner, ":"):
		return "::", 2
	case strings.HasPrefix(inner, "{?"):
		name := inner[2 : 2+nameLength(inner[2:])]
		if name == "" || !strings.HasPrefix(inner[2+len(name):], "}") {
			return "", 0
		}
		if _, set := s.vars[name]; set {
			return "TRUE", len(name) + 4
		}
		return "FALSE", len(name) + 4
	case strings.HasPrefix(inner, "'"), strings.HasPrefix(inner, `"`):
		name := inner[1 : 1+nameLength(inner[1:])]
		value, set := s.vars[name]
		if !set || !strings.HasPrefix(inner[1+len(name):], inner[:1]) {
			return "", 0
		}
		if inner[0] == '"' {
			return pgx.Identifier{value}.Sanitize(), len(name) + 3
		}
		return literal(value), len(name) + 3
	}
	name := inner[:nameLength(inner)]
	value, set := s.vars[name]
	if !set {
		return "", 0
	}
	return value, len(name) + 1
}

// literal quotes a value as psql does, so that it stands for itself whatever the server's settings are.
func literal(value string) string {
	quoted := "'" + strings.ReplaceAll(value, "'", "''") + "'"
	if strings.Contains(value, `\`) {
		return " E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

// nameLength is how long the name of a variable at the beginning of a text is.
func nameLength(text string) int {
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return n
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}
