package bootstrap

// ExposeNewTables is the SQL, run once as Superuser in the database of a run,
// that decides what the API roles may do with tables, sequences and functions
// that migrations make in schema public. It is [api] auto_expose_new_tables of
// config.toml: true grants everything to anon, authenticated and service_role,
// as projects did until May 2026; false takes reading and writing away again,
// so that a migration has to grant what it wants to expose.
//
// The rights that false takes away are exactly those that the Supabase CLI
// revokes (apps/cli-go/internal/db/start/start.go, ApplyApiPrivileges), and only from
// what role postgres makes. Hence in the false world new tables still carry
// TRUNCATE, REFERENCES and TRIGGER, new sequences UPDATE, and functions
// PostgreSQL's own EXECUTE for PUBLIC, which nobody revokes.
//
// The SQL may be run again, also to switch from one world to the other; what
// exists already keeps its rights.
func ExposeNewTables(expose bool) string {
	if expose {
		return grantOwnersTables + grantSuperusersTables
	}
	return grantOwnersTables + grantSuperusersTables + revokeNewTables
}

// ExposeOwnersTables is the part of ExposeNewTables that is about what role postgres
// makes, which migrations run as. The role itself may run it, in a project that is not
// ours.
func ExposeOwnersTables(expose bool) string {
	if expose {
		return grantOwnersTables
	}
	return grantOwnersTables + revokeNewTables
}

// The initial schema's default privileges (supabase/postgres,
// migrations/db/init-scripts, initial-schema), by who makes the tables.
const (
	grantOwnersTables = `
alter default privileges for role postgres in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
`
	grantSuperusersTables = `
alter default privileges for role supabase_admin in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
`
)

const revokeNewTables = `
alter default privileges for role postgres in schema public
  revoke select, insert, update, delete on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke usage, select on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke execute on functions from anon, authenticated, service_role;
`
