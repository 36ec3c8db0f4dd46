package gentypes

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/rest/schema"
)

var (
	//go:embed sql/relations.sql
	relationsSQL string
	//go:embed sql/columns.sql
	columnsSQL string
	//go:embed sql/types.sql
	typesSQL string
	//go:embed sql/functions.sql
	functionsSQL string
)

// relation is a table, a view or something else with rows.
type relation struct {
	id        int64
	name      schema.Name
	kind      string // pg_class.relkind
	updatable bool   // of a view: rows can be changed through it
	columns   []column
	keys      []schema.Relationship // that lead from it to one row of another
}

// isView reports whether a relation is listed among the views.
func (r *relation) isView() bool { return r.kind == "v" || r.kind == "m" }

type column struct {
	name       string
	typ        int64
	nullable   bool
	identity   string // "a": always generated, "d": by default, "": no identity
	hasDefault bool
	updatable  bool
}

type pgType struct {
	id         int64
	name       schema.Name
	format     string // as PostgreSQL prints it
	relation   int64  // whose rows are of this type, 0 for none
	element    int64  // of an array, 0 for none
	variants   []string
	attributes []attribute
}

type attribute struct {
	name string
	typ  int64
}

type function struct {
	name      schema.Name
	returns   int64 // a type
	relation  int64 // whose rows are returned, 0 for none
	set, many bool  // it returns a set; of more rows than one, as far as the planner is told
	args      []argument
	arguments string // as PostgreSQL prints them
	result    string
}

type argument struct {
	name       string
	mode       string // pg_proc.proargmodes: i, o, b, v or t
	typ        int64
	hasDefault bool
}

// ins are the arguments that a caller gives.
func (f *function) ins() []argument {
	return slices.DeleteFunc(slices.Clone(f.args), func(a argument) bool { return a.mode == "o" || a.mode == "t" })
}

// catalogue is what the types are made from.
type catalogue struct {
	schemas   []string // those that exist
	relations map[int64]*relation
	types     map[int64]*pgType
	functions []*function
}

// load reads the catalogue in one transaction.
func load(ctx context.Context, conn *pgx.Conn, schemas []string) (*catalogue, error) {
	// Relationships as REST sees them, which are those that a client can follow.
	snapshot, err := schema.Load(ctx, conn, schema.Options{Schemas: schemas})
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("begin reading the schema: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	c := &catalogue{relations: map[int64]*relation{}, types: map[int64]*pgType{}}
	for _, q := range []struct {
		sql  string
		args []any
		scan func(pgx.Rows) error
	}{
		{"select nspname from pg_namespace where nspname = any ($1)", []any{schemas}, c.scanSchema},
		{relationsSQL, []any{schemas}, c.scanRelation},
		{columnsSQL, []any{schemas}, c.scanColumn},
		{typesSQL, nil, c.scanType},
		{functionsSQL, []any{schemas}, c.scanFunction},
	} {
		rows, err := tx.Query(ctx, q.sql, q.args...)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		for rows.Next() {
			if err := q.scan(rows); err != nil {
				rows.Close()
				return nil, fmt.Errorf("read the schema: %w", err)
			}
		}
		if err := rows.Err(); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
	}
	for _, r := range c.relations {
		for _, key := range snapshot.Relationships(r.name) {
			if key.Cardinality == schema.ManyToOne || key.Cardinality == schema.OneToOne && !key.IsReferenced() {
				r.keys = append(r.keys, key)
			}
		}
	}
	return c, nil
}

func (c *catalogue) scanSchema(rows pgx.Rows) error {
	var name string
	err := rows.Scan(&name)
	c.schemas = append(c.schemas, name)
	return err
}

func (c *catalogue) scanRelation(rows pgx.Rows) error {
	r := &relation{}
	err := rows.Scan(&r.id, &r.name.Schema, &r.name.Name, &r.kind, &r.updatable)
	c.relations[r.id] = r
	return err
}

func (c *catalogue) scanColumn(rows pgx.Rows) error {
	var id int64
	var col column
	err := rows.Scan(&id, &col.name, &col.typ, &col.nullable, &col.identity, &col.hasDefault, &col.updatable)
	if r := c.relations[id]; r != nil {
		r.columns = append(r.columns, col)
	}
	return err
}

func (c *catalogue) scanType(rows pgx.Rows) error {
	t := &pgType{}
	var names []string
	var types []int64
	err := rows.Scan(&t.id, &t.name.Name, &t.name.Schema, &t.format, &t.relation, &t.element, &t.variants, &names, &types)
	for i := range min(len(names), len(types)) {
		t.attributes = append(t.attributes, attribute{names[i], types[i]})
	}
	c.types[t.id] = t
	return err
}

func (c *catalogue) scanFunction(rows pgx.Rows) error {
	f := &function{}
	var names, modes []string
	var types []int64
	var required int
	err := rows.Scan(&f.name.Schema, &f.name.Name, &f.returns, &f.relation, &f.set, &f.many,
		&names, &modes, &types, &required, &f.arguments, &f.result)
	given := 0
	for i, typ := range types {
		a := argument{mode: "i", typ: typ}
		if i < len(names) {
			a.name = names[i]
		}
		if i < len(modes) {
			a.mode = modes[i]
		}
		if a.mode != "o" && a.mode != "t" {
			a.hasDefault = given >= required
			given++
		}
		f.args = append(f.args, a)
	}
	c.functions = append(c.functions, f)
	return err
}
