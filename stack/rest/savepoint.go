package rest

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// undo is the statement that takes back what a request did: its transaction, or what came behind a savepoint of the
// transaction that it is a part of.
func undo(savepoint string) string {
	if savepoint == "" {
		return "ROLLBACK"
	}
	return "ROLLBACK TO SAVEPOINT " + pgx.Identifier{savepoint}.Sanitize()
}

// nest makes a transaction the part of another one behind a savepoint, when it has one: going back to the savepoint is its
// beginning. Whether it may write is among its settings. A stricter isolation level cannot be had in the middle of a
// transaction (PostgreSQL documentation, "SET TRANSACTION").
func (t *transaction) nest() error {
	if t.savepoint == "" {
		return nil
	}
	if !strings.HasPrefix(t.begin, "BEGIN ISOLATION LEVEL READ COMMITTED ") {
		return fmt.Errorf("rest: a transaction behind a savepoint cannot %s", strings.ToLower(t.begin))
	}
	t.begin = undo(t.savepoint)
	return nil
}
