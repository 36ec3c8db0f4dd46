package hooks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// voidOID is the type of a function that returns nothing. PostgreSQL sends an
// empty text for it; to a hook it is no answer, like NULL.
const voidOID = 2278

// sqlCall is a call of a function: public.f($1).
type sqlCall struct {
	name    pgx.Identifier
	payload []byte
	limited bool
}

// selectFunction runs a hook's function and returns its answer as text, nil
// for SQL NULL.
func (h *Hooks) selectFunction(ctx context.Context, tx pgx.Tx, call sqlCall) ([]byte, error) {
	if tx != nil {
		return h.selectIn(ctx, tx, call)
	}
	if h.db == nil {
		return nil, errors.New("hook has neither a transaction nor a database to open one")
	}
	var answer []byte
	err := pgx.BeginFunc(ctx, h.db, func(tx pgx.Tx) (err error) {
		answer, err = h.selectIn(ctx, tx, call)
		return err
	})
	return answer, err
}

// selectIn sends limit, call and reset in one round trip. The time limit is
// PostgreSQL's own, so that it also ends what the function waits for, and it
// is reset to the role's default, not to an earlier limit of the transaction,
// as in the real server.
//
// The event goes as a parameter of no stated type in text form: PostgreSQL
// then resolves the function as it does for a quoted literal, json and text
// arguments included (recording cat_hook_wrong_signature).
func (h *Hooks) selectIn(ctx context.Context, tx pgx.Tx, call sqlCall) ([]byte, error) {
	batch := &pgconn.Batch{}
	if call.limited {
		limit := strconv.FormatInt(int64(h.cfg.PostgresTimeout/time.Millisecond), 10)
		batch.ExecParams(`select set_config('statement_timeout', $1, true)`, [][]byte{[]byte(limit)}, nil, nil, nil)
	}
	batch.ExecParams("select "+call.name.Sanitize()+"($1)", [][]byte{call.payload}, nil, nil, nil)
	if call.limited {
		batch.ExecParams(`set local statement_timeout to default`, nil, nil, nil, nil)
	}
	results, err := tx.Conn().PgConn().ExecBatch(ctx, batch).ReadAll()
	if err != nil {
		return nil, err
	}
	// The call is the only result, or the middle one of three.
	return answerOf(results[len(results)/2])
}

// answerOf takes the first row's value; a function that returns a set may give
// none, which is an error.
func answerOf(result *pgconn.Result) ([]byte, error) {
	if len(result.Rows) == 0 || len(result.Rows[0]) == 0 {
		return nil, pgx.ErrNoRows
	}
	value, oid := result.Rows[0][0], result.FieldDescriptions[0].DataTypeOID
	if value == nil || oid == voidOID {
		return nil, nil
	}
	if oid != pgtype.ByteaOID {
		return value, nil
	}
	var raw []byte
	if err := pgtype.NewMap().Scan(pgtype.ByteaOID, pgtype.TextFormatCode, value, &raw); err != nil {
		return nil, fmt.Errorf("hook: read bytea: %w", err)
	}
	return raw, nil
}
