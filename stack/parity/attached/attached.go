// Package attached lets recordings be replayed against a stack that already runs: one
// scenario after the other gets its database, as package ground lends it, and the requests
// go through its gateway. The servers are not started for it, so what needs other settings
// than theirs is not asked, and neither is what the stack's owner may not do; each says
// why. It compares nothing.
package attached

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/attach/ground"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

// Engine is a stack that lends its database, and what is known of how its servers were
// started.
type Engine struct {
	config ground.Config
	ground *ground.Ground
	rest   restSettings
	auth   signed
	// safeUpdate says that requests cannot change all rows of a table.
	safeUpdate bool
}

// Start makes sure that the stack can lend its database, and asks its servers for their
// settings. What Auth was started with the place has to say. Errors: those of [ground.Open], *[ground.APIError], *[ground.UndoError].
func Start(ctx context.Context, cfg ground.Config) (_ *Engine, err error) {
	lent, err := ground.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	e := &Engine{config: cfg, ground: lent}
	if e.rest, err = e.learn(ctx); err == nil && cfg.Place.Auth != nil {
		e.auth, err = e.letIn(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, lent.Close(ctx))
	}
	return e, nil
}

// Stop lets go of the stack, which goes on. It is idempotent.
func (e *Engine) Stop(ctx context.Context) error { return e.ground.Close(ctx) }

// REST is the stack's Data API as a target for recordings of PostgREST.
func (e *Engine) REST() restreplay.Target { return restTarget{e} }

// enter lends the database to a scenario. What role postgres makes in it is open to the
// API roles, as when the recordings were made.
func (e *Engine) enter(ctx context.Context) (*ground.Candidate, error) {
	return e.ground.Enter(ctx, arena.Setup{Expose: true})
}

// connect opens a session as the database's owner.
func (e *Engine) connect(ctx context.Context) (*session, error) {
	config, err := pgx.ParseConfig(e.config.Place.DBURL)
	if err != nil {
		return nil, errors.New("the DB URL cannot be used")
	}
	s := &session{}
	config.OnNotification = s.hear
	if s.Conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("connect as the owner: %w", err)
	}
	return s, nil
}
