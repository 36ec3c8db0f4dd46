package arena

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// touched is what was written in a clone since it was copied.
type touched struct {
	// catalogs are the system catalogs with changes, by name.
	catalogs []string
	// rows says that a table was written to.
	rows bool
	// heaps tells where the tables' rows are kept from other places.
	heaps string
	// shared says that the session's transaction wrote to the shared catalogs, which others
	// see only when it is over.
	shared bool
}

// lookTouched asks PostgreSQL what was written. It counts rows that were taken back,
// too.
func lookTouched(ctx context.Context, conn *pgx.Conn) (touched, error) {
	var t touched
	query, err := script("touched")
	if err != nil {
		return t, err
	}
	if within(conn) {
		// What a transaction that lasts has written is in counts of its own.
		query = strings.ReplaceAll(query, "pg_stat_get_tuples_", "pg_stat_get_xact_tuples_")
	} else if _, err := conn.Exec(ctx, flushCounts, pgx.QueryExecModeSimpleProtocol); err != nil {
		return t, fmt.Errorf("arena: look at what was written: %w", err)
	}
	err = inCatalog(ctx, conn, query, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&t.catalogs, &t.rows, &t.heaps, &t.shared}, func() error { return nil })
		return err
	})
	if err != nil {
		return t, fmt.Errorf("arena: look at what was written: %w", err)
	}
	return t, nil
}

// section is a kind of objects that is looked at when one of the catalogs was written
// to.
type section struct {
	name     string
	kinds    []string
	catalogs []string
}

func sectionTable() []section {
	return []section{
		{"schema", []string{"schema"}, []string{"pg_namespace"}},
		{"relation", []string{"table", "view", "materialized view", "sequence", "foreign table"}, []string{"pg_class", "pg_rewrite"}},
		{"column", []string{"column"}, []string{"pg_attribute", "pg_attrdef"}},
		{"constraint", []string{"constraint"}, []string{"pg_constraint"}},
		{"function", []string{"function"}, []string{"pg_proc"}},
		{"trigger", []string{"trigger"}, []string{"pg_trigger"}},
		{"rule", []string{"rule"}, []string{"pg_rewrite"}},
		{"event_trigger", []string{"event trigger"}, []string{"pg_event_trigger"}},
		{"extension", []string{"extension"}, []string{"pg_extension"}},
		{"default_privileges", []string{"default privileges"}, []string{"pg_default_acl"}},
		{"cast", []string{"cast"}, []string{"pg_cast"}},
		{"setting", []string{"setting of the database"}, []string{"pg_db_role_setting"}},
	}
}

// allSections are the names of all sections.
func allSections() []string {
	var names []string
	for _, s := range sectionTable() {
		names = append(names, s.name)
	}
	return names
}

func (t touched) any(catalogs ...string) bool {
	return slices.ContainsFunc(catalogs, func(name string) bool { return slices.Contains(t.catalogs, name) })
}

// sections are the names of the sections to be looked at. The names of types are in
// many of them.
func (t touched) sections() []string {
	if t.any("pg_type", "pg_enum") {
		return allSections()
	}
	var names []string
	for _, s := range sectionTable() {
		if t.any(s.catalogs...) {
			names = append(names, s.name)
		}
	}
	return names
}

// shape says whether the Data API may see another schema, apart from what the sections
// show.
func (t touched) shape() bool {
	return t.any("pg_type", "pg_enum", "pg_range", "pg_index", "pg_inherits", "pg_partitioned_table", "pg_description",
		"pg_operator", "pg_aggregate", "pg_collation", "pg_language", "pg_foreign_table")
}

// only are the template's objects of the kinds of sections.
func (t *template) only(sections []string) map[string]string {
	var kinds []string
	for _, s := range sectionTable() {
		if slices.Contains(sections, s.name) {
			kinds = append(kinds, s.kinds...)
		}
	}
	objects := map[string]string{}
	for object, state := range t.objects {
		if kind, _ := cutObject(object); slices.Contains(kinds, kind) {
			objects[object] = state
		}
	}
	return objects
}

// lookObjects reads what a candidate may have changed behind the grader's back: object
// to state. Policies, privileges and row level security are the candidate's work and
// are not looked at.
func lookObjects(ctx context.Context, conn *pgx.Conn, sections []string) (map[string]string, error) {
	var parts []string
	for _, name := range append([]string{"spaces"}, sections...) {
		text, err := script("objects/" + name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, text)
	}
	query := parts[0] + strings.Join(parts[1:], "union all\n")
	objects := map[string]string{}
	err := inCatalog(ctx, conn, query, func(rows pgx.Rows) error {
		var kind, name, state string
		_, err := pgx.ForEachRow(rows, []any{&kind, &name, &state}, func() error {
			objects[kind+" "+name] = state
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("arena: look at the objects: %w", err)
	}
	return objects, nil
}

// flushCounts makes a session report what it has written when it waits for its next
// query, which it does not each time.
const flushCounts = "select pg_catalog.pg_stat_force_next_flush()"

// within says whether a session is in a transaction that lasts.
func within(conn *pgx.Conn) bool { return conn.PgConn().TxStatus() == 'T' }

// inCatalog runs a query whose names mean PostgreSQL's own objects. Names of other
// objects are printed with their schema.
func inCatalog(ctx context.Context, conn *pgx.Conn, query string, read func(pgx.Rows) error) error {
	batch := &pgx.Batch{}
	lasts := within(conn)
	if lasts {
		batch.Queue("savepoint supascore_look")
	}
	batch.Queue("set local search_path = pg_catalog, pg_temp")
	batch.Queue(query).Query(read)
	if lasts {
		batch.Queue("rollback to savepoint supascore_look")
		batch.Queue("release savepoint supascore_look")
	}
	return conn.SendBatch(ctx, batch).Close()
}

// lookRows reads all rows of a database.
func lookRows(ctx context.Context, conn *pgx.Conn) (Rows, error) {
	var raw []byte
	if err := conn.QueryRow(ctx, "select supascore.look()").Scan(&raw); err != nil {
		return nil, fmt.Errorf("look at the rows: %w", err)
	}
	return ParseRows(raw)
}

// ParseRows reads what supascore.look returns.
func ParseRows(raw []byte) (Rows, error) {
	var rows Rows
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, fmt.Errorf("arena: read the rows: %w", err)
	}
	return rows, nil
}
