package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/rest/query"
)

// step is one statement of an exchange.
type step struct {
	sql  string
	args []query.Argument
	role string // under which it runs; empty when it does not matter
	// formats are the result columns' formats, 1 for binary; nil means that all are text
	formats []int16
}

// rows are the rows of a step: columns as they came, nil for NULL.
type rows [][][]byte

// exchange sends steps to the server in one go and reads what comes back: the extended protocol's pipelining, in which one
// network round trip carries a whole transaction. Statements are prepared as they are met, in the same go.
type exchange struct {
	conn    *pgconn.PgConn
	known   *prepared
	pending []pendingStatement
	bare    bool // prepare nothing
	// savepoint is what abort goes back to; empty for ending the transaction
	savepoint string
}

// pendingStatement is a statement that was sent to be prepared.
type pendingStatement struct {
	key  statementKey
	name string
}

// newExchange talks over a connection that the caller has for itself.
func newExchange(conn *pgconn.PgConn) *exchange {
	return &exchange{conn: conn, known: preparedOf(conn)}
}

// do runs steps in order. PostgreSQL skips those after one that fails; its error is returned, a *pgconn.PgError unless
// the connection broke. The results of the steps before it are returned too.
func (x *exchange) do(ctx context.Context, steps []step) ([]rows, error) {
	pipe := x.conn.StartPipeline(ctx)
	x.pending = x.pending[:0]
	for _, s := range steps {
		x.send(pipe, s)
	}
	// One Sync for all: after an error PostgreSQL ignores everything up to it.
	if err := pipe.Sync(); err != nil {
		_ = pipe.Close() // broken already, and says the same
		return nil, err
	}
	results, err := x.receive(pipe)
	if closing := pipe.Close(); err == nil {
		err = closing
	}
	return results, err
}

// send queues a step, and before it its preparation when the server does not know it yet.
func (x *exchange) send(pipe *pgconn.Pipeline, s step) {
	values, formats := encode(s.args)
	if x.bare {
		pipe.SendQueryParams(s.sql, values, nil, formats, s.formats)
		return
	}
	key := statementKey{role: s.role, sql: s.sql}
	name, ok := x.known.names[key]
	if !ok {
		if old, ok := x.known.evict(); ok {
			pipe.SendDeallocate(old)
		}
		name = x.known.newName()
		pipe.SendPrepare(name, s.sql, nil)
		x.pending = append(x.pending, pendingStatement{key, name})
	}
	pipe.SendQueryPrepared(name, values, formats, s.formats)
}

// encode splits arguments into values and formats. Formats are left out when all are text.
func encode(args []query.Argument) (values [][]byte, formats []int16) {
	values = make([][]byte, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	if !slices.ContainsFunc(args, func(a query.Argument) bool { return a.Binary }) {
		return values, nil
	}
	formats = make([]int16, len(args))
	for i, a := range args {
		if a.Binary {
			formats[i] = 1
		}
	}
	return values, formats
}

// receive reads until the server is ready for more.
func (x *exchange) receive(pipe *pgconn.Pipeline) ([]rows, error) {
	var all []rows
	var first error
	for {
		result, err := pipe.GetResults()
		if err != nil {
			// The first error is the reason; what follows is its consequence.
			if first == nil {
				first = err
			}
			var pgErr *pgconn.PgError
			if !errors.As(err, &pgErr) || x.conn.IsClosed() {
				return all, first
			}
			continue
		}
		switch r := result.(type) {
		case *pgconn.PipelineSync, nil:
			return all, first
		case *pgconn.StatementDescription:
			// Preparations are answered in the order in which they were sent.
			x.known.add(x.pending[0].key, x.pending[0].name)
			x.pending = x.pending[1:]
		case *pgconn.CloseComplete:
		case *pgconn.ResultReader:
			got, err := read(r)
			if err == nil {
				all = append(all, got)
			} else if first == nil {
				first = err
			}
		default:
			return all, fmt.Errorf("unexpected result %T", result)
		}
	}
}

// read copies the rows of a result, whose buffer is used again for the next one.
func read(r *pgconn.ResultReader) (rows, error) {
	var out rows
	for r.NextRow() {
		out = append(out, copyRow(r.Values()))
	}
	_, err := r.Close()
	return out, err
}

// copyRow copies a row into one piece of memory.
func copyRow(values [][]byte) [][]byte {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	row, text := make([][]byte, len(values)), make([]byte, 0, size)
	for i, v := range values {
		if v != nil { // NULL stays nil, an empty text does not become it
			from := len(text)
			text = append(text, v...)
			row[i] = text[from:len(text):len(text)]
		}
	}
	return row
}
