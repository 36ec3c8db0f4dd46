package arena

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/migrate/split"
)

// SQLError is SQL that does not run.
type SQLError struct {
	// File names the SQL, such as "candidate.sql"; empty when no text is at fault.
	File string `json:"file"`
	// Line and Column are where PostgreSQL stumbled, from 1; 0 when it did not say.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// SQLState is PostgreSQL's code; empty when the SQL never reached it.
	SQLState string `json:"sqlstate,omitempty"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Remedy says what to do about it; may be empty.
	Remedy string `json:"hint,omitempty"`
}

// Error is "file:line:column: message (SQLSTATE …)".
func (e *SQLError) Error() string {
	text := e.Message
	switch {
	case e.Line > 0:
		text = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, text)
	case e.File != "":
		text = e.File + ": " + text
	}
	if e.SQLState != "" {
		text += " (SQLSTATE " + e.SQLState + ")"
	}
	return text
}

// Hint is the remedy.
func (e *SQLError) Hint() string { return e.Remedy }

// scriptRun is SQL to be run as a whole.
type scriptRun struct {
	name, sql string
	limit     time.Duration
	// watch is called every now and then while the SQL runs and returns why it must
	// stop; nil for no reason to watch.
	watch func(ctx context.Context) string
	// within says that the session is in a transaction, which lasts.
	within bool
}

// watchInterval is how often a running script is looked after. Most are over before.
const watchInterval = 200 * time.Millisecond

// runScript runs SQL in one go, so that it is one transaction unless it says
// otherwise. Whatever is wrong with the SQL, or lasts too long, is a *SQLError; other
// errors are the machine's.
func runScript(ctx context.Context, conn *pgx.Conn, run scriptRun) error {
	if strings.TrimSpace(run.sql) == "" {
		return nil
	}
	if err := unservable(run.name, run.sql); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, run.limit)
	defer cancel()
	var stopped string
	if run.watch != nil {
		end := watch(limited, run.watch, func(reason string) { stopped = reason; cancel() })
		defer end()
	}
	_, err := conn.PgConn().Exec(limited, run.sql).ReadAll()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case stopped != "":
		return &SQLError{File: run.name, Message: stopped}
	case limited.Err() != nil:
		return &SQLError{File: run.name, SQLState: "57014", Message: fmt.Sprintf("takes longer than %s", run.limit)}
	case err != nil:
		return scriptError(run, err)
	case run.within && !within(conn):
		return ErrUnshared
	case !run.within && conn.PgConn().TxStatus() != 'I':
		return &SQLError{
			File: run.name, SQLState: "25001", Message: "leaves a transaction open, so nothing of it would last",
			Remedy: "end with commit, or leave out begin",
		}
	}
	return nil
}

// scriptError is PostgreSQL's refusal with its place in the text.
func scriptError(run scriptRun, err error) error {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return &SQLError{File: run.name, Message: "broke the connection to PostgreSQL: " + err.Error()}
	}
	out := &SQLError{File: run.name, SQLState: refused.Code, Message: refused.Message, Remedy: refused.Hint}
	if refused.Position > 0 {
		out.Line, out.Column = position(run.sql, int(refused.Position))
	}
	return out
}

// position turns PostgreSQL's position, characters from 1, into line and column.
func position(sql string, at int) (line, column int) {
	text := []rune(sql)
	before := string(text[:min(at-1, len(text))])
	return strings.Count(before, "\n") + 1, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
}

// unservable refuses what only psql understands; sent to the server a COPY FROM STDIN
// would wait for data that never come.
func unservable(name, sql string) error {
	for _, s := range split.Statements(sql) {
		if s.CopyFromStdin {
			line, column := position(sql, len([]rune(sql[:s.Offset]))+1)
			return &SQLError{File: name, Line: line, Column: column, Message: "COPY FROM STDIN has no data here", Remedy: "use insert"}
		}
	}
	return nil
}

// watch looks every watchInterval for a reason to stop. The returned function ends
// that and waits for it.
func watch(ctx context.Context, look func(context.Context) string, stop func(reason string)) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if reason := look(ctx); reason != "" {
				stop(reason)
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
