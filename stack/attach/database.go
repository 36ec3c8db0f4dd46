package attach

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/keys"
)

// historySQL lists the versions of the migrations that the CLI and our own stacks
// record as applied.
const historySQL = `select version from supabase_migrations.schema_migrations order by version`

// database connects as the owner, and asks for what only a Supabase database has.
func (c *client) database(ctx context.Context, live *Live) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.place.DBURL)
	if err != nil {
		return &AnswerError{"the database", err, "compare the DB URL, password included, with `supabase status`"}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var users, history bool
	var version string
	err = conn.QueryRow(ctx, `select to_regclass('auth.users') is not null,
		to_regclass('supabase_migrations.schema_migrations') is not null, current_setting('server_version')`).
		Scan(&users, &history, &version)
	if err == nil && !users {
		err = errNoUsers
	}
	if err == nil && history {
		var rows pgx.Rows
		if rows, err = conn.Query(ctx, historySQL); err == nil {
			live.Recorded, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
	}
	if err != nil {
		return &AnswerError{"the database", err, "is the DB URL that of the stack's database, and of its owner?"}
	}
	live.Versions["postgres"], _, _ = strings.Cut(version, " ") // without the packager's name
	return nil
}

// serviceToken is a token of role service_role that lives for a minute.
func serviceToken(secret string) (string, error) {
	return keys.Token(secret, map[string]any{"role": "service_role", "iss": "supascore", "exp": time.Now().Add(time.Minute).Unix()})
}
