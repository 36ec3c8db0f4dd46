package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
)

// template is the database that every other database is copied from. The
// bootstrap scripts run in it and nobody can connect to it afterwards, so it
// stays as they left it.
const template = "template1"

// initdb makes an empty cluster.
func (im *image) initdb(ctx context.Context, data string) error {
	var errs []error
	for _, locale := range locales(im.install.major) {
		args := append([]string{
			"-D", data, "-U", bootstrap.Superuser, "--encoding=UTF8", "--no-sync", "--no-instructions",
			"--auth-local=trust", "--auth-host=scram-sha-256", "--wal-segsize=1",
			// initdb writes the password's method check only for a password; it
			// is set by the scripts' successor, setPasswords.
		}, locale...)
		err := im.runInitdb(ctx, args)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil || !strings.Contains(err.Error(), "locale") {
			break
		}
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// locales are ways to say "Unicode letters, ordered by code point", best
// first. All of them sort alike; older macOS has no C.UTF-8.
func locales(major int) [][]string {
	var all [][]string
	all = append(all, []string{"--locale=C.UTF-8"})
	if major >= 17 {
		all = append(all, []string{"--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"})
	}
	return append(all,
		[]string{"--locale=C", "--lc-ctype=en_US.UTF-8"},
		[]string{"--locale=C"})
}

func (im *image) runInitdb(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, im.install.initdb(), args...)
	cmd.Dir = im.dir + ".tmp"
	cmd.Env = serverEnv()
	// initdb starts postgres; its process group goes as a whole.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c := im.id.cred; c != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: c.UID, Gid: c.GID}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// serverEnv is the environment of initdb and of the server: none of ours, so
// that PGDATA, PGPORT, LANG and the like cannot change what comes out.
func serverEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	if dir := os.Getenv("LD_LIBRARY_PATH"); dir != "" {
		env = append(env, "LD_LIBRARY_PATH="+dir)
	}
	return env
}

// bootstrap runs the scripts in a server on the new cluster, makes the
// database postgres anew from the result, and stops the server cleanly.
func (im *image) bootstrap(ctx context.Context, dir, data string) (err error) {
	socket, err := newSocketDir(dir, im.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(socket)) }()
	b := &backend{install: im.install, id: im.id, data: data, socket: socket, port: 5432}
	if err := b.start(ctx, false); err != nil {
		return err
	}
	defer func() {
		// SIGINT is the fast shutdown with a checkpoint: the copies must not
		// have to recover.
		if stopErr := b.stopClean(ctx); err == nil {
			err = stopErr
		}
		if err == nil {
			err = trim(data)
		}
	}()
	conn, err := b.connect(ctx, bootstrap.Superuser, template)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := runScripts(ctx, conn, im.scripts); err != nil {
		return err
	}
	return finishImage(ctx, conn)
}

// runScripts runs each script in a transaction of its own.
func runScripts(ctx context.Context, conn *pgx.Conn, scripts []bootstrap.Script) error {
	for _, s := range scripts {
		if err := bootstrap.Run(ctx, conn, s); err != nil {
			return err
		}
	}
	return nil
}

// finishImage sets what is not the scripts' affair: passwords, and the
// databases.
func finishImage(ctx context.Context, conn *pgx.Conn) error {
	if err := setPasswords(ctx, conn, defaultPassword); err != nil {
		return err
	}
	for _, sql := range []string{
		"vacuum freeze analyze",
		"drop database postgres",
		"update pg_database set datistemplate = false where datname = 'template0'",
		// Every file costs each copy time, and a third of them are template0's.
		"drop database template0",
		"update pg_database set datallowconn = false where datname = '" + template + "'",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := createDatabase(ctx, conn, "postgres"); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "checkpoint")
	return err
}

// setPasswords gives every login role the password; over the socket nobody is
// asked for it.
func setPasswords(ctx context.Context, conn *pgx.Conn, password string) error {
	const sql = `select format('alter role %I password %L', rolname, $1::text) from pg_roles where rolcanlogin`
	rows, err := conn.Query(ctx, sql, password)
	if err != nil {
		return fmt.Errorf("set passwords: %w", err)
	}
	commands, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("set passwords: %w", err)
	}
	for _, command := range commands {
		if _, err := conn.Exec(ctx, command); err != nil {
			return fmt.Errorf("set passwords: %w", err)
		}
	}
	return nil
}

// newSocketDir makes the folder of a server's socket: inside dir, or, where
// that path is too long for a socket address, in the temporary folder.
func newSocketDir(dir string, id identity) (string, error) {
	inside := filepath.Join(dir, "s")
	if len(filepath.Join(inside, ".s.PGSQL.65535")) < maxSocketPath {
		return inside, id.mkdir(inside)
	}
	for _, base := range []string{os.TempDir(), "/tmp"} {
		if len(filepath.Join(base, "supascore-0123456789", ".s.PGSQL.65535")) >= maxSocketPath {
			continue
		}
		short, err := os.MkdirTemp(base, "supascore-")
		if err != nil {
			return "", fmt.Errorf("socket folder: %w", err)
		}
		return short, id.own(short)
	}
	return "", withHint(fmt.Errorf("no folder with a path short enough for a socket (%d bytes)", maxSocketPath),
		"set SUPASCORE_CACHE_DIR or TMPDIR to a folder with a short path")
}

// maxSocketPath is the size of sockaddr_un's path on macOS; Linux has 108.
const maxSocketPath = 104
