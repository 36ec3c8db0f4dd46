-- Who owns and who may use the schema auth.
-- Source: supabase/postgres, migrations/db (update-auth-permissions,
-- demote-postgres, revoke_admin_roles_from_postgres).

-- The auth server alters its own tables, so it has to own them, whoever made
-- them.
do $$
declare
  thing record;
begin
  for thing in
    select format('alter table auth.%I owner to supabase_auth_admin', relname) as sql
      from pg_class where relnamespace = 'auth'::regnamespace and relkind in ('r', 'p')
    union all
    select format('alter type auth.%I owner to supabase_auth_admin', typname)
      from pg_type where typnamespace = 'auth'::regnamespace and typtype = 'e'
    union all
    select format('alter routine %s owner to supabase_auth_admin', oid::regprocedure)
      from pg_proc where pronamespace = 'auth'::regnamespace
  loop
    execute thing.sql;
  end loop;
end
$$;

grant usage on schema auth to anon, authenticated, service_role;
grant all   on schema auth to postgres, dashboard_user;

grant all on all tables    in schema auth to postgres, dashboard_user;
grant all on all sequences in schema auth to postgres, dashboard_user;
grant all on all routines  in schema auth to postgres, dashboard_user;

alter default privileges for role supabase_auth_admin in schema auth grant all on tables    to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth grant all on sequences to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth grant all on routines  to postgres, dashboard_user;
