package postgres_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/proc"
)

func TestAServerIsAProjectWithoutMigrations(t *testing.T) {
	t.Parallel()
	s := postgrestest.Shared(t)
	url := s.URL("postgres", "postgres")
	assert.Equal(t, "off", query(t, url, "select current_setting('is_superuser')"))
	assert.Equal(t, "postgres", query(t, url, "select pg_get_userbyid(datdba)::text from pg_database where datname = current_database()"))
	assert.Equal(t, "C.UTF-8", query(t, url, "select datcollate from pg_database where datname = current_database()"))
	assert.Equal(t, "UTF8", query(t, url, "show server_encoding"))
	assert.Equal(t, "UTC", query(t, url, "show timezone"))
	assert.Equal(t, "mmap", query(t, url, "show dynamic_shared_memory_type"), "a killed server leaves nothing in /dev/shm")
	assert.Equal(t, "0", query(t, url, "select count(*)::text from auth.users"))
	assert.Regexp(t, regexp.MustCompile(`^1[5-9]`), s.Version())
	assert.Contains(t, query(t, url, "select version()"), "PostgreSQL "+s.Version())
}

func TestServersDoNotShareAnything(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	servers := make([]*postgres.Server, 3)
	var wg sync.WaitGroup
	for i := range servers {
		wg.Go(func() { servers[i] = postgrestest.Start(t, d.config()) })
	}
	wg.Wait()
	ports := map[int]bool{}
	for i, s := range servers {
		ports[s.Port()] = true
		postgrestest.Exec(t, s, "postgres", "postgres", "create role r"+strconv.Itoa(i))
	}
	assert.Len(t, ports, 3)
	for i, s := range servers {
		roles := query(t, s.URL("postgres", "postgres"), `select string_agg(rolname, ',') from pg_roles where rolname ~ '^r\d$'`)
		assert.Equal(t, "r"+strconv.Itoa(i), roles)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	s, err := postgres.Start(t.Context(), d.config())
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), s.URL("postgres", "postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	require.DirExists(t, s.SocketDir())

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.NoError(t, s.Stop(t.Context())) })
	}
	wg.Wait()
	select {
	case <-s.Done():
	default:
		t.Error("the server has not ended")
	}
	assert.NoError(t, s.Err(), "a server that was stopped has no error")
	assert.False(t, alive(s.PID()))
	assertNothingLeft(t, d)
}

func TestAServerThatIsKilledSaysSo(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	s := postgrestest.Start(t, d.config())
	assert.NoError(t, s.Err())
	postgrestest.Exec(t, s, "postgres", "postgres", `do $$ begin raise warning 'last words'; end $$`)

	require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL))
	select {
	case <-s.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("Done is not closed")
	}
	require.Error(t, s.Err())
	assert.Contains(t, s.Err().Error(), "postgres ended: signal: killed")
	assert.Contains(t, s.Err().Error(), "last words")
	assert.Contains(t, s.LogTail(20), "last words")
	require.NoError(t, s.Stop(t.Context()))
	assertNothingLeft(t, d)
}

func TestTheSocketIsClosedToOthersAndTCPAsksForThePassword(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	cfg := d.config()
	cfg.Password = "p@ss 'word"
	s := postgrestest.Start(t, cfg)

	for _, dir := range []string{s.SocketDir(), filepath.Dir(s.SocketDir())} {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), dir)
	}
	assert.Equal(t, "authenticator", query(t, s.TCPURL("authenticator", cfg.Password, "postgres"), "select current_user::text"))
	for _, password := range []string{"postgres", ""} {
		_, err := pgconn.Connect(t.Context(), s.TCPURL("postgres", password, "postgres"))
		var pgErr *pgconn.PgError
		require.ErrorAs(t, err, &pgErr)
		assert.Equal(t, "28P01", pgErr.Code, "invalid_password")
	}
}

func TestTheDefaultPasswordIsTheCLIs(t *testing.T) {
	t.Parallel()
	s := postgrestest.Shared(t)
	for _, role := range []string{"postgres", "authenticator", "supabase_auth_admin", "supabase_admin"} {
		assert.Equal(t, role, query(t, s.TCPURL(role, "postgres", "postgres"), "select current_user::text"))
	}
}

