package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/migrate"
	"github.com/supascore/supascore/stack/standin/migrations"
	"github.com/supascore/supascore/stack/workspace"
)

func (a *app) supabaseMigrationCommand() *cobra.Command {
	c := a.standinGroup("migration", "Manage database migration scripts",
		a.migrationNewCommand(), a.migrationListCommand(), a.migrationUpCommand(), a.migrationDownCommand(), a.migrationRepairCommand())
	c.Aliases = []string{"migrations"}
	return c
}

func (a *app) migrationNewCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "new <migration name>", Short: "Create an empty migration script",
		Long: "Create an empty migration script, or one with the SQL that is piped in.",
		Args: cobra.ExactArgs(1),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		dir, err := a.workdir(c)
		if err != nil {
			return err
		}
		sql := io.Reader(strings.NewReader(""))
		if a.piped() {
			sql = a.stdin
		}
		file, err := migrations.Create(dir, args[0], time.Now(), sql)
		if err != nil {
			return err
		}
		a.out.printf("Created new migration at %s\n", file)
		return nil
	}
	return c
}

// piped reports whether stdin is no terminal and no other device.
func (a *app) piped() bool {
	file, ok := a.stdin.(*os.File)
	if !ok {
		return a.stdin != nil
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// localMigrations reads the migrations of a project and says what is passed over, in
// the CLI's words.
func (a *app) localMigrations(c *cobra.Command, dir string) ([]workspace.Migration, error) {
	w, err := workspace.Read(c.Context(), workspace.Options{Dir: dir, Migrations: true})
	if err != nil {
		return nil, err
	}
	for _, s := range w.Skipped {
		reason := `file name must match pattern "<timestamp>_name.sql"`
		if strings.HasSuffix(s.Path, "_init.sql") {
			reason = `replace "init" with a different file name to apply this migration`
		}
		a.say("Skipping migration %s... (%s)", path.Base(s.Path), reason)
	}
	return w.Migrations, nil
}

func versionsOf(list []workspace.Migration) []string {
	var versions []string
	for _, m := range list {
		versions = append(versions, m.Version)
	}
	return versions
}

func (a *app) migrationListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List local and remote migrations", Args: cobra.NoArgs}
	linkedFlags(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		conn, chosen, err := a.connect(c)
		if err != nil {
			return err
		}
		defer hangUp(c.Context(), conn)
		applied, err := migrate.History(c.Context(), conn)
		if err != nil {
			return err
		}
		local, err := a.localMigrations(c, chosen.project.dir)
		if err != nil {
			return err
		}
		a.out.printf("%s", migrations.Table(migrations.Compare(versionsOf(local), applied)))
		return nil
	}
	return c
}

func (a *app) migrationUpCommand() *cobra.Command {
	c := &cobra.Command{Use: "up", Short: "Apply pending migrations to local database", Args: cobra.NoArgs}
	databaseFlags(c)
	all := c.Flags().Bool("include-all", false, "include all migrations not found on remote history table")
	c.RunE = func(c *cobra.Command, _ []string) error {
		conn, chosen, err := a.connect(c)
		if err != nil {
			return err
		}
		defer hangUp(c.Context(), conn)
		local, err := a.localMigrations(c, chosen.project.dir)
		if err != nil {
			return err
		}
		applied, err := migrate.History(c.Context(), conn)
		if err != nil {
			return err
		}
		pending, err := migrations.Pending(local, applied, *all)
		if err != nil {
			return err
		}
		plan := migrate.Plan{Migrations: pending, OnFile: func(_ migrate.Kind, file string) { a.say("Applying migration %s...", path.Base(file)) }}
		if _, err := migrate.Apply(c.Context(), conn, plan); err != nil {
			return err
		}
		a.out.printf("Local database is up to date.\n")
		return nil
	}
	return c
}

func (a *app) migrationRepairCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "repair [version] ...", Short: "Repair the migration history table",
		Long: `Write into the migration history table that versions were applied or reverted,
without running them. Without versions the whole table is made to match the files.`,
	}
	linkedFlags(c)
	status := c.Flags().String("status", "", "version status to update: applied or reverted")
	cobra.CheckErr(c.MarkFlagRequired("status"))
	c.RunE = func(c *cobra.Command, versions []string) error {
		if *status != "applied" && *status != "reverted" {
			return fmt.Errorf("invalid argument %q for \"--status\" flag: must be one of [ applied | reverted ]", *status)
		}
		for _, v := range versions {
			if !migrations.IsVersion(v) {
				return fmt.Errorf("failed to parse %s: invalid version number", v)
			}
		}
		if len(versions) == 0 {
			ok, err := a.confirm(c, "Do you want to repair the entire migration history table to match local migration files?")
			if err != nil || !ok {
				return errors.Join(err, errDeclined)
			}
		}
		if err := a.repair(c, versions, *status); err != nil {
			return err
		}
		a.out.printf("Finished supabase migration repair.\n")
		a.say("Run supabase migration list --local to show the updated migration history.")
		return nil
	}
	return c
}

// repair changes the history as a command line says; without versions, all of it.
func (a *app) repair(c *cobra.Command, versions []string, status string) error {
	conn, chosen, err := a.connect(c)
	if err != nil {
		return err
	}
	defer hangUp(c.Context(), conn)
	all := len(versions) == 0
	if status == "reverted" {
		if all {
			versions = nil
		}
		err = migrate.Forget(c.Context(), conn, versions)
	} else {
		var local []workspace.Migration
		if local, err = a.localMigrations(c, chosen.project.dir); err != nil {
			return err
		}
		if !all {
			if local, err = pick(local, versions); err != nil {
				return err
			}
		}
		err = migrate.Record(c.Context(), conn, local, all)
	}
	if err == nil && !all {
		a.say("Repaired migration history: %v => %s", versions, status)
	}
	return err
}

// pick finds the files of versions; the first of each counts, as in the CLI.
func pick(local []workspace.Migration, versions []string) ([]workspace.Migration, error) {
	var out []workspace.Migration
	for _, v := range versions {
		found := false
		for _, m := range local {
			if m.Version == v {
				out, found = append(out, m), true
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("glob %s/%s_*.sql: %w", migrations.Folder, v, fs.ErrNotExist)
		}
	}
	return out, nil
}

// errDeclined is the CLI's message for an action that was not confirmed.
var errDeclined = errors.New("context canceled")

// confirm asks a question that --yes answers; no answer is no.
func (a *app) confirm(c *cobra.Command, question string) (bool, error) {
	yes, err := c.Flags().GetBool("yes")
	if err != nil {
		return false, err
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	answer := "y"
	if !yes {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("read the answer: %w", err)
		}
		answer = strings.ToLower(strings.TrimSpace(line))
	}
	a.say("%s", answer)
	return answer == "y" || answer == "yes", nil
}
