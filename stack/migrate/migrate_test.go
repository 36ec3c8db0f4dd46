package migrate_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/workspace"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// connect gives a fresh database and a connection to it as role postgres.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	server := postgrestest.Shared(t)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", postgrestest.Database(t, server)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // some tests end it themselves
	return conn
}

func migration(name, sql string) workspace.Migration {
	version, rest, _ := strings.Cut(strings.TrimSuffix(name, ".sql"), "_")
	return workspace.Migration{
		File: workspace.File{Path: "supabase/migrations/" + name, SQL: sql}, Version: version, Name: rest,
	}
}

func plan(migrations ...workspace.Migration) migrate.Plan {
	return migrate.Plan{Migrations: migrations}
}

func seeds(sql ...string) migrate.Plan {
	var p migrate.Plan
	for i, text := range sql {
		p.Seeds = append(p.Seeds, workspace.File{Path: fmt.Sprintf("supabase/seed%d.sql", i), SQL: text, SHA256: fmt.Sprint("hash", i)})
	}
	return p
}

func apply(t *testing.T, conn *pgx.Conn, p migrate.Plan) *migrate.Error {
	t.Helper()
	_, err := migrate.Apply(t.Context(), conn, p)
	if err == nil {
		return nil
	}
	var e *migrate.Error
	require.ErrorAs(t, err, &e)
	return e
}

func one[T any](t *testing.T, conn *pgx.Conn, sql string) T {
	t.Helper()
	var v T
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&v))
	return v
}

func exists(t *testing.T, conn *pgx.Conn, relation string) bool {
	t.Helper()
	var found bool
	require.NoError(t, conn.QueryRow(t.Context(), "select to_regclass($1) is not null", relation).Scan(&found))
	return found
}

func TestAWorkspaceIsAppliedAndRecordedAsTheCLIDoes(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	p := plan(
		migration("20240101000000_init.sql", "-- tables\ncreate table notes (id int primary key, body text);\ninsert into notes values (1, 'a;b');\n"),
		migration("20240102000000_more_notes.sql", "create function f() returns int language plpgsql as $$ begin return 1; end; $$;"),
		migration("20240103000000_.sql", ""),
	)
	p.Seeds = []workspace.File{{Path: "supabase/seed.sql", SQL: "insert into notes values (2, 'x');\ninsert into notes values (3, 'y');", SHA256: "abc"}}
	report, err := migrate.Apply(t.Context(), conn, p)
	require.NoError(t, err)

	require.Len(t, report.Files, 4)
	assert.Equal(t, "supabase/migrations/20240101000000_init.sql", report.Files[0].Path)
	assert.Equal(t, migrate.KindMigration, report.Files[0].Kind)
	assert.Equal(t, 2, report.Files[0].Statements)
	assert.Equal(t, migrate.KindSeed, report.Files[3].Kind)
	assert.Equal(t, int64(3), one[int64](t, conn, "select count(*) from notes"))
	assert.Equal(t, "a;b", one[string](t, conn, "select body from notes where id = 1"))

	rows, err := conn.Query(t.Context(), "select version, name, statements from supabase_migrations.schema_migrations order by version")
	require.NoError(t, err)
	type recorded struct {
		Version    string
		Name       string
		Statements []string
	}
	got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[recorded])
	require.NoError(t, err)
	assert.Equal(t, []recorded{
		{"20240101000000", "init", []string{
			"-- tables\ncreate table notes (id int primary key, body text)", "insert into notes values (1, 'a;b')",
		}},
		{"20240102000000", "more_notes", []string{"create function f() returns int language plpgsql as $$ begin return 1; end; $$"}},
		{"20240103000000", "", []string{}},
	}, got)
	assert.Equal(t, "supabase/seed.sql abc", one[string](t, conn, "select path || ' ' || hash from supabase_migrations.seed_files"))
	assert.Equal(t, "postgres", one[string](t, conn, "select tableowner from pg_tables where tablename = 'notes'"))
}