func TestAFixedPortIsUsedAndABusyOneIsNamedWithItsOwner(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	cfg := sharedImage(t).config()
	cfg.Port = l.Addr().(*net.TCPAddr).Port

	_, err = postgres.Start(t.Context(), cfg)
	var port *proc.PortError
	require.ErrorAs(t, err, &port)
	assert.Equal(t, cfg.Port, port.Port)
	assert.Equal(t, os.Getpid(), port.Owner.PID)
	assert.Contains(t, err.Error(), "port "+strconv.Itoa(cfg.Port)+" is in use by")
	assert.NotEmpty(t, port.Hint())
	assertNothingLeft(t, dirs{cache: cfg.RunDir, run: cfg.RunDir})

	require.NoError(t, l.Close())
	s := postgrestest.Start(t, cfg)
	assert.Equal(t, cfg.Port, s.Port())
}

func TestAnImpossiblePortIsRefused(t *testing.T) {
	t.Parallel()
	for _, port := range []int{-1, 65536} {
		_, err := postgres.Start(t.Context(), postgres.Config{Port: port})
		assert.ErrorContains(t, err, "is not between 0 and 65535")
	}
}

func TestDatabasesAreCopiesOfTheUntouchedProject(t *testing.T) {
	t.Parallel()
	s := postgrestest.Start(t, sharedImage(t).config())
	postgrestest.Exec(t, s, "postgres", "postgres", "create table public.mine (id int)")
	const name = `odd "name"`
	require.NoError(t, s.CreateDatabase(t.Context(), name))
	url := s.URL("postgres", name)
	assert.Equal(t, "true", query(t, url, "select (to_regclass('public.mine') is null and to_regclass('auth.users') is not null)::text"))
	assert.Equal(t, "true", query(t, url, "select has_database_privilege(current_database(), 'create')::text"))
	assert.Equal(t, "true", query(t, url, "select has_database_privilege('supabase_auth_admin', current_database(), 'create')::text"))
	assert.ErrorContains(t, s.CreateDatabase(t.Context(), name), "already exists")

	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	require.NoError(t, s.DropDatabase(t.Context(), name), "although somebody is connected")
	require.NoError(t, s.DropDatabase(t.Context(), name), "although it is gone")
	assert.Equal(t, "0", query(t, s.URL("postgres", "postgres"), `select count(*)::text from pg_database where datname like 'odd%'`))
}

func TestTheTemplateCannotBeTouched(t *testing.T) {
	t.Parallel()
	s := postgrestest.Shared(t)
	for _, role := range []string{"postgres", bootstrap.Superuser} {
		_, err := pgconn.Connect(t.Context(), s.URL(role, "template1"))
		assert.ErrorContains(t, err, "not currently accepting connections")
	}
}

func TestTheLogExplainsWhatFailed(t *testing.T) {
	t.Parallel()
	s := postgrestest.Shared(t)
	name := postgrestest.Database(t, s)
	since := time.Now().UTC().Truncate(time.Millisecond)
	conn, err := pgx.Connect(t.Context(), s.URL("supabase_auth_admin", name))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "select secret\nfrom public.nowhere")
	require.Error(t, err)

	assert.EventuallyWithT(t, func(c *assert.CollectT) {
		var found []postgres.LogEntry
		for _, e := range s.Log(since) {
			if e.Database == name {
				found = append(found, e)
			}
		}
		if assert.Len(c, found, 1) {
			assert.Equal(c, "42P01", found[0].State)
			assert.Equal(c, "supabase_auth_admin", found[0].User)
			assert.Equal(c, `relation "public.nowhere" does not exist at character 20`, found[0].Message)
			assert.Equal(c, "select secret\nfrom public.nowhere", found[0].Statement)
		}
	}, 20*time.Second, 10*time.Millisecond)
}

func TestASocketPathThatIsTooLongIsMovedToTheTemporaryFolder(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	cfg := d.config()
	cfg.RunDir = filepath.Join(d.run, "a-folder-with-quite-a-long-name-that-leaves-no-room-for-a-socket-address")
	s := postgrestest.Start(t, cfg)
	assert.NotContains(t, s.SocketDir(), cfg.RunDir)
	assert.Equal(t, "1", query(t, s.URL("postgres", "postgres"), "select '1'"))
	require.NoError(t, s.Stop(t.Context()))
	assert.NoDirExists(t, s.SocketDir())
}

func TestTheServerRunsAsSomebodyWithoutRights(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root's server has to run as somebody else")
	}
	s := postgrestest.Shared(t)
	out, err := exec.CommandContext(t.Context(), "ps", "-o", "uid=", "-p", strconv.Itoa(s.PID())).Output()
	require.NoError(t, err)
	assert.NotEqual(t, "0", string(out[len(out)-2:len(out)-1]), string(out))
}
