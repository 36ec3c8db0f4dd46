// Package bootstrap owns the SQL that makes an empty cluster look like a
// Supabase project: roles and their settings, schemas, extensions, the auth
// and storage tables, privileges. It promises that a migration meets the same
// names, owners and refusals as in a project started by the Supabase CLI. It
// does not connect to anything; whoever builds the cluster runs the scripts.
package bootstrap

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Superuser is the role that makes the cluster and that every Script runs as.
// In a Supabase project the superuser is supabase_admin, never postgres.
const Superuser = "supabase_admin"

//go:embed sql
var files embed.FS

// Script is one SQL file. Scripts are run in the order of Scripts, as
// Superuser, each in one transaction, in the database that all other
// databases of the cluster are copied from.
type Script struct {
	// Name is the file's path below sql/, such as "10_roles.sql".
	Name string
	// SQL is the text: any number of statements.
	SQL string
}

// Options choose between worlds of a project that a whole cluster shares.
type Options struct {
	// NoRoleTimeouts leaves out the statement_timeout and lock_timeout of the
	// API roles. The recordings in fixtures/recordings were made without them.
	NoRoleTimeouts bool
	// NoSchemaWatch leaves out the event triggers that tell the REST server of
	// schema changes. The recordings of the REST server were made without them.
	NoSchemaWatch bool
}

// leavesOut says whether the options do without a script.
func (o Options) leavesOut(name string) bool {
	switch name {
	case "25_role_timeouts.sql":
		return o.NoRoleTimeouts
	case "80_schema_watch.sql":
		return o.NoSchemaWatch
	default:
		return false
	}
}

// Scripts is what makes a project, in order. It fails only when the embedded
// files cannot be read, which is a broken build.
func Scripts(opts Options) ([]Script, error) {
	names, err := scriptNames()
	if err != nil {
		return nil, err
	}
	scripts := make([]Script, 0, len(names))
	for _, name := range names {
		if opts.leavesOut(name) {
			continue
		}
		text, err := files.ReadFile(path.Join("sql", name))
		if err != nil {
			return nil, fmt.Errorf("bootstrap script %s: %w", name, err)
		}
		scripts = append(scripts, Script{Name: name, SQL: string(text)})
	}
	return scripts, nil
}

// authAfter is the number after which the folder auth/ has its turn: its
// tables need the schema and the roles, and the grants need its tables.
const authAfter = "55"

// scriptNames is every .sql file below sql/ in the order to run: by name, with
// the files of the folder auth/ in their place.
func scriptNames() ([]string, error) {
	var names []string
	err := fs.WalkDir(files, "sql", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(p) == ".sql" {
			names = append(names, strings.TrimPrefix(p, "sql/"))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bootstrap scripts: %w", err)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(runOrder(a), runOrder(b)) })
	return names, nil
}

// runOrder is the key that scripts are sorted by.
func runOrder(name string) string {
	if strings.HasPrefix(name, "auth/") {
		return authAfter + name
	}
	return name
}
