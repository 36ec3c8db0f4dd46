package arena

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/rest/dberror"
	"github.com/supascore/supascore/stack/rest/schema"
)

// Setup is what a candidate's database holds before the candidate.
type Setup struct {
	// Schema and Seed are SQL that the owner runs, the schema first.
	Schema, Seed string
	// SeedAfter runs the seed after the candidate instead.
	SeedAfter bool
	// Expose grants new tables, sequences and functions of schema public to the API
	// roles, as projects did until May 2026; see bootstrap.ExposeNewTables.
	Expose bool
}

func (s Setup) key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %t %t", s.Schema, s.Seed, s.SeedAfter, s.Expose)
	return hex.EncodeToString(h.Sum(nil))
}

// template is a database that clones are copied from.
type template struct {
	database string
	setup    Setup
	// objects is the fingerprint of what the setup made, rows what it filled in, heaps
	// where.
	objects map[string]string
	rows    Rows
	heaps   string
	size    int64
	// known is the schema as the Data API sees it; nil until a clone with the same
	// objects has been served.
	known *schema.Snapshot
	// kept is the copy that candidates share; nil for none.
	kept *kept
	// makesSettings says that the setup's code MakesSettings.
	makesSettings bool
}

// build makes the setup's template.
func (c *cluster) build(ctx context.Context, setup Setup) (*template, error) {
	t := &template{database: newName("t"), setup: setup, makesSettings: MakesSettings(setup.Schema)}
	before, err := c.lookShared(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.server.CreateDatabase(ctx, t.database); err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	admin, err := pgx.Connect(ctx, c.server.URL(bootstrap.Superuser, t.database))
	if err != nil {
		return nil, fmt.Errorf("arena: connect: %w", err)
	}
	defer admin.Close(context.WithoutCancel(ctx))
	if err := c.fill(ctx, t, admin); err != nil {
		return nil, err
	}
	if err := c.seal(ctx, t, admin); err != nil {
		return nil, err
	}
	if err := c.readMembers(ctx); err != nil {
		return nil, err
	}
	if err := c.bind(ctx, t, before); err != nil {
		return nil, err
	}
	c.shared, err = c.lookShared(ctx)
	return t, err
}

// fill runs the setup as the owner, who may make roles while it lasts.
func (c *cluster) fill(ctx context.Context, t *template, admin *pgx.Conn) error {
	expose := bootstrap.ExposeNewTables(t.setup.Expose)
	if _, err := admin.PgConn().Exec(ctx, expose+"alter role postgres createrole createdb").ReadAll(); err != nil {
		return fmt.Errorf("arena: prepare a template: %w", err)
	}
	files := []struct{ name, sql string }{{"schema.sql", t.setup.Schema}, {"seed.sql", t.setup.Seed}}
	if t.setup.SeedAfter {
		files = files[:1]
	}
	for _, file := range files {
		if err := c.runAsOwner(ctx, t.database, file.name, file.sql); err != nil {
			return err
		}
	}
	if err := c.exec(ctx, "alter role postgres nocreaterole nocreatedb"); err != nil {
		return fmt.Errorf("arena: prepare a template: %w", err)
	}
	return nil
}

// runAsOwner runs SQL in a session of the owner, all or nothing.
func (c *cluster) runAsOwner(ctx context.Context, database, name, sql string) error {
	conn, err := c.connect(ctx, owner, database, nil)
	if err != nil {
		return fmt.Errorf("arena: connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return runScript(ctx, conn, scriptRun{name: name, sql: sql, limit: c.config.Limits.Apply})
}

// seal adds what graders need and remembers what the template looks like.
func (c *cluster) seal(ctx context.Context, t *template, admin *pgx.Conn) error {
	for _, name := range []string{"probe", "ground", "run"} {
		text, err := script(name)
		if err != nil {
			return err
		}
		if _, err := admin.PgConn().Exec(ctx, text).ReadAll(); err != nil {
			return fmt.Errorf("arena: prepare a template for graders: %w", err)
		}
	}
	var err error
	if t.objects, err = lookObjects(ctx, admin, allSections()); err != nil {
		return err
	}
	written, err := lookTouched(ctx, admin)
	if err != nil {
		return err
	}
	t.heaps = written.heaps
	if t.rows, err = lookRows(ctx, admin); err != nil {
		return err
	}
	if err := admin.QueryRow(ctx, "select pg_database_size(current_database())").Scan(&t.size); err != nil {
		return fmt.Errorf("arena: measure a template: %w", err)
	}
	return nil
}

// bind closes the template, and ties the cluster to it when making it changed the
// roles, which other tasks must not meet.
func (c *cluster) bind(ctx context.Context, t *template, before []string) error {
	name := quote(t.database)
	// The owner may drop a database, so templates are not the candidates' role's.
	err := c.exec(ctx, "alter database "+name+" owner to "+bootstrap.Superuser,
		"alter database "+name+" is_template true allow_connections false")
	if err != nil {
		return fmt.Errorf("arena: close a template: %w", err)
	}
	after, err := c.lookShared(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(after, func(line string) bool { return strings.Contains(line, t.database) })
	if !slices.Equal(before, others) {
		if len(c.templates) > 0 {
			c.spoilt = true
		}
		c.bound = t.setup.key()
	}
	return nil
}

// connect opens a session within the limits, whose settings are the same on every
// machine.
func (c *cluster) connect(ctx context.Context, role, database string, more map[string]string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(c.server.URL(role, database))
	if err != nil {
		return nil, err
	}
	for _, settings := range []map[string]string{sessionSettings(c.config.Limits), more} {
		maps.Copy(config.RuntimeParams, settings)
	}
	// A candidate may drop what a cached statement needs, and could deallocate it.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.BuildFrontend = dberror.BuildFrontend // the Data API tells an empty DETAIL from none
	return pgx.ConnectConfig(ctx, config)
}

// testSettings are what a session for tests begins with: the settings of a request are
// empty before the first one, as they are after each, and not NULL (recording
// request-gucs/settings_end_with_the_transaction), so that the order of tests does not
// matter to code that the owner's set-ups run.
func testSettings() map[string]string {
	return map[string]string{
		"request.jwt.claims": "", "request.method": "", "request.path": "", "request.headers": "", "request.cookies": "",
	}
}

func sessionSettings(l Limits) map[string]string {
	milliseconds := func(d interface{ Milliseconds() int64 }) string { return fmt.Sprint(d.Milliseconds()) }
	return map[string]string{
		"statement_timeout":                   milliseconds(l.Statement),
		"lock_timeout":                        milliseconds(l.Lock),
		"idle_in_transaction_session_timeout": milliseconds(4 * l.Request),
		"plan_cache_mode":                     "force_custom_plan",
		"row_security":                        "on",
		"search_path":                         `"$user", public, extensions`,
		"timezone":                            "UTC",
		"datestyle":                           "iso, mdy",
		"intervalstyle":                       "postgres",
		"extra_float_digits":                  "1",
		"client_min_messages":                 "error",
		"application_name":                    "supascore",
	}
}
