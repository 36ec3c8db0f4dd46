package rls

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
)

// step is a statement with text parameters, and what becomes of its answer.
type step struct {
	sql  string
	args []string
	// read takes the result as it comes; nil for keep.
	read func(*pgconn.ResultReader) error
	// keep gets the rows; nil when nobody wants them.
	keep func(rows [][][]byte) error
	// refused gets PostgreSQL's refusal; without it that is an error of send.
	refused func(*probes.SQLError)
}

// send sends steps in one go. PostgreSQL skips those after one that it refuses.
func send(ctx context.Context, conn *pgconn.PgConn, steps []step) error {
	pipe := conn.StartPipeline(ctx)
	for _, s := range steps {
		args := make([][]byte, len(s.args))
		for i, arg := range s.args {
			args[i] = []byte(arg)
		}
		pipe.SendQueryParams(s.sql, args, nil, nil, nil)
	}
	if err := pipe.Sync(); err != nil {
		_ = pipe.Close() // broken already, and says the same
		return err
	}
	err := receive(conn, pipe, steps)
	if closing := pipe.Close(); err == nil && refused(closing) == nil {
		err = closing
	}
	return err
}

// receive reads the answers up to the end of the pipeline and returns the first error
// that is nobody's.
func receive(conn *pgconn.PgConn, pipe *pgconn.Pipeline, steps []step) (first error) {
	at := 0
	for {
		result, err := pipe.GetResults()
		reader, isResult := result.(*pgconn.ResultReader)
		switch {
		case err == nil && isResult:
			err = steps[at].take(reader)
		case err == nil:
			return first // nothing but the end is left
		}
		if err == nil {
			at++
			continue
		}
		failed := refused(err)
		if failed != nil && at < len(steps) && steps[at].refused != nil {
			steps[at].refused(failed)
			at = len(steps) // the rest is skipped
		} else if first == nil {
			first = err
		}
		var answered *pgconn.PgError
		if !errors.As(err, &answered) || conn.IsClosed() {
			return first
		}
	}
}

// take reads a result and hands it on.
func (s step) take(reader *pgconn.ResultReader) error {
	if s.read != nil {
		return s.read(reader)
	}
	read := reader.Read()
	if read.Err != nil || s.keep == nil {
		return read.Err
	}
	return s.keep(read.Rows)
}
