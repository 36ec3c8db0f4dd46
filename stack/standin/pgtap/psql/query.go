package psql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// table is the result of one statement.
type table struct {
	columns []string
	rows    [][]*string // nil: NULL
	tag     pgconn.CommandTag
}

// query runs a query, which may be several statements, and hands over its results one by one, also those before an error. An
// error of the server is said, and returned when it ends the script.
func (s *session) query(ctx context.Context, sql string, each func(table) error) error {
	sql = strings.TrimLeft(sql, " \t\n\r\f\v")
	saved, err := s.savepoint(ctx)
	if err != nil {
		return err
	}
	results := s.conn.Exec(ctx, sql)
	var eachErr error
	for results.NextResult() {
		t, err := collect(results.ResultReader())
		if err != nil {
			break // Close says it
		}
		if eachErr == nil {
			s.vars["ROW_COUNT"] = strconv.FormatInt(t.tag.RowsAffected(), 10)
			eachErr = each(t)
		}
	}
	err = results.Close()
	return errors.Join(s.outcome(ctx, sql, saved, err), eachErr)
}

// collect reads a whole result: psql shows nothing of one that fails on the way.
func collect(r *pgconn.ResultReader) (table, error) {
	var t table
	for _, f := range r.FieldDescriptions() {
		t.columns = append(t.columns, f.Name)
	}
	for r.NextRow() {
		row := make([]*string, len(t.columns))
		for i, value := range r.Values() {
			if value != nil {
				text := string(value)
				row[i] = &text
			}
		}
		t.rows = append(t.rows, row)
	}
	var err error
	t.tag, err = r.Close()
	return t, err
}

// savepointName is psql's.
const savepointName = "pg_psql_temporary_savepoint"

// savepoint prepares for ON_ERROR_ROLLBACK.
func (s *session) savepoint(ctx context.Context) (bool, error) {
	if !s.on("ON_ERROR_ROLLBACK") || s.conn.TxStatus() != 'T' {
		return false, nil
	}
	return true, s.conn.Exec(ctx, "savepoint "+savepointName).Close()
}

// outcome takes note of how a query ended.
func (s *session) outcome(ctx context.Context, sql string, saved bool, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		s.vars["ERROR"], s.vars["SQLSTATE"] = "false", "00000"
		if saved && s.conn.TxStatus() == 'T' {
			return s.quietly(ctx, "release savepoint "+savepointName)
		}
		return nil
	case !errors.As(err, &pgErr):
		s.printf(s.cfg.Stderr, "psql:%s:%d: error: connection to server was lost: %s\n", s.place.path, s.place.line, err)
		return &stopError{exitLost}
	}
	s.message(pgErr, sql)
	s.vars["ERROR"], s.vars["SQLSTATE"], s.vars["ROW_COUNT"] = "true", pgErr.Code, "0"
	s.vars["LAST_ERROR_SQLSTATE"], s.vars["LAST_ERROR_MESSAGE"] = pgErr.Code, pgErr.Message
	if s.conn.IsClosed() {
		s.printf(s.cfg.Stderr, "psql:%s:%d: error: connection to server was lost\n", s.place.path, s.place.line)
		return &stopError{exitLost}
	}
	if saved && s.conn.TxStatus() == 'E' {
		if err := s.quietly(ctx, "rollback to savepoint "+savepointName); err != nil {
			return err
		}
	}
	return s.failed()
}

// quietly runs a statement of ours. A savepoint may be gone, when the query released it; that harms nobody.
func (s *session) quietly(ctx context.Context, sql string) error {
	err := s.conn.Exec(ctx, sql).Close()
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && ctx.Err() == nil {
		return nil
	}
	return err
}

// show writes a result as psql does with -A -t -q: a line for each row, nothing for a statement without rows.
func (s *session) show(t table) error {
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, value := range row {
			cells[i] = s.null
			if value != nil {
				cells[i] = *value
			}
		}
		s.printf(s.cfg.Stdout, "%s\n", strings.Join(cells, "|"))
	}
	return s.output
}

// message says what the server said, an error or a notice. sql is the query that an error has its position in.
func (s *session) message(e *pgconn.PgError, sql string) {
	var b strings.Builder
	fmt.Fprintf(&b, "psql:%s:%d: %s:  %s\n", s.place.path, s.place.line, e.Severity, e.Message)
	if e.Position > 0 {
		excerpt(&b, sql, int(e.Position))
	} else if e.InternalPosition > 0 {
		excerpt(&b, e.InternalQuery, int(e.InternalPosition))
	}
	for _, part := range []struct{ name, text string }{{"DETAIL", e.Detail}, {"HINT", e.Hint}, {"QUERY", e.InternalQuery}} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s:  %s\n", part.name, part.text)
		}
	}
	isError := e.SeverityUnlocalized == "ERROR" || e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC"
	if e.Where != "" && isError {
		fmt.Fprintf(&b, "CONTEXT:  %s\n", e.Where)
	}
	s.printf(s.cfg.Stderr, "%s", b.String())
}

// excerpt shows the line of a position, which counts characters from 1, with a mark below it.
func excerpt(w io.Writer, sql string, position int) {
	var offset int
	for range position - 1 {
		_, size := utf8.DecodeRuneInString(sql[offset:])
		offset += size
	}
	before := sql[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(sql[start:], "\n")
	prefix := fmt.Sprintf("LINE %d: ", strings.Count(before, "\n")+1)
	width := len(prefix) + utf8.RuneCountInString(before[start:])
	fmt.Fprintf(w, "%s%s\n%*s^\n", prefix, strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", " "), width, "")
}
