-- The roles of a Supabase project. supabase_admin, the superuser, made the
-- cluster; everybody else is made here.
--
-- Attributes follow the database image that the Supabase CLI starts:
-- supabase/postgres, migrations/db (initial-schema, demote-postgres,
-- alter_api_roles_for_inherit, revoke_createrole_from_auth_admin).

-- "inherit" since 2023; they are members of nothing unless a workspace grants
-- them something.
create role anon          nologin inherit;
create role authenticated nologin inherit;
create role service_role  nologin inherit bypassrls;

create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator;

-- What migrations run as: it owns the database and what they make, and it is
-- not a superuser, so a missing privilege shows here as it does when deployed.
create role postgres login createdb createrole bypassrls replication;

create role supabase_auth_admin        login noinherit;
create role supabase_storage_admin     login noinherit createrole;
create role supabase_realtime_admin    nologin noinherit;
create role supabase_functions_admin   login noinherit createrole;
create role supabase_replication_admin login replication;
create role supabase_read_only_user    login bypassrls;
create role dashboard_user             nologin createdb createrole replication;
create role pgbouncer                  login;
