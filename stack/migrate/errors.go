package migrate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/migrate/split"
	"github.com/supascore/supascore/stack/workspace"
)

// Error is a statement that failed, or one that cannot be sent.
type Error struct {
	File   string // path in the workspace
	Line   int    // 1-based, of the position that PostgreSQL gives, otherwise of the statement; 0 when no statement failed but the commit
	Column int    // 1-based, in characters
	// What PostgreSQL said. SQLState is "" when it was not asked.
	SQLState string
	Message  string
	Detail   string
	Advice   string // PostgreSQL's HINT
	Where    string // PostgreSQL's CONTEXT: the functions that were running
	// Statement is the whole statement, "" for a failed commit.
	Statement string
	Remedy    string // what to do about it, "" when that is plain
	Err       error  // the cause, nil when the server was not asked
	text      string // the line in the file
}

// Error gives the place, SQLSTATE and message, PostgreSQL's detail and hint, and the line with a mark under the column.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": " + e.Message)
	if e.SQLState != "" {
		fmt.Fprintf(&b, " (SQLSTATE %s)", e.SQLState)
	}
	for _, part := range []struct{ name, text string }{{"detail", e.Detail}, {"hint", e.Advice}, {"context", e.Where}} {
		if part.text != "" {
			b.WriteString("\n  " + part.name + ": " + strings.ReplaceAll(part.text, "\n", "\n    "))
		}
	}
	if e.text != "" {
		prefix := fmt.Sprintf("%d | ", e.Line)
		fmt.Fprintf(&b, "\n  %s%s\n  %s^", prefix, e.text, strings.Repeat(" ", len(prefix)+e.Column-1))
	}
	return b.String()
}

// Hint returns the remedy.
func (e *Error) Hint() string { return e.Remedy }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// at makes an error with the place of an offset.
func at(f workspace.File, offset int) *Error {
	before := f.SQL[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	line := f.SQL[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	e := &Error{File: f.Path, Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(before[start:]) + 1}
	if line = strings.TrimRight(line, "\r"); len(line) <= 200 {
		e.text = strings.ReplaceAll(line, "\t", " ")
	}
	return e
}

// script is a file cut into statements.
type script struct {
	workspace.File
	kind       Kind
	statements []split.Statement
}

// newScript cuts a file and refuses what needs psql.
func newScript(kind Kind, f workspace.File) (script, error) {
	s := script{File: f, kind: kind, statements: split.Statements(f.SQL)}
	for _, statement := range s.statements {
		if statement.Backslash >= 0 {
			return script{}, psqlOnly(f, statement)
		}
		if statement.CopyFromStdin {
			e := at(f, statement.Offset+leadingComments(statement.Text))
			e.Statement, e.Message = statement.Text, "COPY … FROM STDIN takes its data from psql, which does not run here"
			e.Remedy = "write the rows as INSERT statements"
			return script{}, e
		}
	}
	return s, nil
}

// fail places what the server said about statement number i of the sent ones: first those of the file, then the record of it.
// The number after the last is the commit. It returns an *Error, unless the server said nothing.
func (s script) fail(i, sent int, err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return fmt.Errorf("apply %s: %w", s.Path, err) // the connection's fault, not the file's
	}
	e := &Error{File: s.Path}
	if i < len(s.statements) {
		statement := s.statements[i]
		offset := statement.Offset + leadingComments(statement.Text)
		if pgErr.Position > 0 {
			offset = statement.Offset + byteOffset(statement.Text, int(pgErr.Position)-1)
		}
		e = at(s.File, offset)
		e.Statement = statement.Text
	}
	e.Err = err
	e.SQLState, e.Message, e.Detail, e.Advice, e.Where = pgErr.Code, pgErr.Message, pgErr.Detail, pgErr.Hint, pgErr.Where
	if i >= sent {
		e.Message += " (when the transaction of the file was committed)"
	}
	e.Remedy = remedy(e, s.kind)
	return e
}

// byteOffset turns a number of characters into one of bytes.
func byteOffset(text string, characters int) int {
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}

var comments = regexp.MustCompile(`^(?:\s+|--[^\n]*(?:\n|$)|/\*(?s:.*?)\*/)+`)

// leadingComments is the length of what precedes the statement proper, so that an error without a position points at it.
func leadingComments(text string) int {
	n := len(comments.FindString(text))
	if n == len(text) {
		return 0
	}
	return n
}

var (
	missingType = regexp.MustCompile(`^type "([^".]+)(?:\[\])?" does not exist$`)
	metaCommand = regexp.MustCompile(`^\\[a-zA-Z!?]*`)
)

// remedy knows what usually helps against an error.
func remedy(e *Error, kind Kind) string {
	switch {
	case e.SQLState == "42704" && missingType.MatchString(e.Message):
		name := missingType.FindStringSubmatch(e.Message)[1]
		return fmt.Sprintf("if an extension has this type, name its schema too: extensions.%s", name)
	case e.SQLState == "25001":
		return "put the statement into a migration of its own: a migration of several statements is one transaction"
	case kind == KindSeed && (e.SQLState == "42P01" || e.SQLState == "42703" || e.SQLState == "3F000"):
		return "make it in a migration: every statement of a seed file is prepared before the first one runs"
	case e.SQLState == "42501":
		return "the CLI applies files as role postgres, which is no superuser and does not own Supabase's own schemas"
	case e.SQLState == "42601" && strings.HasPrefix(e.Statement, "\ufeff"):
		return "save the file without a byte-order mark"
	}
	return ""
}

// psqlOnly refuses a backslash command, such as \copy, \i or the \restrict of a dump.
func psqlOnly(f workspace.File, s split.Statement) *Error {
	e := at(f, s.Offset+s.Backslash)
	e.Statement = s.Text
	command := metaCommand.FindString(s.Text[s.Backslash:])
	e.Message = fmt.Sprintf("%s is a command of psql, and not SQL", command)
	if command == `\` {
		e.Message = "a backslash outside of quotes is not SQL"
	}
	e.Remedy = "remove it, or write it as SQL"
	return e
}
