package ground

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/stack/bootstrap"
)

// Candidate is one candidate's time in the stack's database. It is used by one goroutine
// at a time.
type Candidate struct {
	// Timing grows as the candidate goes on.
	Timing arena.Timing

	ground *Ground
	setup  arena.Setup
	// before and kept are the state and the rows that the database has to have again.
	before facts
	kept   arena.Rows
	// ready, objects and filled are what databases share, the objects and the rows after the
	// setup.
	ready   facts
	objects map[string]string
	filled  arena.Rows
	// unseen are the schemas that were there before and are not looked into.
	unseen []string
	// owner is the session of the candidate, pids those that there have been.
	owner   *pgx.Conn
	pids    []uint32
	testers map[string]*tester
	start   arena.Rows
	api     *API
	// opened says that the database may have been changed.
	opened bool
	closed bool
}

// prepare remembers what there is, and makes the setup.
func (c *Candidate) prepare(ctx context.Context) (err error) {
	began := time.Now()
	defer func() { c.Timing.Template = time.Since(began) }()
	keeper := c.ground.keeper
	if c.before, err = readFacts(ctx, keeper); err != nil {
		return err
	}
	if c.kept, err = keptRows(ctx, keeper); err != nil {
		return err
	}
	for _, f := range c.before {
		if f.Kind == "schema" && !slices.Contains([]string{"public", "auth", "storage"}, f.Name) {
			c.unseen = append(c.unseen, strings.Trim(f.Name, `"`))
		}
	}
	c.opened = true
	// The schema that this makes is what a grading that was killed is known by, so it
	// comes first.
	probe, err := arena.ProbeSQL()
	if err != nil {
		return err
	}
	probe += "create schema " + arena.APISchema + "; grant usage on schema " + arena.APISchema + " to public;"
	if _, err := keeper.Exec(ctx, probe+bootstrap.ExposeOwnersTables(c.setup.Expose), pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	if err := c.runSetup(ctx); err != nil {
		return err
	}
	return c.seal(ctx)
}

// runSetup runs the setup's SQL as the owner.
func (c *Candidate) runSetup(ctx context.Context) error {
	scripts := [][2]string{{"schema.sql", c.setup.Schema}, {"seed.sql", c.setup.Seed}}
	if c.setup.SeedAfter {
		scripts = scripts[:1]
	}
	for _, s := range scripts {
		if err := c.run(ctx, s[0], s[1]); err != nil {
			return err
		}
	}
	return nil
}

// run runs SQL as the owner in a session of its own. That something of its name is there
// already may be the stack's doing.
func (c *Candidate) run(ctx context.Context, name, sql string) error {
	owner, err := c.Owner(ctx)
	if err != nil {
		return err
	}
	err = arena.RunScript(ctx, owner, name, sql, c.Limits().Apply)
	// Whatever the SQL did to its session ends with it.
	c.hangUp(ctx)
	var refused *arena.SQLError
	if errors.As(err, &refused) && slices.Contains([]string{"42P06", "42P07", "42710", "42723"}, refused.SQLState) {
		for _, f := range c.before {
			if f.thing() && strings.Contains(refused.Message, `"`+strings.Trim(f.Name, `"`)+`"`) && (f.Kind == "role" || f.Kind == "schema") {
				return &NotEmptyError{Found: []string{f.String() + ", which " + name + " makes as well"}}
			}
		}
	}
	return err
}

// seal remembers what the candidate begins with.
func (c *Candidate) seal(ctx context.Context) (err error) {
	keeper := c.ground.keeper
	if err := c.makeLook(ctx); err != nil {
		return err
	}
	if c.filled, err = arena.LookRows(ctx, keeper); err != nil {
		return err
	}
	if c.objects, err = arena.Objects(ctx, keeper); err != nil {
		return err
	}
	c.ready, err = readSome(ctx, keeper, sharedFacts)
	return err
}

// makeLook makes supascore.look for the tables that there are now.
func (c *Candidate) makeLook(ctx context.Context) error {
	if _, err := c.ground.keeper.Exec(ctx, "select supascore.make_look($1::text[])", c.unseen); err != nil {
		return fmt.Errorf("look at the tables: %w", err)
	}
	return nil
}

// Apply runs a candidate's SQL as the owner, and the seed after it when the setup says
// so. SQL that does not run is a *arena.SQLError.
func (c *Candidate) Apply(ctx context.Context, name, sql string) error {
	began := time.Now()
	defer func() { c.Timing.Apply += time.Since(began) }()
	if err := c.run(ctx, name, sql); err != nil || !c.setup.SeedAfter {
		return err
	}
	return c.run(ctx, "seed.sql", c.setup.Seed)
}

// Changes lists what the candidate changed beside policies and privileges, sorted. Ask
// before the tests run. Tables that cannot be read are a *arena.SQLError.
func (c *Candidate) Changes(ctx context.Context) ([]arena.Change, error) {
	began := time.Now()
	defer func() { c.Timing.Check += time.Since(began) }()
	keeper, err := c.ground.alive(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := c.ground.restorePasswords(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := arena.Objects(ctx, keeper)
	if err != nil {
		return nil, err
	}
	changes := arena.CompareObjects(c.objects, objects)
	if slices.ContainsFunc(changes, func(ch arena.Change) bool { return ch.Kind == "table" || ch.Kind == "schema" }) {
		if err := c.makeLook(ctx); err != nil {
			return nil, unseeable(err)
		}
	}
	rows, err := c.StartRows(ctx)
	if err != nil {
		return nil, err
	}
	if !c.setup.SeedAfter {
		changes = append(changes, arena.CompareRows(c.filled, rows)...)
	}
	for _, role := range changed {
		changes = append(changes, arena.Change{Kind: "shared", Name: "password of role " + role, How: "changed", Grave: true})
	}
	shared, err := c.sharedChanges(ctx, keeper)
	return append(changes, shared...), err
}

// sharedChanges lists what the candidate changed of what all databases share.
func (c *Candidate) sharedChanges(ctx context.Context, keeper *pgx.Conn) ([]arena.Change, error) {
	now, err := readSome(ctx, keeper, sharedFacts)
	if err != nil {
		return nil, err
	}
	d := c.ready.difference(now)
	var changes []arena.Change
	for _, side := range []struct {
		list []fact
		how  string
	}{{d.extra, "added"}, {d.gone, "removed"}} {
		for _, f := range side.list {
			changes = append(changes, arena.Change{Kind: "shared", Name: f.String(), How: side.how, Grave: true})
		}
	}
	return changes, nil
}

// StartRows are the rows that every test begins with. Tables that cannot be read are a
// *arena.SQLError.
func (c *Candidate) StartRows(ctx context.Context) (arena.Rows, error) {
	if c.start == nil {
		rows, err := arena.LookRows(ctx, c.ground.keeper)
		if err != nil {
			return nil, unseeable(err)
		}
		c.start = rows
	}
	return c.start, nil
}

// unseeable makes PostgreSQL's refusal of a look the candidate's.
func unseeable(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return &arena.SQLError{SQLState: refused.Code, Message: "leaves tables that cannot be looked at: " + refused.Message}
	}
	return err
}

// ForgetRows makes StartRows look again, after somebody has signed up.
func (c *Candidate) ForgetRows() { c.start = nil }

// Security reads what the database lets whom do: the roles of requests and the given
// ones.
func (c *Candidate) Security(ctx context.Context, roles []string) (*arena.Security, error) {
	return arena.LookSecurity(ctx, c.ground.keeper, append([]string{"anon", "authenticated", "service_role"}, roles...))
}

// Shape is empty: what is known of one candidate's tables is not used for another.
func (c *Candidate) Shape() string { return "" }

// Limits are the limits in force.
func (c *Candidate) Limits() arena.Limits { return c.ground.config.Limits }

// Version is PostgreSQL's version, such as "15.18".
func (c *Candidate) Version() string { return c.ground.versions["postgres"] }
