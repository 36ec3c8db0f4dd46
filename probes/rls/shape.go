package rls

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
)

// shape is what the API's answers and the owner's looks consist of, which JSON does
// not say. It depends on tables, columns and functions alone. It is not changed once
// it is made.
type shape struct {
	// columns are the columns of tests' results as the owner sees them, by the test's id.
	columns map[string][]probes.RLSColumn
	types   map[string]string
	// ownersViews are the views that run with their owner's rights.
	ownersViews map[string]bool
}

// described is the shape of the target's database. The owner is asked before the first
// test, and once for each shape that is known by name.
func (p *Plan) described(ctx context.Context, target Target) (*shape, error) {
	if known, ok := p.shapes.Load(target.Shape); ok && target.Shape != "" {
		return known.(*shape), nil //nolint:forcetypeassert // nothing else is stored
	}
	owner, err := target.Owner(ctx)
	if err != nil {
		return nil, err
	}
	s := &shape{columns: map[string][]probes.RLSColumn{}, types: map[string]string{}, ownersViews: map[string]bool{}}
	if err := s.readTypes(ctx, owner); err != nil {
		return nil, err
	}
	describe, err := describer(ctx, owner)
	if err != nil {
		return nil, err
	}
	for i := range p.tests {
		t := &p.tests[i]
		if t.unprepared() == "" && t.test.API == nil && t.query.Statement.ReturnsRows() {
			s.columns[t.test.ID] = describe(t.query.Text)
		}
		if t.after != nil {
			s.columns[afterKey(t)] = describe(t.after.Text)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if target.Shape != "" {
		p.shapes.Store(target.Shape, s)
	}
	return s, nil
}

// readTypes reads the types of the columns in schema public, and which of its views
// give whoever reads them the rights of their owner.
func (s *shape) readTypes(ctx context.Context, owner *pgx.Conn) error {
	rows, err := owner.Query(ctx, `select c.relname, a.attname, t.typname, c.relkind in ('v', 'm')
			and not coalesce(c.reloptions::text ~ 'security_invoker=(true|on|yes|1)', false)
		from pg_catalog.pg_attribute a
		join pg_catalog.pg_class c on c.oid = a.attrelid
		join pg_catalog.pg_type t on t.oid = a.atttypid
		where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0`)
	if err != nil {
		return fmt.Errorf("look at the columns: %w", err)
	}
	var relation, column, typ string
	var ownersView bool
	_, err = pgx.ForEachRow(rows, []any{&relation, &column, &typ, &ownersView}, func() error {
		s.types[relation+"."+column] = typ
		if ownersView {
			s.ownersViews[relation] = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the columns: %w", err)
	}
	return nil
}

// typeOf is the type of a column of schema public.
func (s *shape) typeOf(relation, column string) string {
	return s.types[strings.TrimPrefix(relation, "public.")+"."+column]
}

// afterKey is the place of the columns of a test's owner's look; no test's id has a
// line break.
func afterKey(t *planned) string { return t.test.ID + "\nafter" }

// describer returns what names the columns of a query's result; none when the owner
// cannot ask it, after which a transaction that lasts goes on.
func describer(ctx context.Context, owner *pgx.Conn) (func(sql string) []probes.RLSColumn, error) {
	const savepoint = "supascore_describe"
	lasts := owner.PgConn().TxStatus() != 'I'
	if lasts {
		if _, err := owner.Exec(ctx, "savepoint "+savepoint); err != nil {
			return nil, fmt.Errorf("describe the tests' queries: %w", err)
		}
	}
	return func(sql string) []probes.RLSColumn {
		description, err := owner.Prepare(ctx, "", sql)
		if err == nil {
			return columnsOf(owner, description.Fields)
		}
		if lasts {
			// What cannot be undone is an error of the next query.
			_, _ = owner.Exec(ctx, "rollback to savepoint "+savepoint)
		}
		return nil
	}, nil
}

// columnsOf names a result's columns and their types.
func columnsOf(conn *pgx.Conn, fields []pgconn.FieldDescription) []probes.RLSColumn {
	columns := make([]probes.RLSColumn, len(fields))
	for i, f := range fields {
		columns[i].Name = f.Name
		if t, ok := conn.TypeMap().TypeForOID(f.DataTypeOID); ok {
			columns[i].Type = t.Name
		}
	}
	return columns
}
