package schema

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

//go:embed sql/*.sql
var queries embed.FS

// Options says what to load.
type Options struct {
	Schemas         []string // exposed schemas, at least one
	ExtraSearchPath []string // further schemas whose views may lie under exposed views
	// HoistedSettings are regular expressions of PostgreSQL. A setting stored on a function, as "name=value", that one of
	// them matches somewhere holds for the whole transaction (db-hoisted-tx-settings). Default: statement_timeout,
	// plan_filter.statement_cost_limit and default_transaction_isolation.
	HoistedSettings []string
	// Savepoint names a savepoint of the transaction that the connection is in; the snapshot is read behind it, and it is
	// gone back to afterwards. Empty when the connection is in none.
	Savepoint string
}

func (o Options) withDefaults() Options {
	if o.HoistedSettings == nil {
		o.HoistedSettings = []string{"statement_timeout", "plan_filter.statement_cost_limit", "default_transaction_isolation"}
	}
	return o
}

// Load reads a snapshot over conn in one read-only transaction and one batch. It needs no privileges beyond reading the
// catalogue, and must not run inside a transaction unless Options.Savepoint says so. Errors are those of PostgreSQL or of
// the connection, wrapped.
func Load(ctx context.Context, conn *pgx.Conn, opts Options) (*Snapshot, error) {
	opts = opts.withDefaults()
	raw := newCatalogue(opts.Schemas)
	batch := &pgx.Batch{}
	back := "rollback"
	if opts.Savepoint != "" {
		back = "rollback to savepoint " + pgx.Identifier{opts.Savepoint}.Sanitize()
		batch.Queue(back)
	} else {
		// One snapshot of the catalogue for all queries: a table without its columns would be worse than an old one.
		batch.Queue("begin isolation level repeatable read read only")
	}
	// Without a search path PostgreSQL prints every type and function that is not its own with its schema.
	batch.Queue("set local search_path = ''")
	if err := raw.queue(batch, opts); err != nil {
		return nil, err
	}
	err := conn.SendBatch(ctx, batch).Close()
	if _, undone := conn.Exec(context.WithoutCancel(ctx), back, pgx.QueryExecModeSimpleProtocol); err == nil {
		err = undone
	}
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return newSnapshot(raw), nil
}

// queue adds the catalogue queries to batch; their rows land in c when the batch is read.
func (c *catalogue) queue(batch *pgx.Batch, opts Options) error {
	withViews := slices.Concat(opts.Schemas, opts.ExtraSearchPath)
	for _, q := range []struct {
		name string
		scan func(pgx.Rows) error
		args []any
	}{
		{"tables", c.scanTable, []any{opts.Schemas}},
		{"columns", c.scanColumn, []any{opts.Schemas}},
		{"keys", c.scanKey, nil},
		{"views", c.scanView, []any{withViews}},
		{"functions", c.scanFunction, []any{opts.Schemas, opts.HoistedSettings}},
		{"computed", c.scanComputed, []any{opts.Schemas}},
		{"representations", c.scanRepresentation, nil},
		{"handlers", c.scanHandler, []any{opts.Schemas}},
	} {
		text, err := query(q.name)
		if err != nil {
			return err
		}
		batch.Queue(text, q.args...).Query(each(q.name, q.scan))
	}
	return nil
}

// query returns the text of an embedded query.
func query(name string) (string, error) {
	text, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return "", fmt.Errorf("catalogue query %s: %w", name, err)
	}
	return string(text), nil
}

// each calls scan for every row.
func each(name string, scan func(pgx.Rows) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			if err := scan(rows); err != nil {
				return fmt.Errorf("catalogue query %s: %w", name, err)
			}
		}
		return rows.Err()
	}
}
