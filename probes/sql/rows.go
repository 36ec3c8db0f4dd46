package sql

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/probes"
)

//go:embed fill.sql
var fillSQL string

// userFiller is what fill.sql answers for a column that refers to a user.
const userFiller = "user"

// Complete adds to a row what its table needs beside the given columns, so that an
// insert does not fail for want of a column that a candidate added. A column that
// refers to auth.users gets the first of users. The result is a new map.
func (d *DB) Complete(ctx context.Context, table string, row map[string]any, users []string) (map[string]any, error) {
	type filler struct{ Name, Value string }
	fillers, err := query(ctx, d, pgx.RowToStructByName[filler], fillSQL, table, columns(row))
	if err != nil {
		return nil, fmt.Errorf("look at the columns of %s: %w", table, err)
	}
	complete := make(map[string]any, len(row)+len(fillers))
	for column, value := range row {
		complete[column] = value
	}
	for _, filler := range fillers {
		complete[filler.Name] = filler.Value
		if filler.Value == userFiller && len(users) > 0 {
			complete[filler.Name] = users[0]
		}
	}
	return complete, nil
}

// Insert writes a row and returns its key: the columns of the table's primary key
// as text, or those of the row when the table has none. A conflict is not an
// error: the key is nil when nothing was written. The error is one of the
// connection; what Postgres refuses is the SQLError.
func (d *DB) Insert(ctx context.Context, table string, row map[string]any) (map[string]string, *probes.SQLError, error) {
	key, err := d.keyColumns(ctx, table)
	if err != nil {
		return nil, nil, err
	}
	if len(key) == 0 {
		key = columns(row)
	}
	statement, data, err := insertStatement(table, row)
	if err != nil {
		return nil, nil, err
	}
	written, err := query(ctx, d, pgx.RowTo[json.RawMessage], statement+" returning to_jsonb(t.*)", data)
	if err != nil {
		refused, err := refusal(err)
		return nil, refused, err
	}
	if len(written) == 0 {
		return nil, nil, nil
	}
	found, err := keyOf(written[0], key)
	return found, nil, err
}

// CanInsert reports whether the owner could write a row, without writing it: what
// Postgres refuses is the SQLError, and the error is one of the connection.
func (d *DB) CanInsert(ctx context.Context, table string, row map[string]any) (*probes.SQLError, error) {
	statement, data, err := insertStatement(table, row)
	if err != nil {
		return nil, err
	}
	err = rolledBack(ctx, d, statement, data)
	if err == nil {
		return nil, nil
	}
	return refusal(err)
}

// insertStatement makes the statement that writes a row, and its one parameter.
func insertStatement(table string, row map[string]any) (statement, data string, err error) {
	text, err := json.Marshal(row)
	if err != nil {
		return "", "", fmt.Errorf("row of %s: %w", table, err)
	}
	name, names := quoteTable(table), quoteAll(columns(row), "")
	// jsonb_populate_record gives every value its column's type.
	return fmt.Sprintf(
		`insert into %s as t (%s) select %s from jsonb_populate_record(null::%s, $1::text::jsonb) r on conflict do nothing`,
		name, names, quoteAll(columns(row), "r."), name), string(text), nil
}

// keyOf takes the key's columns out of a row. Numbers keep their digits: a bigint
// does not fit a float.
func keyOf(row json.RawMessage, names []string) (map[string]string, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(row, &values); err != nil {
		return nil, fmt.Errorf("read the written row: %w", err)
	}
	key := make(map[string]string, len(names))
	for _, name := range names {
		var text string
		if json.Unmarshal(values[name], &text) != nil {
			text = string(values[name])
		}
		key[name] = text
	}
	return key, nil
}

// Count counts the rows of a table whose columns have the given values.
func (d *DB) Count(ctx context.Context, table string, values map[string]any) (int, *probes.SQLError, error) {
	data, err := json.Marshal(values)
	if err != nil {
		return 0, nil, fmt.Errorf("row of %s: %w", table, err)
	}
	name := quoteTable(table)
	statement := fmt.Sprintf(`select count(*) from %s t, jsonb_populate_record(null::%s, $1::text::jsonb) r where %s`,
		name, name, sameValues(values))
	counts, err := query(ctx, d, pgx.RowTo[int], statement, string(data))
	if err != nil {
		refused, err := refusal(err)
		return 0, refused, err
	}
	return counts[0], nil, nil
}

// keyColumns lists the columns of a table's primary key.
func (d *DB) keyColumns(ctx context.Context, table string) ([]string, error) {
	names, err := query(ctx, d, pgx.RowTo[string], `
		select a.attname::text from pg_index i
		join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
		where i.indrelid = to_regclass($1) and i.indisprimary order by a.attnum`, table)
	if err != nil {
		return nil, fmt.Errorf("look at the key of %s: %w", table, err)
	}
	return names, nil
}

// columns lists a row's columns in a fixed order.
func columns[V any](row map[string]V) []string {
	names := make([]string, 0, len(row))
	for name := range row {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// quoteTable quotes a table that is written as "schema.table".
func quoteTable(table string) string {
	return pgx.Identifier(strings.SplitN(table, ".", 2)).Sanitize()
}

// quoteAll quotes names and joins them with commas.
func quoteAll(names []string, prefix string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = prefix + pgx.Identifier{name}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}
