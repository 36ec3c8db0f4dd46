// Package migrate applies a workspace's SQL to its database: roles.sql, the migrations, the seed files. It owns what the
// Supabase CLI does when it resets a local database: the order, the transactions, the session settings and the tables in which
// it records what was applied. It promises that an error names file, line and column with all that PostgreSQL said, and that a
// file which failed has left no trace but what it committed itself. It reads no files and does not connect.
//
// The rules are those of supabase/cli, apps/cli-go/pkg/migration: a file's statements and the record of the file go to the
// server as one pipeline with one Sync, which makes them one implicit transaction unless the file has its own BEGIN and COMMIT;
// RESET ALL comes before each migration and nowhere else, so that settings of the last one reach the seed files.
package migrate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/migrate/split"
	"github.com/supascore/supascore/stack/workspace"
)

var (
	//go:embed sql/history.sql
	historySQL string
	//go:embed sql/seeds.sql
	seedsSQL string
)

// Plan is what to apply, in this order.
type Plan struct {
	Roles      *workspace.File // nil: none
	Migrations []workspace.Migration
	Seeds      []workspace.File
	// OnFile is told which file is next; may be nil.
	OnFile func(Kind, string)
}

// PlanOf takes the plan from a workspace.
func PlanOf(w *workspace.Workspace) Plan {
	return Plan{Roles: w.Roles, Migrations: w.Migrations, Seeds: w.Seeds}
}

// Kind says which rules a file follows.
type Kind string

// The kinds of files.
const (
	KindRoles     Kind = "roles"
	KindMigration Kind = "migration"
	KindSeed      Kind = "seed"
)

// Applied is a file that was applied.
type Applied struct {
	Path       string
	Kind       Kind
	Statements int
	Took       time.Duration
}

// Report says what was applied, also when Apply failed at a later file.
type Report struct {
	Files []Applied
}

// Apply applies a plan over one connection, which should be of role postgres, the role of the CLI, and have no transaction
// open. It stops at the first error, a *Error except when ctx has ended or the connection is lost. When ctx ends, the server is
// told to cancel what it is doing.
func Apply(ctx context.Context, conn *pgx.Conn, plan Plan) (Report, error) {
	a := &applier{conn: conn, plan: plan}
	err := a.apply(ctx)
	if err != nil && ctx.Err() != nil {
		a.cancel(ctx)
		return a.report, fmt.Errorf("apply %s: %w", a.path, context.Cause(ctx))
	}
	return a.report, err
}

type applier struct {
	conn   *pgx.Conn
	plan   Plan
	path   string // the file that is being applied
	report Report
}

