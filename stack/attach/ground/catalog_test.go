package ground_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
)

// volatile are the columns of catalogs that PostgreSQL changes by itself, or that stand
// for an object which was made again.
const volatile = `{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,relfilenode,datfrozenxid,datminmxid,relhastriggers,relhasrules,relhasindex,rolpassword}`

// state is everything that the system catalogs and the tables of the services hold: a
// sorted line for each row. It is read without the package's own help.
func state(t testing.TB, place attach.Place) []string {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, place.DBURL)
	require.NoError(t, err)
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select c.oid::regclass::text from pg_class c
		where c.relkind = 'r' and has_table_privilege(c.oid, 'select') and (c.relnamespace::regnamespace::text in ('auth', 'storage', 'supabase_migrations')
			or c.relnamespace = 'pg_catalog'::regnamespace and c.relname not in ('pg_statistic', 'pg_depend', 'pg_shdepend', 'pg_init_privs', 'pg_largeobject', 'pg_policy', 'pg_attribute'))
		union all values ('pg_roles'), ('pg_policies') order by 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(tables), 60, "the catalogs are visible")
	tables = append(tables, "(select * from pg_attribute where attrelid >= 16384 and attnum > 0)")
	var lines []string
	for _, table := range tables {
		query := "select to_jsonb(t) - $1::text[] from " + table + " as t"
		switch table {
		case "pg_proc", "pg_operator", "pg_type", "pg_collation", "pg_conversion", "pg_opclass", "pg_opfamily":
			query += " where oid >= 16384" // the others are PostgreSQL's own, of which there are many
		case "pg_description":
			query += " where objoid >= 16384 or classoid = 'pg_namespace'::regclass"
		case "pg_amop", "pg_amproc":
			continue // they go with classes and families of operators
		}
		rows, err := conn.Query(ctx, query, volatile)
		require.NoError(t, err, table)
		list, err := pgx.CollectRows(rows, pgx.RowTo[map[string]any])
		require.NoError(t, err, table)
		for _, row := range list {
			if name, isSchema := row["nspname"].(string); isSchema && strings.Contains(name, "_temp_") {
				continue // PostgreSQL keeps them for the next session with temporary tables
			}
			lines = append(lines, table+" "+canonical(t, row))
		}
	}
	slices.Sort(lines)
	return lines
}

// canonical is a row without the order of its privileges, and without the numbers of
// objects that can only be made again.
func canonical(t testing.TB, row map[string]any) string {
	for name, value := range row {
		if list, isList := value.([]any); isList && strings.HasSuffix(name, "acl") {
			var items []string
			for _, item := range list {
				items = append(items, fmt.Sprint(item))
			}
			slices.Sort(items)
			row[name] = items
		}
	}
	if _, isTrigger := row["tgname"]; isTrigger {
		delete(row, "oid")
	}
	if _, isDefault := row["defaclobjtype"]; isDefault {
		delete(row, "oid")
	}
	text, err := json.Marshal(row)
	require.NoError(t, err)
	return string(text)
}

// whatDiffers is in what two states differ, for people.
func whatDiffers(before, after []string) []string {
	var words []string
	for _, line := range after {
		if _, found := slices.BinarySearch(before, line); !found {
			words = append(words, "+ "+line)
		}
	}
	for _, line := range before {
		if _, found := slices.BinarySearch(after, line); !found {
			words = append(words, "- "+line)
		}
	}
	return words
}
