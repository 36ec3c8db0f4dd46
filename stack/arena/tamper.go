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

// Rows are the rows of a database as its owner sees them: by table ("public.notes"),
// each the text of a composite value, sorted.
type Rows map[string][]string

// Change is what a candidate did beside policies and privileges.
type Change struct {
	// Kind is what changed: "function", "column", "rows", "shared", …
	Kind string `json:"kind"`
	// Name is the object.
	Name string `json:"name"`
	// How is "added", "removed" or "changed".
	How string `json:"how"`
	// Grave says that verdicts cannot be trusted with this: the ground that all
	// candidates are measured on is another.
	Grave bool `json:"grave,omitempty"`
}

// String is "kind name how".
func (c Change) String() string { return c.Kind + " " + c.Name + " " + c.How }

// Changes lists what the candidate changed beside policies and privileges, sorted.
// Ask before the tests run. Tables that cannot be read are a *SQLError.
func (c *Clone) Changes(ctx context.Context) ([]Change, error) {
	began := time.Now()
	defer func() { c.Timing.Check += time.Since(began) }()
	owner, err := c.Owner(ctx)
	if err != nil {
		return nil, err
	}
	touched, err := lookTouched(ctx, owner)
	if err != nil {
		return nil, err
	}
	if c.kept != nil && touched.shared {
		return nil, ErrUnshared
	}
	changes, err := c.objectChanges(ctx, owner, touched)
	if err != nil {
		return nil, err
	}
	if !touched.rows && touched.heaps == c.template.heaps {
		c.start = c.template.rows
	}
	rows, err := c.StartRows(ctx)
	if err != nil {
		return nil, err
	}
	if !c.template.setup.SeedAfter {
		changes = append(changes, compareRows(c.template.rows, rows)...)
	}
	if c.kept != nil {
		return changes, nil // what is not committed is seen by nobody else, and will be gone
	}
	shared, err := c.cluster.lookShared(ctx)
	if err != nil {
		return nil, err
	}
	others := compareShared(withoutMembers(c.cluster.shared), withoutMembers(shared))
	return append(changes, others...), nil
}

// withoutMembers leaves out the roles that the login role can become, which come and
// go.
func withoutMembers(shared []string) []string {
	return slices.DeleteFunc(slices.Clone(shared), func(line string) bool {
		return strings.HasPrefix(line, "membership: "+login+" in ")
	})
}

// objectChanges lists the objects that are others than before. Kinds of objects whose
// catalogs nobody wrote to are not looked at.
func (c *Clone) objectChanges(ctx context.Context, owner *pgx.Conn, touched touched) ([]Change, error) {
	c.altered, c.looked = touched.shape(), true
	sections := touched.sections()
	if len(sections) == 0 {
		return nil, nil
	}
	changes, err := c.compareSections(ctx, owner, sections)
	if err == nil && len(sections) < len(allSections()) && slices.ContainsFunc(changes, func(ch Change) bool { return ch.Kind == "schema" }) {
		// Everything in a schema has its name.
		changes, err = c.compareSections(ctx, owner, allSections())
	}
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	c.altered = true
	if !slices.ContainsFunc(changes, func(ch Change) bool { return ch.Kind == "table" }) {
		return changes, nil
	}
	if c.kept != nil {
		return nil, ErrUnshared
	}
	return changes, c.makeLook(ctx)
}

func (c *Clone) compareSections(ctx context.Context, owner *pgx.Conn, sections []string) ([]Change, error) {
	objects, err := lookObjects(ctx, owner, sections)
	if err != nil {
		return nil, err
	}
	return compareObjects(c.template.only(sections), objects), nil
}

// makeLook makes the function that looks at the rows again, for the tables that there
// are now.
func (c *Clone) makeLook(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.cluster.server.URL(bootstrap.Superuser, c.database))
	if err != nil {
		return fmt.Errorf("arena: connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "select supascore.make_look()"); err != nil {
		return fmt.Errorf("arena: look at the candidate's tables: %w", err)
	}
	return nil
}

// StartRows are the rows that every test begins with. Tables that cannot be read, such
// as too large ones, are a *SQLError.
func (c *Clone) StartRows(ctx context.Context) (Rows, error) {
	if c.start == nil {
		owner, err := c.Owner(ctx)
		if err != nil {
			return nil, err
		}
		c.start, err = lookRows(ctx, owner)
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			return nil, &SQLError{SQLState: refused.Code, Message: "leaves tables that cannot be looked at: " + refused.Message}
		}
		if err != nil {
			return nil, fmt.Errorf("arena: %w", err)
		}
	}
	return c.start, nil
}

// ForgetRows makes StartRows look again, after somebody has signed up.
func (c *Clone) ForgetRows() { c.start = nil }

// compareObjects says what differs between two fingerprints.
func compareObjects(before, after map[string]string) []Change {
	var changes []Change
	add := func(object, how string) {
		kind, name := cutObject(object)
		changes = append(changes, Change{Kind: kind, Name: name, How: how, Grave: grave(kind, name, how)})
	}
	for object, state := range before {
		now, found := after[object]
		switch {
		case !found:
			add(object, "removed")
		case now != state:
			add(object, "changed")
		}
	}
	for object := range after {
		if _, found := before[object]; !found {
			add(object, "added")
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.String(), b.String()) })
	return changes
}

// cutObject splits "event trigger x" into kind and name.
func cutObject(object string) (kind, name string) {
	for _, kind := range []string{
		"default privileges", "event trigger", "foreign table", "materialized view", "setting of the database",
	} {
		if name, ok := strings.CutPrefix(object, kind+" "); ok {
			return kind, name
		}
	}
	kind, name, _ = strings.Cut(object, " ")
	return kind, name
}

// grave says whether a change makes verdicts worthless: tables, columns and schemas
// that the tests ask for are others, what the stack itself brings is not what it was,
// or code runs that no project could have. New objects and replaced functions of the
// task's own are judged by what tests see.
func grave(kind, name, how string) bool {
	switch kind {
	case "schema", "table", "column", "sequence", "event trigger", "setting of the database", "cast":
		return how != "added" || kind == "event trigger" || kind == "setting of the database" || kind == "cast"
	case "function", "view", "trigger", "rule", "extension":
		for _, schema := range []string{"auth.", "storage.", "extensions.", "supascore.", "supascore_api.", "realtime."} {
			if strings.HasPrefix(name, schema) && how != "added" {
				return true
			}
		}
	}
	return false
}

// compareRows says which tables have other rows than before. Tables that the
// candidate made are its own.
func compareRows(before, after Rows) []Change {
	var changes []Change
	for table, rows := range before {
		now, found := after[table]
		if found && !slices.EqualFunc(rows, now, sameRow) {
			changes = append(changes, Change{Kind: "rows", Name: table, How: "changed", Grave: true})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

// sameRow reports whether a row is what it was, though it may have got further columns.
func sameRow(before, after string) bool {
	return before == after || strings.HasPrefix(after, strings.TrimSuffix(before, ")")+",")
}

// compareShared says what differs in the catalogs that all databases share.
func compareShared(before, after []string) []Change {
	var changes []Change
	for _, line := range after {
		if !slices.Contains(before, line) {
			changes = append(changes, Change{Kind: "shared", Name: line, How: "added", Grave: true})
		}
	}
	for _, line := range before {
		if !slices.Contains(after, line) {
			changes = append(changes, Change{Kind: "shared", Name: line, How: "removed", Grave: true})
		}
	}
	return changes
}
