package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/bootstrap"
)

// ErrUnshared is returned when a candidate cannot be graded in a transaction of a copy
// that candidates share: it has done what needs a database of its own, or has ended its
// session. [Arena.Clone] makes it one.
var ErrUnshared = errors.New("the candidate needs a database of its own")

// kept is a copy of a template that candidates share: each is applied and tested in one
// transaction, which is undone at the end. That is as good as a copy each, because
// nobody else can see into the transaction, and nothing of it but the positions of
// sequences lasts; those are put back.
type kept struct {
	database string
	// session is the only one that there is in the database; nil before the first
	// candidate.
	session *pgx.Conn
	// used is how many candidates it has had.
	used int
}

// Bounds of what is left behind by transactions that are undone: rows that are dead and
// memory of the session.
const (
	maxUses    = 200
	checkEvery = 16
)

// ground is the savepoint that tests go back to.
const ground = "supascore_ground"

// Share takes a cluster for one candidate as Clone does, but lets the candidate have the
// copy that others have had before. Its SQL has to be Shareable, its setup's seed must
// not come after it. Any method can fail with ErrUnshared, after which the clone is good
// for nothing but Close.
func (a *Arena) Share(ctx context.Context, setup Setup) (*Clone, error) {
	if a.config.Engine != nil {
		return nil, ErrUnshared // an engine's servers have sessions of their own
	}
	return a.clone(ctx, setup, (*cluster).share)
}

// share lends the template's kept copy, and makes it first when there is none.
func (c *cluster) share(ctx context.Context, t *template) (*Clone, error) {
	if t.kept == nil {
		k := &kept{database: newName("c")}
		// Whoever gets hold of another way in does not get in.
		if err := c.copyTemplate(ctx, t, k.database, 1); err != nil {
			return nil, err
		}
		t.kept = k
	}
	t.kept.used++
	return &Clone{cluster: c, template: t, database: t.kept.database, kept: t.kept}, nil
}

// applyWithin runs a candidate's SQL in the transaction that is undone at the end.
func (c *Clone) applyWithin(ctx context.Context, name, sql string) error {
	if !Shareable(sql) || c.template.setup.SeedAfter {
		return ErrUnshared
	}
	conn, err := c.becomeWithin(ctx, []string{owner}, owner)
	if err != nil {
		return err
	}
	// Nobody but this candidate's transaction can have a savepoint of this name.
	mine := quote(newName("supascore"))
	begin := "begin isolation level read committed read write; set local role " + quote(owner) + "; savepoint " + mine
	if _, err := conn.Exec(ctx, begin, pgx.QueryExecModeSimpleProtocol); err != nil {
		return c.lost(err)
	}
	limits := c.cluster.config.Limits
	err = runScript(ctx, conn, scriptRun{name: name, sql: sql, limit: limits.Apply, watch: c.grownTooLarge, within: true})
	c.makesSettings = MakesSettings(sql)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "release savepoint "+mine, pgx.QueryExecModeSimpleProtocol); err != nil {
		return c.lost(err)
	}
	return nil
}

// lost gives the kept copy up after what cannot happen to a candidate's transaction
// unless the candidate has got out of it.
func (c *Clone) lost(err error) error {
	c.unfit = true
	return errors.Join(ErrUnshared, err)
}

// becomeWithin is become for a candidate's transaction, in which the owner comes first.
// Whatever was done since the first time that somebody else was asked for is undone each
// time that the roles change.
func (c *Clone) becomeWithin(ctx context.Context, roles []string, acting string) (*pgx.Conn, error) {
	changed := !slices.Equal(c.cluster.members, roles) || c.acting != acting
	if err := c.cluster.setMembers(ctx, roles); err != nil {
		return nil, err
	}
	if err := c.openKept(ctx); err != nil {
		return nil, err
	}
	var sql string
	switch {
	case !c.grounded && acting == owner:
		// The transaction begins as the owner's.
	case !c.grounded:
		sql = "set local role none; savepoint " + ground + "; " + barrier
		c.grounded = true
	case changed:
		sql = "rollback to savepoint " + ground + "; " + barrier
		if acting != nobody {
			sql += "; set local role " + quote(acting)
		}
	}
	c.acting = acting
	if sql == "" {
		return c.session, nil
	}
	if _, err := c.session.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, c.lost(err)
	}
	return c.session, nil
}

