package ground

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// closeLimit bounds what taking a candidate away may take.
const closeLimit = 90 * time.Second

// marker is the schema that a candidate in the database is known by.
const marker = "supascore"

// Close takes everything away again that was made since Enter, and makes sure that the
// database is what it was. It does so also when ctx has ended. What cannot be taken back
// is an *UndoError, after which no other candidate can enter. It may be called again.
func (c *Candidate) Close(ctx context.Context) error {
	if c.closed {
		return nil
	}
	c.closed = true
	defer func() { c.ground.free <- struct{}{} }()
	if !c.opened {
		c.hangUp(ctx)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	err := c.undo(ctx)
	if err != nil {
		c.ground.broken = err
		c.mark(ctx)
	}
	return err
}

// mark makes the next grading find out that this one could not take its candidate away.
func (c *Candidate) mark(ctx context.Context) {
	if keeper, err := c.ground.alive(ctx); err == nil {
		// What fails here has failed before, and is in the error that is returned.
		_, _ = keeper.Exec(ctx, "create schema if not exists "+marker)
	}
}

// undo takes the candidate away.
func (c *Candidate) undo(ctx context.Context) error {
	keeper, err := c.ground.alive(ctx)
	if err != nil {
		return &UndoError{Left: []string{"everything"}, Err: err}
	}
	if c.api != nil {
		c.api.close()
	}
	if err := errors.Join(c.endSessions(ctx, keeper), c.endRequests(ctx, keeper)); err != nil {
		return &UndoError{Left: []string{"its sessions"}, Err: err}
	}
	if _, err := c.ground.restorePasswords(ctx); err != nil {
		return err
	}
	// The schema supascore stands for a candidate that has not been taken away, so it is
	// the last to go.
	last := func(f fact) bool {
		return f.Kind == "schema" && f.Name == marker || f.Parent == marker || strings.HasPrefix(f.Parent, marker+".") || strings.HasPrefix(f.Name, marker+".")
	}
	if err := c.before.restore(ctx, keeper, last); err != nil {
		return err
	}
	now, err := keptRows(ctx, keeper)
	if err == nil {
		err = restoreRows(ctx, keeper, differing(c.kept, now), c.kept)
	}
	if err != nil {
		return &UndoError{Left: differing(c.kept, now), Err: err}
	}
	if _, err := keeper.Exec(ctx, "drop schema if exists "+marker+" cascade"); err != nil {
		return &UndoError{Left: []string{"schema " + marker}, Err: err}
	}
	if err := c.before.restore(ctx, keeper, func(fact) bool { return false }); err != nil {
		return err
	}
	if now, err = keptRows(ctx, keeper); err != nil {
		return err
	}
	if left := differing(c.kept, now); len(left) > 0 {
		return &UndoError{Left: left}
	}
	_, err = keeper.Exec(ctx, "notify pgrst, 'reload config'; notify pgrst, 'reload schema'", pgx.QueryExecModeSimpleProtocol)
	return err
}
