// Package postgrestest gives tests a real PostgreSQL: one server for a test
// binary, and a fresh Supabase database for each test that asks. It promises
// that databases are independent of each other and gone afterwards. Roles and
// their settings belong to the whole server: a test that changes those starts
// its own with Start.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
)

// TB is what is used of testing.TB, so that a fake can stand in.
type TB interface {
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Helper()
	Logf(format string, args ...any)
	Name() string
}

// M is what is used of testing.M.
type M interface{ Run() int }

// startTimeout covers the first build of a cluster image on a busy machine.
const startTimeout = 2 * time.Minute

// shared is the server of this test binary. It is the package's only state, and
// the reason that the package exists: a test binary's tests share nothing else
// that could hold it.
var shared struct {
	once   sync.Once
	server *postgres.Server
	err    error
}

// Shared is the server of this test binary, started by the first call. The
// test fails when it cannot start.
func Shared(t TB) *postgres.Server {
	t.Helper()
	shared.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		shared.server, shared.err = postgres.Start(ctx, postgres.Config{})
	})
	if shared.err != nil {
		t.Fatalf("start postgres: %s", withHint(shared.err))
	}
	return shared.server
}

// Main runs the tests and then stops the shared server. Use it as
// "func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }". Without it
// the server dies with the process, and its folder is swept later.
func Main(m M) int {
	code := m.Run()
	// No test runs any more, so nobody starts the server now.
	if shared.server == nil {
		return code
	}
	if err := shared.server.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "stop postgres:", err)
		return max(code, 1)
	}
	return code
}

// Start runs a server of the test's own, stopped when the test ends.
func Start(t TB, cfg postgres.Config) *postgres.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	s, err := postgres.Start(ctx, cfg)
	if err != nil {
		t.Fatalf("start postgres: %s", withHint(err))
		return nil
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("stop postgres: %s", err)
		}
	})
	return s
}

// Database makes a fresh database, owned by postgres, and drops it when the
// test ends. Nothing has decided yet what the API roles may do with new
// tables; ExposedDatabase does.
func Database(t TB, s *postgres.Server) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	if err := s.CreateDatabase(ctx, name); err != nil {
		t.Fatalf("%s", err)
		return ""
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.DropDatabase(ctx, name); err != nil {
			t.Errorf("%s", err)
		}
	})
	return name
}

// ExposedDatabase is Database in which new tables of role postgres are granted
// to the API roles (true) or not (false), see bootstrap.ExposeNewTables. The
// recordings in fixtures/recordings were made with true.
func ExposedDatabase(t TB, s *postgres.Server, expose bool) string {
	t.Helper()
	name := Database(t, s)
	Exec(t, s, bootstrap.Superuser, name, bootstrap.ExposeNewTables(expose))
	return name
}

// Exec runs SQL, any number of statements without parameters, as a role.
func Exec(t TB, s *postgres.Server, role, database, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL(role, database))
	if err != nil {
		t.Fatalf("%s", err)
		return
	}
	defer conn.Close(ctx)
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatalf("as %s in %s: %s", role, database, err)
	}
}

// withHint adds the remedy, which a test's output has no other place for.
func withHint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return err.Error() + " (" + hinted.Hint() + ")"
	}
	return err.Error()
}