// barrier makes the session hear of roles that were granted or revoked by others: in the
// middle of a transaction it does so when it locks a table that it has not locked yet
// (PostgreSQL's source, LockRelationOid), so nobody else may lock this one.
const barrier = "select from supascore.barrier"

// openKept gives the clone the session of the kept copy. A session that has ended took
// the candidate's transaction with it.
func (c *Clone) openKept(ctx context.Context) error {
	if c.session != nil {
		if c.session.IsClosed() {
			return ErrUnshared
		}
		return nil
	}
	if c.kept.session == nil || c.kept.session.IsClosed() {
		conn, err := c.cluster.connectAlone(ctx, c.database)
		if err != nil {
			return fmt.Errorf("arena: connect: %w", err)
		}
		c.kept.session = conn
	}
	c.session = c.kept.session
	return nil
}

// Savepoint names the savepoint of the clone's transaction that tests and requests go
// back to; empty when each has a transaction of its own.
func (c *Clone) Savepoint() string {
	if c.kept == nil {
		return ""
	}
	return ground
}

// connectAlone opens the one session that a kept copy may have. PostgreSQL counts the one
// before until its process has ended, which is a little after it was closed.
func (c *cluster) connectAlone(ctx context.Context, database string) (*pgx.Conn, error) {
	const tooManyConnections, patience, pause = "53300", 5 * time.Second, 2 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		conn, err := c.connect(ctx, login, database, testSettings())
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != tooManyConnections {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// Unshared says that the clone's candidate has ended the session that it was to share,
// so that what was seen since is worth nothing.
func (c *Clone) Unshared() bool {
	return c.kept != nil && (c.unfit || c.session != nil && c.session.IsClosed())
}

// release undoes the candidate's transaction and makes the kept copy ready for the next
// one, or drops it.
func (c *Clone) release(ctx context.Context) {
	if err := c.takeBack(ctx); err != nil {
		c.cluster.config.Log.Debug("arena: a kept copy is given up", "error", err)
		c.cluster.dropKept(ctx, c.template)
	}
}

// takeBack fails when the kept copy has to be given up.
func (c *Clone) takeBack(ctx context.Context) error {
	switch {
	case c.unfit:
		return errors.New("a candidate has got out of its transaction")
	case c.session == nil || c.session.IsClosed() || c.session.PgConn().TxStatus() == 'I':
		return errors.New("the candidate's transaction has ended")
	case c.kept.used >= maxUses:
		return errors.New("it has been used often")
	}
	// What sessions keep when their transactions are undone: settings, prepared statements,
	// locks and more (documentation, "DISCARD"), and the positions of sequences.
	statements := []string{"rollback", "discard all", "select supascore.rewind(); " + flushCounts}
	if c.grounded {
		// It fails in any transaction but the candidate's.
		statements = append([]string{"rollback to savepoint " + ground}, statements...)
	}
	for _, sql := range statements {
		if _, err := c.session.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return err
		}
	}
	if c.makesSettings || c.template.makesSettings {
		_ = c.session.Close(ctx) // the next candidate's is a new one
	}
	if c.kept.used%checkEvery == 0 {
		if reason := c.grownTooLarge(ctx); reason != "" {
			return errors.New("it " + strings.TrimPrefix(reason, "makes the database "))
		}
	}
	return nil
}

// dropKept drops the copy that a template's candidates share.
func (c *cluster) dropKept(ctx context.Context, t *template) {
	k := t.kept
	if k == nil {
		return
	}
	t.kept = nil
	if k.session != nil {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		_ = k.session.Close(ending) // gone one way or the other
		cancel()
	}
	name := quote(k.database)
	err := c.exec(ctx, "alter database "+name+" owner to "+bootstrap.Superuser, "drop database "+name+" with (force)")
	if err != nil {
		c.spoilt = true
		c.config.Log.Warn("arena: a kept copy cannot be dropped", "error", err)
	}
}
