package ground

import (
	"context"
	"fmt"
	"maps"
	"slices"

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
		table := title
		batch.Queue("select textin(record_out(t)) from only " + name + " t").Query(func(found pgx.Rows) (err error) {
			rows[table], err = pgx.CollectRows(found, pgx.RowTo[string])
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
	var schema, table string
	var names, queries []string
	_, err = pgx.ForEachRow(found, []any{&schema, &table}, func() error {
		names = append(names, schema+"."+table)
		queries = append(queries, fmt.Sprintf("select textin(record_out(t)) from only %s t limit %d", pgx.Identifier{schema, table}.Sanitize(), mostRows+1))
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

// restoreRows fills the tables with the rows that are kept, without triggers, rules and
// foreign keys having a say.
func restoreRows(ctx context.Context, conn *pgx.Conn, tables []string, kept arena.Rows) error {
	if len(tables) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, setting := range []string{
			"set local session_replication_role = replica", "set local search_path = pg_catalog, pg_temp", "set local row_security = off",
		} {
			if _, err := tx.Exec(ctx, setting); err != nil {
				return fmt.Errorf("undo what was written: %w", err)
			}
		}
		for _, table := range tables {
			if err := restoreTable(ctx, tx, table, kept[table]); err != nil {
				return fmt.Errorf("undo what was written to %s: %w", table, err)
			}
		}
		return nil
	})
}

// restoreTable fills a table, known as "schema.table", with the rows.
func restoreTable(ctx context.Context, tx pgx.Tx, table string, rows []string) error {
	// A schema's name may have dots, so the table is found by the whole of it.
	var name, columns, picked string
	err := tx.QueryRow(ctx, `select format('%I.%I', n.nspname, c.relname),
			coalesce(string_agg(quote_ident(attname), ', ' order by attnum), ''),
			coalesce(string_agg('(r).' || quote_ident(attname), ', ' order by attnum), '')
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
			left join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
		where n.nspname || '.' || c.relname = $1 and c.relkind = 'r' group by c.oid, n.oid`, table).Scan(&name, &columns, &picked)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "delete from only "+name); err != nil || len(rows) == 0 {
		return err
	}
	if columns == "" {
		_, err = tx.Exec(ctx, "insert into "+name+" select from unnest($1::text[])", rows)
		return err
	}
	_, err = tx.Exec(ctx, "insert into "+name+" ("+columns+") overriding system value select "+picked+
		" from (select line::"+name+" from unnest($1::text[]) as lines (line) offset 0) as made (r)", rows)
	return err
}