func TestNothingIsMadeForAnEmptyPlan(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	require.Nil(t, apply(t, conn, migrate.Plan{}))
	assert.False(t, exists(t, conn, "supabase_migrations.schema_migrations"))
}

func TestAnErrorNamesItsPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, sql    string
		line, column int
		state, text  string
	}{
		{"syntax", "create table a (id int);\n\ncreate tabel b (id int);\n", 3, 8, "42601", `syntax error at or near "tabel"`},
		{"position in a long statement", "create table a (\n  id int,\n  kind no_such_type\n);", 3, 8, "42704", `type "no_such_type" does not exist`},
		{"position after other characters", "select 'äöü€', 'x' ~ nope;", 1, 22, "42703", `column "nope" does not exist`},
		{"no position", "create table a (id int);\n-- the second\n  /* one */ insert into a select 1/0;\n", 3, 13, "22012", "division by zero"},
		{"inside a function", "do $$\nbegin\n  raise exception 'no' using detail = 'why', hint = 'how', errcode = 'P0042';\nend $$;", 1, 1, "P0042", "no"},
		{"query that fails after its first row", "select 1;\nselect 1/(3-g) from generate_series(1, 5) g;\nselect 2;", 2, 1, "22012", "division by zero"},
		{"not null", "create table a (id int not null);\n\tinsert into a values (null);", 2, 2, "23502", `null value in column "id"`},
		{"privilege", "create table x (id int);\nalter table pg_class add column y int;", 2, 1, "42501", "must be owner of table pg_class"},
		{"Windows line ends", "select 1;\r\nselect nope;\r\n", 2, 8, "42703", `column "nope" does not exist`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := apply(t, connect(t), plan(migration("1_a.sql", tc.sql)))
			require.NotNil(t, e)
			assert.Equal(t, "supabase/migrations/1_a.sql", e.File)
			assert.Equal(t, tc.state, e.SQLState, e.Error())
			assert.Equal(t, fmt.Sprintf("%d:%d", tc.line, tc.column), fmt.Sprintf("%d:%d", e.Line, e.Column), e.Error())
			assert.Contains(t, e.Message, tc.text)
			assert.NotEmpty(t, e.Statement)
			assert.True(t, strings.HasPrefix(e.Error(), fmt.Sprintf("supabase/migrations/1_a.sql:%d:%d: ", tc.line, tc.column)), e.Error())
		})
	}
}

func TestAnErrorTellsAllThatPostgreSQLSaid(t *testing.T) {
	t.Parallel()
	e := apply(t, connect(t), plan(migration("1_a.sql", "do $$ begin\n raise exception 'no' using detail = 'why', hint = 'how';\nend $$;")))
	require.NotNil(t, e)
	assert.Equal(t, "why", e.Detail)
	assert.Equal(t, "how", e.Advice)
	assert.Contains(t, e.Where, "PL/pgSQL function")
	assert.Equal(t, "supabase/migrations/1_a.sql:1:1: no (SQLSTATE P0001)\n  detail: why\n  hint: how\n"+
		"  context: PL/pgSQL function inline_code_block line 2 at RAISE\n  1 | do $$ begin\n      ^", e.Error())
}

func TestAFailedFileLeavesNothingAndEarlierOnesStay(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	e := apply(t, conn, plan(
		migration("1_a.sql", "create table a ();"), migration("2_b.sql", "create table b (); select nope;"), migration("3_c.sql", "create table c ();"),
	))
	require.NotNil(t, e)
	assert.True(t, exists(t, conn, "public.a"))
	assert.False(t, exists(t, conn, "public.b"))
	assert.False(t, exists(t, conn, "public.c"))
	assert.Equal(t, "1", one[string](t, conn, "select string_agg(version, ',') from supabase_migrations.schema_migrations"))
}

func TestWhatAFileCommitsItselfStays(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	e := apply(t, conn, plan(migration("1_a.sql", "begin; create table a (); commit; create table b (); select nope;")))
	require.NotNil(t, e)
	assert.True(t, exists(t, conn, "public.a"))
	assert.False(t, exists(t, conn, "public.b"))
}

