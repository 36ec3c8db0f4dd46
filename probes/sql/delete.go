package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/probes"
)

// Delete removes the rows of a table whose columns have the given values, by the rule
// of Count, and says how many there were. Without a value it removes nothing.
func (d *DB) Delete(ctx context.Context, table string, values map[string]any) (int, *probes.SQLError, error) {
	if len(values) == 0 {
		return 0, nil, nil
	}
	data, err := json.Marshal(values)
	if err != nil {
		return 0, nil, fmt.Errorf("row of %s: %w", table, err)
	}
	name := quoteTable(table)
	statement := fmt.Sprintf(`with gone as (
		delete from %s t using jsonb_populate_record(null::%s, $1::text::jsonb) r where %s returning 1
	) select count(*) from gone`, name, name, sameValues(values))
	return d.deleted(ctx, statement, string(data))
}

// DeleteUsers removes users of Auth by their ids, and those with one of the addresses.
func (d *DB) DeleteUsers(ctx context.Context, ids, emails []string) (int, *probes.SQLError, error) {
	return d.deleted(ctx, `with gone as (
		delete from auth.users where id = any ($1::text[]::uuid[]) or email = any ($2::text[]) returning 1
	) select count(*) from gone`, ids, emails)
}

func (d *DB) deleted(ctx context.Context, statement string, args ...any) (int, *probes.SQLError, error) {
	counts, err := query(ctx, d, pgx.RowTo[int], statement, args...)
	if err != nil {
		refused, err := refusal(err)
		return 0, refused, err
	}
	return counts[0], nil, nil
}

// sameValues is the condition that row t has the values of record r.
func sameValues(values map[string]any) string {
	conditions := make([]string, 0, len(values))
	for _, column := range columns(values) {
		quoted := pgx.Identifier{column}.Sanitize()
		conditions = append(conditions, fmt.Sprintf("t.%s is not distinct from r.%s", quoted, quoted))
	}
	return strings.Join(conditions, " and ")
}
