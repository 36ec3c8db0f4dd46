package ground

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Keeper is the session that candidates never get, a new one when it has ended.
func (g *Ground) Keeper(ctx context.Context) (*pgx.Conn, error) { return g.alive(ctx) }
