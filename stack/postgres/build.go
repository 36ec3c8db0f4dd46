package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/proc"
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
			"-D", data, "-U", bootstrap.Superuser, "--encoding=UTF8",
			"--no-sync", "--no-instructions",
			"--auth-local=trust", "--auth-host=scram-sha-256",
			// 1 MiB instead of 16: every copy carries one segment.
			"--wal-segsize=1",
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
// first; older macOS has no C.UTF-8. The last two differ in upper() and
// lower() of letters beyond ASCII at most.
func locales(major int) [][]string {
	all := [][]string{{"--locale=C.UTF-8"}}
	if major >= 17 {
		all = append(all, []string{"--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"})
	}
	return append(all, []string{"--locale=C", "--lc-ctype=en_US.UTF-8"}, []string{"--locale=C"})
}

// runInitdb runs it to its end.
func (im *image) runInitdb(ctx context.Context, args []string) error {
	child, err := proc.Start(ctx, proc.Config{
		Path: im.install.initdb(), Args: args, Env: serverEnv(), Dir: im.buildDir(),
		Credential: im.id.cred, StopSignal: syscall.SIGTERM, Grace: stopGrace,
	})
	if err != nil {
		return err
	}
	select {
	case <-child.Done():
		if child.State().Success() {
			return nil
		}
		return child.Err()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("initdb: %w", context.Cause(ctx)), child.Stop(context.WithoutCancel(ctx)))
	}
}

// serverEnv is the environment of initdb and of the server: none of ours, so
// that PGDATA, PGPORT, LANG and the like cannot change what comes out.
func serverEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if dir := os.Getenv(name); dir != "" {
			env = append(env, name+"="+dir)
		}
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
	if err := b.start(ctx, listenNowhere); err != nil {
		return err
	}
	// Whatever happens in between, the server does not stay.
	defer func() { _ = b.child.Stop(context.WithoutCancel(ctx)) }()
	if err := im.fillTemplate(ctx, b); err != nil {
		return err
	}
	// The copies must not have to recover, hence the checkpoint of a clean stop.
	if err := b.stopClean(ctx); err != nil {
		return err
	}
	return trim(data)
}

func (im *image) fillTemplate(ctx context.Context, b *backend) error {
	conn, err := b.connect(ctx, bootstrap.Superuser, template)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, s := range im.scripts {
		if err := bootstrap.Run(ctx, conn, s); err != nil {
			return explainContrib(err)
		}
	}
	if err := setPasswords(ctx, conn, defaultPassword); err != nil {
		return err
	}
	return finishDatabases(ctx, conn)
}

// explainContrib says what to install when an extension of PostgreSQL's own
// contrib collection is missing.
func explainContrib(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || !strings.Contains(pgErr.Message, "extension") {
		return err
	}
	// 0A000: the extension is not available; 58P01: its files are missing.
	if pgErr.Code != "0A000" && pgErr.Code != "58P01" {
		return err
	}
	return withHint(err, "install PostgreSQL's contrib modules: %s", installAdvice())
}

// finishDatabases closes the template and makes the database postgres from it.
func finishDatabases(ctx context.Context, conn *pgx.Conn) error {
	for _, sql := range []string{
		"vacuum freeze analyze",
		"drop database postgres",
		// Every file costs each copy time, and a third of them are template0's.
		"update pg_database set datistemplate = false where datname = 'template0'",
		"drop database template0",
		"update pg_database set datallowconn = false where datname = '" + template + "'",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return createDatabase(ctx, conn, "postgres")
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
