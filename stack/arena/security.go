package arena

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Security is what a clone lets whom do, as its catalogs say.
type Security struct {
	// Fingerprint is the same for databases with the same policies and privileges,
	// Requests for those that are the same apart from TRUNCATE, REFERENCES and TRIGGER.
	Fingerprint, Requests string
	// Rights are the privileges on tables that roles bound by policies have.
	Rights []Right
	// Triggered are the tables ("public.notes") with code that runs before rows are
	// written and can change them.
	Triggered []string
}

// Right is a privilege of a role on a table.
type Right struct {
	// Table is "schema.table".
	Table string
	Role  string
	// Verb is "select", "insert", "update" or "delete".
	Verb string
	// Columns are those that an update can change.
	Columns []string
}

// Security reads what the clone lets whom do: the roles of requests and the given ones.
// Nobody may be using the session.
func (c *Clone) Security(ctx context.Context, roles []string) (*Security, error) {
	owner, err := c.Owner(ctx)
	if err != nil {
		return nil, err
	}
	return LookSecurity(ctx, owner, slices.Concat(c.cluster.apiRoles, roles))
}

// LookSecurity reads what a database lets the roles do, in a session that is in no
// transaction.
func LookSecurity(ctx context.Context, conn *pgx.Conn, roles []string) (*Security, error) {
	s := &Security{}
	batch := &pgx.Batch{}
	batch.Queue("set local search_path = pg_catalog, pg_temp")
	fingerprint, err := script("security")
	if err != nil {
		return nil, err
	}
	batch.Queue(fingerprint).QueryRow(func(row pgx.Row) error { return row.Scan(&s.Fingerprint, &s.Requests) })
	rights, err := script("rights")
	if err != nil {
		return nil, err
	}
	batch.Queue(rights, roles).Query(func(rows pgx.Rows) (err error) {
		s.Rights, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Right])
		return err
	})
	batch.Queue(`select distinct tgrelid::regclass::text from pg_trigger
		where not tgisinternal and tgtype & 2 = 2 union select ev_class::regclass::text from pg_rewrite where rulename <> '_RETURN'`).
		Query(func(rows pgx.Rows) (err error) {
			s.Triggered, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("arena: look at policies and privileges: %w", err)
	}
	return s, nil
}
