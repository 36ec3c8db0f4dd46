package ground

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/arena"
)

// mostRows is up to how many rows a table is known row by row; larger ones are known by
// number and checksum. It is that of supascore.look.
const mostRows = 2000

// rowsInOrder reads all rows of tables, known as "schema.table", as they lie, since that
// is the order in which they come back where nobody asks for one.
func rowsInOrder(ctx context.Context, conn *pgx.Conn, tables []string) (arena.Rows, error) {
	found, err := conn.Query(ctx, `select n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname)
		from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname || '.' || c.relname = any ($1) and c.relkind = 'r'`, tables)
	if err != nil {
		return nil, fmt.Errorf("look at the tables: %w", err)
	}
	rows := arena.Rows{}
	batch := &pgx.Batch{}
	var title, name string
	_, err = pgx.ForEachRow(found, []any{&title, &name}, func() error {
		as := title
		batch.Queue("select textin(record_out(t)) from only " + name + " t").Query(func(found pgx.Rows) (err error) {
			rows[as], err = pgx.CollectRows(found, pgx.RowTo[string])
			return err
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at the tables: %w", err)
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("look at the rows: %w", err)
	}
	return rows, nil
}

// keptRows reads the rows of the tables that were there before and that this role can
// change: those of Auth and Storage, and its own.
func keptRows(ctx context.Context, conn *pgx.Conn) (arena.Rows, error) {
	found, err := conn.Query(ctx, `select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
			and (n.nspname in ('auth', 'storage') or c.relowner = current_user::regrole)
			and has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'delete') order by 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("look at the tables: %w", err)
	}
	var schema, relation string
	var names, queries []string
	_, err = pgx.ForEachRow(found, []any{&schema, &relation}, func() error {
		names = append(names, schema+"."+relation)
		queries = append(queries, fmt.Sprintf("select textin(record_out(t)) from only %s t limit %d", pgx.Identifier{schema, relation}.Sanitize(), mostRows+1))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at the tables: %w", err)
	}
	rows := arena.Rows{}
	batch := &pgx.Batch{}
	for i, query := range queries {
		batch.Queue(query).Query(func(found pgx.Rows) error {
			list, err := pgx.CollectRows(found, pgx.RowTo[string])
			if len(list) <= mostRows { // services write logs; larger tables are not a candidate's
				slices.Sort(list)
				rows[names[i]] = list
			}
			return err
		})
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("look at the rows: %w", err)
	}
	return rows, nil
}

// differing are the tables whose rows are others now, sorted. Tables that are gone or
// new are not among them.
func differing(before, now arena.Rows) []string {
	var tables []string
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if rows, found := now[table]; found && !slices.Equal(before[table], rows) {
			tables = append(tables, table)
		}
	}
	return tables
}

// table is a table whose rows are put back.
type table struct {
	// Title is "schema.table", Name the same for SQL.
	Title, Name string
	// Columns are those that can be filled in, Picked the same of a row r, for SQL.
	Columns, Picked string
	// Checks are the constraints that its rows were never held against: what drops each,
	// and what makes it again.
	Drops, Checks []string
	// Own says that this role owns it.
	Own bool
}

// restoreRows fills the tables with the rows that are kept, without triggers, rules and
// foreign keys having a say, in the order in which they were.
func restoreRows(ctx context.Context, conn *pgx.Conn, titles []string, kept arena.Rows) error {
	if len(titles) == 0 {
		return nil
	}
	query, err := script("tables")
	if err != nil {
		return err
	}
	found, err := conn.Query(ctx, query, titles)
	if err != nil {
		return fmt.Errorf("undo what was written: %w", err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowToStructByPos[table])
	if err != nil {
		return fmt.Errorf("undo what was written: %w", err)
	}
	if err := atRest(ctx, conn, tables, table.empty); err != nil {
		return err
	}
	var own []string
	for _, t := range tables {
		if t.Own {
			own = append(own, t.Name)
		}
	}
	if len(own) > 0 {
		// Into the room that deleted rows leave, rows would come in another order, which
		// queries without ORDER BY show.
		if _, err := conn.Exec(ctx, "vacuum (truncate on, index_cleanup on) "+strings.Join(own, ", "), pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("undo what was written: %w", err)
		}
	}
	return atRest(ctx, conn, tables, func(t table, ctx context.Context, tx pgx.Tx) error { return t.fill(ctx, tx, kept[t.Title]) })
}

// atRest does something to tables in one transaction while triggers rest.
func atRest(ctx context.Context, conn *pgx.Conn, tables []table, do func(table, context.Context, pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, setting := range []string{
			"set local session_replication_role = replica", "set local search_path = pg_catalog, pg_temp", "set local row_security = off",
		} {
			if _, err := tx.Exec(ctx, setting); err != nil {
				return fmt.Errorf("undo what was written: %w", err)
			}
		}
		for _, t := range tables {
			if err := do(t, ctx, tx); err != nil {
				return fmt.Errorf("undo what was written to %s: %w", t.Title, err)
			}
		}
		return nil
	})
}

func (t table) empty(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "delete from only "+t.Name)
	return err
}

func (t table) fill(ctx context.Context, tx pgx.Tx, rows []string) error {
	insert := "insert into " + t.Name + " (" + t.Columns + ") overriding system value select " + t.Picked +
		" from (select line::" + t.Name + " from unnest($1::text[]) as lines (line) offset 0) as made (r)"
	if t.Columns == "" {
		insert = "insert into " + t.Name + " select from unnest($1::text[])"
	}
	for _, statement := range t.Drops {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, insert, rows); err != nil {
		return err
	}
	for _, statement := range t.Checks {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