func (a *applier) apply(ctx context.Context) error {
	if a.plan.Roles != nil {
		if err := a.file(ctx, KindRoles, *a.plan.Roles, nil); err != nil {
			return err
		}
	}
	if len(a.plan.Migrations) > 0 {
		if err := a.setup(ctx, "supabase_migrations.schema_migrations", historySQL); err != nil {
			return err
		}
	}
	for _, m := range a.plan.Migrations {
		if err := a.migration(ctx, m); err != nil {
			return err
		}
	}
	if len(a.plan.Seeds) > 0 {
		if err := a.setup(ctx, "supabase_migrations.seed_files", seedsSQL); err != nil {
			return err
		}
	}
	for _, s := range a.plan.Seeds {
		if err := a.seed(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// setup makes a table of the CLI's own.
func (a *applier) setup(ctx context.Context, table, sql string) error {
	a.path = table
	batch := &pgconn.Batch{}
	for _, s := range split.Statements(sql) {
		batch.ExecParams(s.Text, nil, nil, nil, nil)
	}
	if _, err := a.run(ctx, batch); err != nil {
		return fmt.Errorf("make the table %s: %w", table, err)
	}
	return nil
}

func (a *applier) migration(ctx context.Context, m workspace.Migration) error {
	a.path = m.Path
	// An earlier migration may have changed the settings of the session: dumps empty the search_path, for example.
	if err := a.conn.PgConn().Exec(ctx, "reset all").Close(); err != nil {
		return fmt.Errorf("reset the session before %s: %w", m.Path, err)
	}
	return a.file(ctx, KindMigration, m.File, &record{
		sql:  "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)",
		args: []any{m.Version, m.Name, nil}, statements: 2,
	})
}

// seed prepares every statement before the first runs, as the CLI does for its statement cache. A seed file that uses a table
// which it makes itself fails there, and so it does here.
func (a *applier) seed(ctx context.Context, f workspace.File) error {
	a.path = f.Path
	s, err := newScript(KindSeed, f)
	if err != nil {
		return err
	}
	if done, err := a.prepare(ctx, s.statements); err != nil {
		return s.fail(done, len(s.statements)+1, err)
	}
	return a.file(ctx, KindSeed, f, &record{
		sql: "insert into supabase_migrations.seed_files (path, hash) values ($1, $2) " +
			"on conflict (path) do update set hash = excluded.hash",
		args: []any{f.Path, f.SHA256}, statements: -1,
	})
}

// prepare has the server analyse statements without running them, in one round trip. It returns how many are in order.
func (a *applier) prepare(ctx context.Context, statements []split.Statement) (done int, err error) {
	pipeline := a.conn.PgConn().StartPipeline(ctx)
	defer func() { err = errors.Join(err, pipeline.Close()) }()
	for _, s := range statements {
		pipeline.SendPrepare("", s.Text, nil)
	}
	if err := pipeline.Sync(); err != nil {
		return 0, err
	}
	for done < len(statements) {
		if _, err := pipeline.GetResults(); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// record is the row that says that a file was applied.
type record struct {
	sql        string
	args       []any
	statements int // index of the argument that takes the file's statements, -1 for none
}

// file sends one file and its record as one pipeline.
func (a *applier) file(ctx context.Context, kind Kind, f workspace.File, r *record) error {
	a.path = f.Path
	if a.plan.OnFile != nil {
		a.plan.OnFile(kind, f.Path)
	}
	start := time.Now()
	s, err := newScript(kind, f)
	if err != nil {
		return err
	}
	batch := &pgconn.Batch{}
	for _, statement := range s.statements {
		batch.ExecParams(statement.Text, nil, nil, nil, nil)
	}
	sent := len(s.statements)
	if r != nil {
		sent++
		if err := a.addRecord(batch, r, s.statements); err != nil {
			return err
		}
	}
	if done, err := a.run(ctx, batch); err != nil {
		err = s.fail(done, sent, err)
		if r != nil && done == len(s.statements) {
			a.explainRecord(err, f)
		}
		return err
	}
	a.report.Files = append(a.report.Files, Applied{Path: f.Path, Kind: kind, Statements: len(s.statements), Took: time.Since(start)})
	return nil
}

func (a *applier) addRecord(batch *pgconn.Batch, r *record, statements []split.Statement) error {
	if r.statements >= 0 {
		texts := make([]string, len(statements))
		for i, s := range statements {
			texts[i] = s.Text
		}
		r.args[r.statements] = texts
	}
	values := make([][]byte, len(r.args))
	oids := make([]uint32, len(r.args))
	for i, arg := range r.args {
		typ, ok := a.conn.TypeMap().TypeForValue(arg)
		if !ok {
			return fmt.Errorf("record %s: no type for %T", a.path, arg)
		}
		encoded, err := a.conn.TypeMap().Encode(typ.OID, pgx.TextFormatCode, arg, []byte{})
		if err != nil {
			return fmt.Errorf("record %s: %w", a.path, err)
		}
		values[i], oids[i] = encoded, typ.OID
	}
	batch.ExecParams(r.sql, values, oids, nil, nil)
	return nil
}

// run sends a batch and returns how many of its statements succeeded.
func (a *applier) run(ctx context.Context, batch *pgconn.Batch) (done int, err error) {
	results := a.conn.PgConn().ExecBatch(ctx, batch)
	for results.NextResult() {
		if _, err := results.ResultReader().Close(); err != nil {
			break // of a query that failed after its first rows
		}
		done++
	}
	return done, results.Close()
}

// cancel asks the server to stop the statement of a connection that was given up: closing it alone would let the statement
// run on.
func (a *applier) cancel(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	_ = a.conn.PgConn().CancelRequest(ctx) // the server may have finished meanwhile
}

// explainRecord says more when not a statement of the file failed but the record of it: the usual cause is a second file with
// the same version.
func (a *applier) explainRecord(err error, f workspace.File) {
	var e *Error
	if !errors.As(err, &e) || e.SQLState != "23505" {
		return
	}
	var this workspace.Migration
	for _, m := range a.plan.Migrations {
		if m.Path == f.Path {
			this = m
		}
	}
	for _, m := range a.plan.Migrations {
		if m.Path != f.Path && m.Version == this.Version {
			e.Message = fmt.Sprintf("the version %s is already that of %s (%s)", m.Version, m.Path, e.Message)
			e.Remedy = "give one of the two files another version"
			return
		}
	}
}