func TestADeferredConstraintFailsAtTheCommit(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	e := apply(t, conn, plan(migration("1_a.sql",
		"create table a (id int primary key, b int references a deferrable initially deferred); insert into a values (1, 2);")))
	require.NotNil(t, e)
	assert.Equal(t, "23503", e.SQLState)
	assert.Zero(t, e.Line)
	assert.Contains(t, e.Error(), "supabase/migrations/1_a.sql: ")
	assert.Contains(t, e.Message, "when the transaction of the file was committed")
	assert.False(t, exists(t, conn, "public.a"))
}

func TestAConcurrentIndexNeedsAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	table := migration("1_a.sql", "create table a (id int);")
	e := apply(t, conn, plan(table, migration("2_b.sql", "select 1; create index concurrently on a (id);")))
	require.NotNil(t, e)
	assert.Equal(t, "25001", e.SQLState)
	assert.Contains(t, e.Hint(), "a migration of its own")

	conn = connect(t)
	require.Nil(t, apply(t, conn, plan(table, migration("2_b.sql", "create index concurrently i on a (id);"))))
	assert.True(t, exists(t, conn, "public.i"))
}

func TestTwoFilesWithOneVersionAreNamed(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	e := apply(t, conn, plan(migration("1_a.sql", "create table a ();"), migration("1_b.sql", "create table b ();")))
	require.NotNil(t, e)
	assert.Equal(t, "23505", e.SQLState)
	assert.Contains(t, e.Error(), "supabase/migrations/1_b.sql: the version 1 is already that of supabase/migrations/1_a.sql")
	assert.Contains(t, e.Message, "schema_migrations_pkey")
	assert.False(t, exists(t, conn, "public.b"))
}

func TestSettingsOfAMigrationEndWithItAndThoseOfTheLastReachTheSeeds(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	p := plan(
		migration("1_a.sql", "select pg_catalog.set_config('search_path', '', false); create table public.a (id int);"),
		migration("2_b.sql", "create table b (id int); select pg_catalog.set_config('search_path', 'auth', false);"),
	)
	p.Seeds = seeds("insert into b values (1);").Seeds
	e := apply(t, conn, p)
	require.NotNil(t, e)
	assert.True(t, exists(t, conn, "public.b"))
	assert.Equal(t, "supabase/seed0.sql", e.File)
	assert.Equal(t, "42P01", e.SQLState)
}

func TestRolesComeFirstAndAreNotRecorded(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	role := "r_" + one[string](t, conn, "select replace(gen_random_uuid()::text, '-', '')")
	p := plan(migration("1_a.sql", "create table a (); grant select on a to "+role+";"))
	p.Roles = &workspace.File{Path: "supabase/roles.sql", SQL: "create role " + role + ";"}
	require.Nil(t, apply(t, conn, p))
	assert.Equal(t, int64(1), one[int64](t, conn, "select count(*) from supabase_migrations.schema_migrations"))
	_, err := conn.Exec(t.Context(), "drop table a; drop role "+role) // roles belong to the whole server
	require.NoError(t, err)

	p.Roles = &workspace.File{Path: "supabase/roles.sql", SQL: "\ncreate rol x;"}
	e := apply(t, connect(t), p)
	require.NotNil(t, e)
	assert.Equal(t, "supabase/roles.sql", e.File)
	assert.Equal(t, 2, e.Line)
}

func TestASeedFileMayNotUseWhatItMakes(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	e := apply(t, conn, seeds("select 1;\ncreate table a (id int);\ninsert into a values (1);"))
	require.NotNil(t, e)
	assert.Equal(t, 3, e.Line)
	assert.Equal(t, "42P01", e.SQLState)
	assert.Contains(t, e.Hint(), "make it in a migration")
	assert.False(t, exists(t, conn, "public.a"))
}

func TestAnErrorOfASeedStatementIsPlacedToo(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	p := plan(migration("1_a.sql", "create table a (id int primary key);"))
	p.Seeds = seeds("insert into a values (1);\ninsert into a values (2);\ninsert into a values (1);").Seeds
	e := apply(t, conn, p)
	require.NotNil(t, e)
	assert.Equal(t, 3, e.Line)
	assert.Equal(t, "23505", e.SQLState)
	assert.Equal(t, int64(0), one[int64](t, conn, "select count(*) from a"))
}

func TestWhatNeedsPsqlIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	for sql, want := range map[string]string{
		"create table a ();\n\\copy a from 'x'": "supabase/migrations/1_a.sql:2:1: \\copy is a command of psql, and not SQL",
		"\\i other.sql":                         "supabase/migrations/1_a.sql:1:1: \\i is a command of psql",
		"select 1 \\gexec":                      "supabase/migrations/1_a.sql:1:10: \\gexec is a command of psql",
		"select 1 \\ 2":                         "supabase/migrations/1_a.sql:1:10: a backslash outside of quotes is not SQL",
		"-- rows\ncopy a from stdin;\n1\n2\n":   "supabase/migrations/1_a.sql:2:1: COPY … FROM STDIN takes its data from psql",
	} {
		e := apply(t, conn, plan(migration("1_a.sql", sql)))
		require.NotNil(t, e, sql)
		assert.True(t, strings.HasPrefix(e.Error(), want), e.Error())
		assert.Empty(t, e.SQLState)
		assert.NotEmpty(t, e.Hint())
	}
	assert.False(t, exists(t, conn, "public.a"))
	require.Nil(t, apply(t, conn, plan(migration("1_a.sql", "copy (select 1) to stdout; create table a ();"))))
}

func TestAMissingTypeHintsAtTheExtensionsSchema(t *testing.T) {
	t.Parallel()
	e := apply(t, connect(t), plan(migration("1_a.sql", "create table a (p ltree);")))
	require.NotNil(t, e)
	assert.Equal(t, "if an extension has this type, name its schema too: extensions.ltree", e.Hint())
}

func TestAByteOrderMarkIsNamedAsTheCauseOfASyntaxError(t *testing.T) {
	t.Parallel()
	e := apply(t, connect(t), plan(migration("1_a.sql", "\ufeffcreate table a ();")))
	require.NotNil(t, e)
	assert.Equal(t, "42601", e.SQLState)
	assert.Equal(t, "save the file without a byte-order mark", e.Hint())
}

func TestALostConnectionIsNoFaultOfTheFile(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	require.NoError(t, conn.Close(t.Context()))
	_, err := migrate.Apply(t.Context(), conn, plan(migration("1_a.sql", "select 1;")))
	require.Error(t, err)
	var e *migrate.Error
	assert.NotErrorAs(t, err, &e)
}

func TestAStatementThatNeverEndsIsCancelledOnTheServer(t *testing.T) {
	t.Parallel()
	conn, watcher := connect(t), connect(t)
	pid := conn.PgConn().PID()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		assert.Eventually(t, func() bool { return running(watcher, pid) }, 10*time.Second, 5*time.Millisecond)
	}()
	_, err := migrate.Apply(ctx, conn, plan(migration("1_a.sql", "select pg_sleep(600);")))
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "apply supabase/migrations/1_a.sql")
	assert.Eventually(t, func() bool { return !running(watcher, pid) }, 10*time.Second, 5*time.Millisecond)
}

// running reports whether a backend is in the sleep of the test above.
func running(conn *pgx.Conn, pid uint32) bool {
	var n int
	err := conn.QueryRow(context.Background(),
		"select count(*) from pg_stat_activity where pid = $1 and state = 'active' and query like '%pg_sleep%'", int64(pid)).Scan(&n)
	return err == nil && n > 0
}

func TestAPlanTakesWhatTheWorkspaceHas(t *testing.T) {
	t.Parallel()
	w := &workspace.Workspace{Roles: &workspace.File{Path: "r"}, Migrations: []workspace.Migration{{Version: "1"}}, Seeds: []workspace.File{{Path: "s"}}}
	assert.Equal(t, migrate.Plan{Roles: w.Roles, Migrations: w.Migrations, Seeds: w.Seeds}, migrate.PlanOf(w))
}
