package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/migrate/split"
	"github.com/supascore/supascore/stack/workspace"
)

// History lists the versions in a database's migration history, in the order of the text, as the CLI does. A database without
// that table has none.
func History(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `select version from supabase_migrations.schema_migrations order by version collate "C"`)
	if err != nil {
		return nil, historyError(err)
	}
	versions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return versions, historyError(err)
}

func historyError(err error) error {
	var pgErr *pgconn.PgError
	switch {
	case err == nil, errors.As(err, &pgErr) && pgErr.Code == "42P01":
		return nil
	default:
		return fmt.Errorf("read the migration history: %w", err)
	}
}

// Record writes migrations into the history without running them, over what the history has of the same versions; with replace,
// nothing else is left in it. It is one transaction.
func Record(ctx context.Context, conn *pgx.Conn, migrations []workspace.Migration, replace bool) error {
	batch := &pgx.Batch{}
	if replace {
		batch.Queue("truncate supabase_migrations.schema_migrations")
	}
	for _, m := range migrations {
		texts := []string{}
		for _, s := range split.Statements(m.SQL) {
			texts = append(texts, s.Text)
		}
		batch.Queue(`insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)
			on conflict (version) do update set name = excluded.name, statements = excluded.statements`, m.Version, m.Name, texts)
	}
	return change(ctx, conn, batch)
}

// Forget takes versions out of the history without undoing them; versions that it lacks are passed over. A nil list takes out
// all.
func Forget(ctx context.Context, conn *pgx.Conn, versions []string) error {
	batch := &pgx.Batch{}
	if versions == nil {
		batch.Queue("truncate supabase_migrations.schema_migrations")
	} else {
		batch.Queue("delete from supabase_migrations.schema_migrations where version = any ($1)", versions)
	}
	return change(ctx, conn, batch)
}

// change sends a batch to the history, which it makes where there is none.
func change(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) error {
	a := &applier{conn: conn}
	if err := a.setup(ctx, "supabase_migrations.schema_migrations", historySQL); err != nil {
		return err
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("update the migration history: %w", err)
	}
	return nil
}
