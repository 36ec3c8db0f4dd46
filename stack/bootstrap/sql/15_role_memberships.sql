-- Who may act as whom.
-- Source: supabase/postgres, migrations/db (grant_auth_roles_to_postgres,
-- grant_pg_monitor_to_postgres, grant_predefined_roles_to_postgres,
-- grant_with_admin_to_postgres_16_and_above,
-- grant_authenticator_to_supabase_storage_admin).

grant pg_read_all_data to supabase_read_only_user;
grant authenticator to supabase_storage_admin;
grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;

-- Up to PostgreSQL 15 CREATEROLE alone lets postgres alter the API roles and
-- grant them to others; from 16 on it needs ADMIN on each.
--
-- The admin roles are granted so that postgres may manage triggers and
-- policies on tables that they own. A project has the extension supautils for
-- that; here 90_managed_schemas.sql takes back everything else that ownership
-- would allow.
do $$
begin
  if current_setting('server_version_num')::int >= 160000 then
    execute 'grant anon, authenticated, service_role to postgres with admin option';
    execute 'grant authenticator to postgres with admin true, inherit false, set false';
    execute 'grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin
             to postgres with inherit true, set false';
  else
    grant anon, authenticated, service_role to postgres;
    grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin to postgres;
  end if;
end
$$;
